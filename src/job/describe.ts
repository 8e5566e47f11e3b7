import { recordedKind } from "../agents/recorded-tool.ts";
import { inWords } from "../config/reader/duration.ts";
import type { HandoffOutcome } from "../handoff/document.ts";
import { outcomeInWords } from "../handoff/outcome.ts";
import type { Tone } from "../hooks/message.ts";
import { counted, size, tokens } from "../util/figures.ts";
import { oneLine } from "../util/printable.ts";
import { localMinute } from "../util/time.ts";
import { howToAnswer } from "./asks/asks.ts";
import { containerInWords } from "./container.ts";
import { linesForCall } from "./denied.ts";
import type { ContextFigures, JobEvent, PauseCode, SwitchReason } from "./events.ts";
import type { SessionRecord } from "./job.ts";
import { completedBut, denials, isOutOfHandoffs, OUT_OF_HANDOFFS } from "./status-words.ts";
import { circlesInWords, stallText, stallTitle } from "./watchdog/words.ts";
import { percentInWords, windowUse } from "./window.ts";

/** What people are told of an event. Whoever shows it brings colours and signs, and cuts what is too long for it. */
export interface Description {
  tone: Tone;
  /** Baton's own words: what happened, on its own or after an agent's name. */
  title: string;
  /** Somebody else's, at full length: a result, an error, a reason, what a command printed. */
  text: string;
}

/** What people hear of who are not looking, with just what they are told: hooks hear of it before it is on record. */
export type Milestone =
  | { type: "job:started" }
  | { type: "job:completed"; result: string; denied?: readonly { times: number }[] }
  | { type: "job:failed"; error: string }
  | { type: "job:paused"; message: string; code?: PauseCode }
  /** In the journal a pause. */
  | { type: "job:timeout"; message: string }
  | { type: "job:cancelled"; message: string }
  | { type: "session:starting"; session: string; ordinal: number; mode: SessionRecord["mode"] }
  | { type: "context:warning"; session: string; context: ContextFigures; turnsLeft?: number }
  | {
      type: "handoff:stored";
      handoffNumber: number;
      session: string;
      outcome: HandoffOutcome;
      documentPath: string;
      reason?: string | null;
    };

