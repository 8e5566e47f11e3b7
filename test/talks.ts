import { onTestFinished, vi } from "vitest";
import { adapters } from "../src/agents/registry.ts";
import type { Bot } from "../src/app/conversations/bots.ts";
import { runFleet } from "../src/app/fleet/fleet.ts";
import type { FleetNews } from "../src/app/fleet/news.ts";
import { findProject } from "../src/app/project.ts";
import type { Connector, OnRecord } from "../src/connectors/connector.ts";
import { type Shown, TerminalChat } from "../src/connectors/terminal/terminal.ts";
import { talkative } from "./chat.ts";
import { isAboutClaude, type ProjectOptions, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";
import { scripted } from "./scripted/agent.ts";

export const ADA = { id: "U1", name: "Ada" };
export const BOB = { id: "U2", name: "Bob" };
export const CHANNEL = "terminal";

/** A fleet in this process, and people who write to its agents. */
export interface TalkingFleet {
  project: TestProject;
  chat: TerminalChat;
  news: FleetNews[];
  /** As a signal does. */
  end(): Promise<void>;
}

export async function talkingProject(
  options: Partial<ProjectOptions> & { chat?: string } = {},
): Promise<TestProject> {
  const { agent = "", chat = "{ fake: true }", ...rest } = options;
  return testProject({ scenario: talkative(), agent: `chat: ${chat}\n${agent}`, ...rest });
}

/** Where a process can be cut off that answers a message: before and after each thing that it does with the service. */
export const CUTS = [
  "heard",
  "recorded",
  "acknowledged",
  "live",
  "shown",
  "closed",
  "posting",
  "posted",
] as const;

/** A service whose connection breaks for good at a moment: from then on whatever the process does reaches nobody. */
export class TerminalCut {
  readonly reached: Promise<void>;
  readonly #chat: TerminalChat;
  readonly #moment: (typeof CUTS)[number];
  readonly #cut = Promise.withResolvers<void>();
  #isCut = false;

  constructor(chat: TerminalChat, moment: (typeof CUTS)[number]) {
    this.#chat = chat;
    this.#moment = moment;
    this.reached = this.#cut.promise;
  }

  connector(): Connector {
    const inner = this.#chat.connector();
    return {
      ...inner,
      run: (heard, signal) =>
        inner.run(async (event) => {
          this.#at("heard");
          await heard(event);
          this.#at("recorded");
        }, signal),
      acknowledge: async (...args) => {
        await inner.acknowledge(...args);
        this.#at("acknowledged");
      },
      post: async (...args) => {
        this.#at("posting");
        const ref = await inner.post(...args);
        this.#at("posted");
        return ref;
      },
      edit: async (...args) => {
        this.#at("");
        await inner.edit(...args);
      },
      settle: async (...args) => {
        this.#at("");
        return inner.settle(...args);
      },
      live: (...args) => {
        this.#at("live");
        // What is posted as a whole was not shown as it came.
        if (this.#moment.startsWith("post")) return { show: () => {}, close: async () => undefined };
        const live = inner.live(...args);
        return {
          show: (text) => {
            if (this.#isCut) return;
            live.show(text);
            if (this.#moment === "shown") this.#end();
          },
          close: async () => {
            const ref = await live.close();
            this.#at("closed");
            return ref;
          },
        };
      },
    };
  }

  #at(moment: string): void {
    if (moment === this.#moment) this.#end();
    if (this.#isCut) throw new Error("cut off");
  }

  #end(): void {
    this.#isCut = true;
    this.#cut.resolve();
  }
}

interface Wanted {
  chat?: TerminalChat;
  connect?: (bot: Bot, onRecord: () => Promise<OnRecord>) => Promise<Connector>;
  env?: Record<string, string>;
}

export async function startTalking(project: TestProject, wanted: Wanted = {}): Promise<TalkingFleet> {
  const { chat = new TerminalChat({ limits: { message: 4_000, editEveryMs: 5 } }), env = {} } = wanted;
  if (!isAboutClaude()) vi.spyOn(adapters, "claude").mockImplementation(async () => scripted);
  const ending = new AbortController();
  const begun = Promise.withResolvers<void>();
  const news: FleetNews[] = [];
  const running = runFleet({
    projects: [findProject({}, project.folder)],
    env: { ...project.env, ...env },
    reach: { bell: () => {}, desktop: async () => {} },
    connect: wanted.connect ?? (async () => chat.connector()),
    signal: ending.signal,
    begun: () => begun.resolve(),
    tell: (told) => news.push(told),
  });
  const end = async () => {
    ending.abort();
    await running;
  };
  onTestFinished(end);
  await Promise.race([begun.promise, running]);
  return { project, chat, news, end };
}

/** What the bot has said in a thread so far. */
export function botIn(chat: TerminalChat, { place }: Pick<Shown, "place">): string[] {
  return chat.shown
    .filter((each) => each.by === null && each.place.key === place.key)
    .map(({ text }) => text);
}

/** The first message of the bot in the thread that is so. */
export function botSays(
  chat: TerminalChat,
  thread: Pick<Shown, "place">,
  what: string | RegExp,
): Promise<Shown> {
  const matches = (text: string) => (typeof what === "string" ? text.includes(what) : what.test(text));
  return eventually(`the bot says ${what}; it said ${JSON.stringify(botIn(chat, thread))}`, async () =>
    chat.shown.find((each) => each.by === null && each.place.key === thread.place.key && matches(each.text)),
  );
}
