import type { AgentConfig } from "../../config/config.ts";
import { triggerTokens } from "../../context/policy.ts";
import type { Job } from "../../jobs/job.ts";
import { spentBy } from "../../jobs/limits.ts";
import { clock, money, tokens } from "./figures.ts";
import { fitted, type Paint, printable } from "./style.ts";

const BAR_WIDTH = 24;

/** One line that says how a running job stands. */
export function liveLine(job: Job, config: AgentConfig, now: Date, width: number, paint: Paint): string {
  const session = job.sessions.at(-1);
  const { durationMs } = spentBy(job, now);
  const left = [job.agent, `session ${session?.ordinal ?? 1}`];
  const right = [`${job.turns} turns`, money(job.costUsd), clock(durationMs)];
  const bar = contextBar(job, config, paint);
  const room = width - 2 - [...left, ...right].join(" · ").length - bar.width - 9;
  const doing = fitted(activity(job, now), Math.max(8, room));
  return [
    paint("bold", left[0] ?? ""),
    left[1],
    bar.text,
    paint("cyan", doing),
    ...right.map((text) => paint("dim", text)),
  ].join(paint("dim", " · "));
}

function activity(job: Job, now: Date): string {
  if (job.waiting) return `waiting for the limit, ${clock(job.waiting.until - now.getTime())} left`;
  if (job.pendingHandoff) return `writing handoff ${job.pendingHandoff.number}`;
  const tool = job.tools.at(-1);
  if (tool) return printable(`${tool.name} ${tool.summary}`.trim());
  return job.sessions.at(-1)?.model ? "thinking" : "starting";
}

/** The window as a bar, filled as far as it is used, with the mark at which the session hands off. */
function contextBar(job: Job, config: AgentConfig, paint: Paint): { text: string; width: number } {
  const { tokens: used, window } = job.context ?? { tokens: 0, window: 0 };
  if (window === 0) return { text: `${"░".repeat(BAR_WIDTH)} window not known yet`, width: BAR_WIDTH + 21 };
  const state = {
    window: { tokens: window, source: "live" as const },
    growth: undefined,
    autoCompactThreshold: undefined,
  };
  const trigger = triggerTokens(state, config.session) ?? window;
  const cell = (count: number) => Math.min(BAR_WIDTH, Math.round((count / window) * BAR_WIDTH));
  const filled = cell(used);
  const mark = Math.min(BAR_WIDTH - 1, cell(trigger));
  const share = used / trigger;
  const colour = share >= 1 ? "red" : share >= 0.66 ? "yellow" : "green";
  let text = "";
  for (let at = 0; at < BAR_WIDTH; at++) {
    if (at === mark) text += paint("bold", "┃");
    else text += at < filled ? paint(colour, "█") : paint("dim", "░");
  }
  const figures = `${Math.round((used / window) * 100)}% of ${tokens(window)}`;
  return { text: `${text} ${figures}`, width: BAR_WIDTH + 1 + figures.length };
}