/** The only place where an event becomes words. Undefined for what only programs need to know. */
export function describe(event: JobEvent): Description | undefined {
  switch (event.type) {
    case "job:created": {
      const continues = event.continues ? `, continues ${event.continues.document}` : "";
      return plain(`created for ${event.agent}${continues}`, event.prompt);
    }
    case "job:queued":
      return quiet(`queued${event.message === undefined ? "" : `: ${event.message}`}`);
    case "job:started":
    case "job:completed":
    case "job:failed":
    case "job:paused":
    case "job:cancelled":
    case "session:starting":
    case "context:warning":
    case "handoff:stored":
      return describeMilestone(event);
    case "job:reported":
      return plain("reported", event.status);
    case "job:interrupted":
      return caution("interrupted", event.message);
    case "job:resumed":
      return quiet(event.message);
    case "workspace:ready":
      return quiet(`working in ${event.path}${event.branch ? ` on ${event.branch}` : ""}`);
    case "workspace:waiting":
      return caution(event.message);
    case "workspace:command":
      return event.ok
        ? quiet(`set up with ${oneLine(event.command)} in ${inWords(event.durationMs)}`)
        : bad(`${oneLine(event.command)} failed`, event.output);
    case "workspace:committed":
      return quiet(`committed ${counted(event.files, "file")} as ${event.commit.slice(0, 9)}`);
    case "workspace:pushed":
      return quiet(`pushed ${event.branch} to ${event.remote}`);
    case "workspace:proposed":
      return plain(event.created ? "pull request" : "open a pull request", event.url);
    case "workspace:ignored":
      return ignoredFiles(event);
    case "workspace:kept":
      return caution("the worktree is kept", event.reason);
    case "workspace:removed":
      return event.reason ? quiet(event.reason) : undefined;
    case "session:started":
      return quiet(`${event.model}, ${event.program}`);
    case "repository:left-out":
      return caution(leftOut(event.files));
    case "message:sent":
      if (event.kind === "request") return plain("asked for", event.text);
      return event.kind === "said" ? plain("told", event.text) : undefined;
    case "message:delivered":
      return quiet(`heard by the agent: message ${event.queued.join(", ")}`);
    case "pause:requested":
      return quiet("pause requested, at the next boundary");
    case "pause:refused":
      return caution(event.message);
    case "stall:suspected":
      return caution(stallTitle(event), stallText(event));
    case "stall:over":
      return event.outcome === "alive"
        ? quiet(`at work again after ${inWords(event.quietMs)}`)
        : caution(`its program was ended: no sign of life for ${inWords(event.quietMs)}`);
    case "circles:suspected":
      return caution(`may be going in circles: ${circlesInWords(event)}`);
    case "text":
      return event.text.trim() === "" ? undefined : plain("says", event.text);
    case "tool:start":
      // What the agent tells Baton by its tools, Baton tells in its own words.
      if (recordedKind(event) === "own") return undefined;
      return quiet(oneLine(`${event.name} ${event.summary}`));
    case "tool:end":
      if (event.interrupted) return caution("interrupted");
      return event.ok || event.denied ? undefined : bad("failed", event.output);
    case "ask:made":
      return event.questions
        ? caution(
            "asks you",
            [...event.questions.map(({ question }) => question), howToAnswer(event)].join("\n"),
          )
        : caution(`needs your yes: ${oneLine(`${event.name} ${event.summary}`)}`, howToAnswer(event));
    case "ask:answered":
      return quiet(answerInWords(event));
    case "ask:withdrawn":
      return quiet(`the question ${event.ask} is withdrawn: ${event.message}`);
    case "ask:expired":
      return caution(event.message);
    case "ask:used":
      return quiet(`answered before, as ${event.ask}`);
    case "tool:permitted":
      return quiet(
        `allowed by you${event.rule === undefined ? "" : `, from now on: ${oneLine(event.rule)}`}`,
      );
    case "tool:denied":
      return caution(
        `denied: ${oneLine(`${event.name} ${event.summary ?? ""}`)}`,
        event.allow ? `Allowed with ${linesForCall(event.allow)}` : event.message,
      );
    case "compaction":
      return event.state === "start" ? caution("the agent is compacting its window") : undefined;
    case "context:handoff:start":
      return plain(`handoff ${event.handoffNumber}`, BECAUSE[event.trigger]);
    case "context:handoff:complete":
      return good("New session started with handoff context");
    case "agent:switched":
      return SWITCHED_BY_PLAN.has(event.reason)
        ? plain(`${oneLine(event.to)} takes over from ${oneLine(event.from)}`, event.message)
        : caution(`${oneLine(event.to)} takes over from ${oneLine(event.from)}`, event.message);
    case "background:left":
      return caution(
        event.atRest ? "left running, but idle" : "still running",
        event.tasks.map(({ description }) => oneLine(description)).join(", "),
      );
    case "handoff:requested":
      return quiet(`handoff requested${event.by === "agent" ? " by the agent" : ""}, at the next boundary`);
    case "handoff:refused":
      return caution(event.message);
    case "handoff:cancelled":
      return caution("Handoff cancelled");
    case "handoff:failed":
      return bad("Handoff failed", event.message);
    case "handoff:asked":
      return event.again
        ? caution("the checks found it incomplete; asked again", event.again.join("; "))
        : quiet("the session writes its account …");
    case "handoff:unstored":
      return caution(`handoff ${event.handoffNumber} is written, and will be stored as soon as possible`);
    case "handoff:archived":
      return quiet(`handoff ${event.handoffNumber} is archived as ${event.documentPath}`);
    case "hook":
      return event.ok
        ? quiet(`${oneLine(event.name)} (${event.point}) in ${inWords(event.durationMs)}`)
        : caution(`the hook "${oneLine(event.name)}" of ${event.point} failed`, event.error);
    case "limit:waiting":
      return caution(`waiting until ${localMinute(new Date(event.until))}`, event.message);
    case "limit:over":
      return quiet("continuing");
    case "retry":
      return caution(
        `trying again in ${seconds(event.delayMs)} (${event.number} of ${event.of})`,
        event.message,
      );
    case "checkpoints:removed":
      return quiet(`${counted(event.refs.length, "old checkpoint")} removed: ${event.remote} has all of it`);
    case "clock:moved":
      return quiet(clockMoved(event.byMs));
    case "box:opened":
      return quiet(`in a container: ${containerInWords(event.container)}`);
    case "box:denied":
      return caution(`the container may not reach ${oneLine(event.host)} (docker.network)`);
    case "warning":
      return caution(event.message);
    case "journal:compacted":
      return quiet(
        `${counted(event.removed, "event")} of this job removed by compaction (maintenance.job_cleanup)`,
      );
    case "job:closing":
    case "workspace:creating":
    case "workspace:pushing":
    case "workspace:removing":
    case "workspace:keeping":
    case "session:known":
    case "session:ended":
    case "response":
    case "subagent:response":
    case "background":
    case "cost":
    case "checkpoint":
    case "facts:collected":
    case "person:awaited":
    case "todos:changed":
      return undefined;
  }
}

function answerInWords({ ask, answer, rule }: Extract<JobEvent, { type: "ask:answered" }>): string {
  switch (answer.answer) {
    case "no":
      return `you said no${answer.because === undefined ? "" : `: ${oneLine(answer.because)}`} (${ask})`;
    case "said":
      return `you answered: ${oneLine(answer.texts.join(" / "))} (${ask})`;
    case "once":
    case "always":
      return `allowed by you${rule === undefined ? "" : `, from now on: ${oneLine(rule)}`} (${ask})`;
  }
}

