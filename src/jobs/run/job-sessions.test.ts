import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { playedJob } from "../../../test/played-job.ts";
import { PlayedAgent, type PlayedSession } from "../../../test/played-session.ts";
import type { SessionSpec } from "../../agents/agent.ts";
import { sessionMark } from "../../processes/marks.ts";

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

it("records a session by the id of a program that mints its own, and knows what runs for it by the one that it was given", async () => {
  const agent = new MintingAgent();
  const { context, events, session } = playedJob({ agent });
  const given = session.id;
  const warming = context.sessions.warm();
  agent.isAsked.resolve();
  const live = await warming;
  expect(live.mark).toEqual(sessionMark(given));
  context.sessions.begin(live, "fresh");
  expect(events.at(-1)).toMatchObject({ type: "session:starting", session: "theirs" });
});

it("listens for the end of the job while one is open, and lets go of it after that", async () => {
  const { context } = playedJob({});
  const listeners = () => getEventListeners(context.signal, "abort").length;
  const before = listeners();
  const [one, two] = [await context.sessions.warm(), await context.sessions.warm()];
  expect(listeners()).toBe(before + 1);
  await context.sessions.drop(one);
  expect(listeners()).toBe(before + 1);
  await context.sessions.drop(two);
  expect(listeners()).toBe(before);
});
