import { appendFile, mkdtemp, readFile, rm, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { AgentEvent } from "../../events.ts";
import { earlierRuns, findTranscript, readTranscript, Transcript } from "./transcript.ts";

async function place() {
  const root = await mkdtemp(join(tmpdir(), "baton-acp-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return { HOME: root, SOME_TOKEN: "a-secret-that-nobody-may-see-1234" };
}

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const found: AgentEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

it("holds what happened, without secrets and up to where its writer was killed", async () => {
  const session = { sessionId: "one", env: await place() };
  const transcript = new Transcript(session.env, session.sessionId);
  transcript.begin("theirs");
  transcript.add({ type: "user", text: "Go." });
  transcript.add({ type: "text:delta", text: "I" });
  transcript.add({ type: "response", id: "r", model: "m", window: { tokens: 5, isEstimate: true } });
  transcript.add({ type: "tool:end", id: "t", ok: true, output: session.env.SOME_TOKEN });
  transcript.cost(0.25);
  transcript.close();
  const path = (await findTranscript(session)) ?? "";
  expect(await readFile(path, "utf8")).not.toContain(session.env.SOME_TOKEN);
  await appendFile(path, '{"type":"text","te');
  expect(await all(readTranscript(session))).toMatchObject([
    { type: "user", text: "Go." },
    { type: "response", id: "r", at: expect.any(String) },
    { type: "tool:end", id: "t" },
  ]);
  expect(await earlierRuns(session)).toEqual({
    programSession: "theirs",
    window: { tokens: 5, isEstimate: true },
    costUsd: 0.25,
  });
});

it("cannot be continued once the program has lost the session, and still tells what happened", async () => {
  const session = { sessionId: "one", env: await place() };
  const transcript = new Transcript(session.env, session.sessionId);
  transcript.begin("theirs");
  transcript.add({ type: "text", text: "Done." });
  transcript.lost();
  transcript.close();
  expect(await findTranscript(session)).toBeUndefined();
  expect(await all(readTranscript(session))).toHaveLength(1);
});

it("goes after a month", async () => {
  const env = await place();
  const old = { sessionId: "old", env };
  const first = new Transcript(env, old.sessionId);
  first.begin("theirs");
  first.close();
  const path = (await findTranscript(old)) ?? "";
  const long = new Date(Date.now() - 31 * 24 * 60 * 60 * 1_000);
  await utimes(path, long, long);
  new Transcript(env, "new").close();
  expect(await findTranscript(old)).toBeUndefined();
  expect(await findTranscript({ sessionId: "new", env })).toBeDefined();
});