export function describeMilestone(event: Milestone): Description {
  switch (event.type) {
    case "job:started":
      return plain("started");
    case "job:completed":
      return denials(event) > 0
        ? caution(completedBut(denials(event)), event.result)
        : good("completed", event.result);
    case "job:failed":
      return bad("failed", event.error);
    case "job:paused":
      // Nobody chose to stop here, and the work is not done: that is no better news than a failure.
      return isOutOfHandoffs(event.code)
        ? bad(OUT_OF_HANDOFFS, event.message)
        : caution("paused", event.message);
    case "job:timeout":
      return bad("out of time", event.message);
    case "job:cancelled":
      return caution("cancelled", event.message);
    case "session:starting":
      return plain(`session ${event.ordinal}${BEGUN[event.mode]}`);
    case "context:warning":
      return caution(`window ${used(event.context)}${turns(event.turnsLeft)}`);
    case "handoff:stored":
      return plain(`handoff ${event.handoffNumber}`, howStored(event.outcome, event.reason));
  }
}

const plain = (title: string, text = ""): Description => ({ tone: "plain", title, text });
const quiet = (title: string): Description => ({ tone: "quiet", title, text: "" });
const good = (title: string, text = ""): Description => ({ tone: "good", title, text });
const bad = (title: string, text: string): Description => ({ tone: "bad", title, text });
const caution = (title: string, text = ""): Description => ({ tone: "caution", title, text });

const BEGUN = { fresh: "", continuation: ", from the handoff", resumed: ", resumed" } as const;

const BECAUSE = {
  threshold: "the window has reached its threshold",
  forecast: "the next turn would not fit in the window",
  overflow: "the next request was too large for the model",
  resume: "the session had stopped before it handed off",
  lost: "the session cannot be continued: its program resumes none, or its transcript or document is gone",
  manual: "asked for by hand",
  agent: "asked for by the agent",
  switch: "another agent takes over",
} as const;

const SWITCHED_BY_PLAN: ReadonlySet<SwitchReason> = new Set(["reset", "manual"]);

function used(context: ContextFigures): string {
  const { tokens: count = 0 } = windowUse(context) ?? {};
  return `${percentInWords(context)} used (${tokens(count)} of ${tokens(context.window)})`;
}

function clockMoved(byMs: number): string {
  const by = inWords(Math.abs(byMs));
  return byMs > 0
    ? `the machine slept, or its clock was set forward, by ${by}, which does not count as work`
    : `the clock of this machine was set back by ${by}`;
}

/** A wait below a minute as one figure: `0.6 s`. */
function seconds(ms: number): string {
  return ms < 60_000 ? `${Number((ms / 1_000).toFixed(1))} s` : inWords(ms);
}

const NAMED_FILES = 3;

function leftOut(files: readonly string[]): string {
  const named = files.slice(0, NAMED_FILES).map(oneLine);
  const more = files.length - named.length;
  const all = more > 0 ? [...named, counted(more, "more file")] : named;
  const list = all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : (all[0] ?? "");
  const them = files.length > 1 ? "them" : "it";
  return `Started without this repository's ${list}, which you have not trusted. Trust ${them} with: baton trust`;
}

const WHERE = {
  project: "moved to the project",
  checkpoint: "in the checkpoint",
  nowhere: "removed with the worktree",
} as const;

function ignoredFiles({ files, more }: Extract<JobEvent, { type: "workspace:ignored" }>): Description {
  const lines = (["project", "checkpoint", "nowhere"] as const).flatMap((to) => {
    const there = files.filter((file) => file.to === to);
    return there.length === 0 ? [] : [`${WHERE[to]}: ${listed(there)}`];
  });
  if (more) lines.push("and others");
  const isLost = files.some(({ to }) => to === "nowhere");
  if (isLost) lines.push("workspace.keep in baton.yaml moves such files to the project");
  const title = "ignored files that the job created";
  return isLost ? caution(title, lines.join("\n")) : plain(title, lines.join("\n"));
}

const NAMED_IGNORED = 8;

function listed(files: Extract<JobEvent, { type: "workspace:ignored" }>["files"]): string {
  const largest = [...files].sort((a, b) => b.bytes - a.bytes);
  const named = largest.slice(0, NAMED_IGNORED).map(({ path, files: count, bytes, why, instead }) => {
    const about = [
      ...(path.endsWith("/") ? [counted(count, "file")] : []),
      size(bytes),
      ...(why === undefined ? [] : [why]),
      ...(instead === undefined ? [] : [`what was there is in ${oneLine(instead)}`]),
    ];
    return `${oneLine(path)} (${about.join(", ")})`;
  });
  const others = largest.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(", ");
}

function turns(left: number | undefined): string {
  return left === undefined ? "" : `, about ${counted(left, "turn")} left`;
}

/** Only where the document is not the agent's own. */
function howStored(outcome: HandoffOutcome, reason: string | null | undefined): string {
  if (outcome !== "mended" && outcome !== "from-facts") return "";
  return `${outcomeInWords(outcome)}: ${reason ?? ""}`;
}
