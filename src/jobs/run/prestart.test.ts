import { expect, it } from "vitest";
import { configIn } from "../../../test/played-job.ts";
import { PlayedAgent, type PlayedSession } from "../../../test/played-session.ts";
import type { SessionSpec } from "../../agents/agent.ts";
import { sessionMark } from "../../processes/marks.ts";
import { startSession } from "./prestart.ts";

/** Like a program that gives its sessions names of its own. */
class MintingAgent extends PlayedAgent {
  readonly isAsked = Promise.withResolvers<void>();

  override start(spec: SessionSpec): PlayedSession {
    const session = super.start(spec);
    const identified = this.isAsked.promise.then(() => {
      Object.assign(session, { id: "theirs" });
    });
    return Object.assign(session, { identified });
  }
}

it("waits for the id of a program that mints its own, and knows what runs for it by the one that it was given", async () => {
  const agent = new MintingAgent();
  const folder = "/nowhere";
  const setting = { config: configIn(folder, {}), cwd: folder, env: {} };
  const starting = startSession(agent, setting, { sessionId: "ours", resume: false });
  agent.isAsked.resolve();
  const { session, mark } = await starting;
  expect(session.id).toBe("theirs");
  expect(mark).toEqual(sessionMark("ours"));
});
