import type { AgentConfig } from "../../config/config.ts";
import { configuredSecrets } from "../../config/configured-secrets.ts";
import { missedPayload } from "../../hooks/payload.ts";
import type { Told } from "../../job/notices/together.ts";
import { Post, type Reach } from "../../jobs/notices/post.ts";
import { redactor } from "../../secrets/redact.ts";
import { counted } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";
import { trustedAgent } from "../jobs/ready.ts";
import type { Tell } from "./news.ts";
import type { FleetProject } from "./projects.ts";
import type { Fired } from "./schedules.ts";

interface FleetNoticesOptions {
  reach: Reach;
  env: Record<string, string>;
  tell: Tell;
}

/** What a fleet tells people who are not looking, besides what happens in jobs. */
export class FleetNotices {
  readonly #options: FleetNoticesOptions;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: FleetNoticesOptions) {
    this.#options = options;
  }

  /** A due time of a schedule came to nothing. */
  missed(where: FleetProject, fired: Fired, now: Date): void {
    if (fired.outcome !== "missed") return;
    this.#later(async () => {
      const found = await this.#postFor(where, fired.agent);
      if (!found?.events.includes("missed")) return;
      await found.post.tell(fired.schedule, found.redact(missedNotice(fired, now)));
    });
  }

  /** What was held back and is due, of all agents, whoever held it back. */
  due(projects: readonly FleetProject[]): void {
    this.#later(async () => {
      for (const where of projects)
        for (const { name } of where.config.agents) await (await this.#postFor(where, name))?.post.tellDue();
    });
  }

  /** All that was begun is told. */
  async end(): Promise<void> {
    await this.#work;
  }

  /** A hook may take long, and the fleet has other things to do. */
  #later(step: () => Promise<void>): void {
    this.#work = this.#work.then(step).catch(() => {});
  }

  async #postFor({ project, config }: FleetProject, name: string) {
    const known = config.agents.find((agent) => agent.name === name);
    if (!known || !hasWay(known)) return undefined;
    // What nobody agreed to is not run.
    const agent = await trustedAgent(config, name).catch(() => undefined);
    if (!agent) return undefined;
    const env = { ...this.#options.env, ...agent.env };
    const { reach, tell } = this.#options;
    const redact = redactor({ ...configuredSecrets(agent, env), ...env });
    const post = new Post({
      project: project.root,
      config: agent,
      reach,
      env,
      onRun: (_news, { name: hook, ok, error = "" }) => {
        const why = redact(`notify.hooks of ${name}: "${hook}" failed: ${error}`);
        if (!ok) tell({ project: project.root, what: "problem", why });
      },
    });
    return { post, redact, events: agent.notify.events };
  }
}

function hasWay({ notify }: AgentConfig): boolean {
  return notify.desktop || notify.bell || notify.hooks.length > 0;
}

function missedNotice(fired: Fired, now: Date): Told {
  const { agent, schedule, count, last } = fired;
  const reason = fired.reason ?? "no fleet was running to start it";
  const title = oneLine(`${agent}: ${schedule} was missed${count > 1 ? ` ${counted(count, "time")}` : ""}`);
  const command = `baton schedules run ${agent} ${schedule}`;
  const due = last.toISOString();
  return {
    at: now.toISOString(),
    notice: { event: "missed", title, text: reason, command },
    news: {
      event: "missed",
      payload: { ...missedPayload({ agent, schedule, due, count, reason }), answer_with: command },
      message: {
        tone: "caution",
        title,
        text: reason,
        facts: [
          { label: "Agent", value: oneLine(agent) },
          { label: "Schedule", value: oneLine(schedule) },
          { label: "Due", value: due },
          { label: "Answer with", value: command },
        ],
      },
    },
  };
}
