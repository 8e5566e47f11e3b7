import { adapters } from "../src/agents/registry.ts";
import { runFleet } from "../src/app/fleet/fleet.ts";
import { findProject } from "../src/app/project.ts";
import { completed, idle, PlayedAgent, PlayedSession, response } from "../test/played-session.ts";

/** What the fleet's process needed when it was asked. */
export interface ChatUse {
  residentMB: number;
  /** Of the heap and beside it, once what is not needed any more was thrown away. */
  neededBytes: number;
}

/** Answers each message at once, as it comes: what is measured is Baton, with no program and no model. */
class AnsweringAgent extends PlayedAgent {
  override start(
    spec: ConstructorParameters<typeof PlayedSession>[1] & { sessionId: string },
  ): PlayedSession {
    const session = new PlayedSession(spec.sessionId, spec);
    session.onSend = (text) => {
      const answer = `This is the answer to: ${text.match(/ask-\d+/g)?.at(-1)}`;
      session.play(
        { type: "init", sessionId: session.id, model: "claude-sonnet-4-5", program: "played" },
        { type: "text:delta", text: answer.slice(0, 20) },
        { type: "text:delta", text: answer.slice(20) },
        response(1_000),
        { type: "text", text: answer },
        completed(answer),
        idle,
      );
    };
    return session;
  }
}

const agent = new AnsweringAgent();
adapters.claude = async () => agent;
const ending = new AbortController();

process.on("message", (asked) => {
  if (asked === "end") {
    ending.abort();
    return;
  }
  // What only waits to be thrown away takes two rounds.
  for (let round = 0; round < 2; round++) globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  const use: ChatUse = { residentMB: rss / 1e6, neededBytes: heapUsed + external };
  process.send?.(use);
});

await runFleet({
  projects: [findProject({})],
  reach: { bell: () => {}, desktop: async () => {} },
  signal: ending.signal,
  begun: () => {},
  tell: (news) => {
    if (news.what === "problem" || news.what === "held") console.error(JSON.stringify(news));
  },
});
process.disconnect();
