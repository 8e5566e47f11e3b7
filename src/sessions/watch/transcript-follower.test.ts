import { appendFile, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { requestLine } from "../../handoff/request.ts";
import { hooksAreMissing, TranscriptFollower } from "./transcript-follower.ts";

const line = (entry: object) => `${JSON.stringify(entry)}\n`;
const ended = (failed: boolean) => {
  const content = [{ type: "tool_result", tool_use_id: "toolu", content: "Done.", is_error: failed }];
  return line({ type: "user", message: { role: "user", content } });
};

it("does not miss hooks of a session whose tools fail: another hook runs then", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-follower-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const transcript = join(folder, "one.jsonl");
  await writeFile(transcript, ended(true));
  const follower = new TranscriptFollower(transcript, null);
  const session = { seenAt: new Date(0).toISOString() };
  const areMissing = async () => {
    await follower.look();
    return hooksAreMissing(session, follower, (await stat(transcript)).mtimeMs + 60_000);
  };
  expect(await areMissing()).toBe(false);
  expect(follower.owesAnswer).toBe(true);
  await appendFile(transcript, ended(false));
  expect(await areMissing()).toBe(true);
});

it("keeps the answer to a request for a handoff where the person says something while it is written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-follower-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const transcript = join(folder, "one.jsonl");
  const user = (content: string) => line({ type: "user", message: { role: "user", content } });
  const text = (words: string) =>
    line({ type: "assistant", message: { content: [{ type: "text", text: words }] } });
  const attachment = { type: "queued_command", prompt: "Hurry up.", origin: { kind: "human" } };
  const midTurn = line({ type: "attachment", attachment });
  const follower = new TranscriptFollower(transcript, null);
  await writeFile(transcript, user(requestLine()) + text("## Goal") + midTurn);
  await follower.look();
  expect(follower).toMatchObject({ answersRequest: true, owesAnswer: true });
  await appendFile(transcript, text("Build the shed."));
  await follower.look();
  expect(follower.answer.trim()).toBe("## Goal\nBuild the shed.");
  await appendFile(transcript, user("Hurry up."));
  await follower.look();
  expect(follower).toMatchObject({ answersRequest: false, answer: "" });
});
