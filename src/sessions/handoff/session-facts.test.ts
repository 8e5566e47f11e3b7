import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { noFacts } from "../../handoff/facts.ts";
import { readSession } from "./session-facts.ts";

const checkMessage = "Check on your workers.\n  Do not merge.";
const typed = "Check on your workers. Do not merge.";

async function sessionOf(...texts: string[]) {
  const cwd = await mkdtemp(join(tmpdir(), "baton-facts-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const transcript = join(cwd, "one.jsonl");
  const lines = texts.map((content) => JSON.stringify({ type: "user", message: { role: "user", content } }));
  await writeFile(transcript, `${lines.join("\n")}\n`);
  return { cwd, transcript };
}

it("takes the messages of the watch for nobody's words", async () => {
  const session = await sessionOf(typed, "Build the shed.", typed, "Paint it green.", typed);
  const { facts } = await readSession(session, { checkMessage });
  expect(facts).toMatchObject({
    request: "Build the shed.",
    messages: ["Paint it green."],
    constraints: [],
  });
});

it("takes them out of what earlier sessions knew", async () => {
  const session = await sessionOf("Paint it green.");
  const earlier = { ...noFacts(typed), messages: ["Build the shed.", typed, typed] };
  const { facts } = await readSession(session, { earlier, checkMessage });
  expect(facts).toMatchObject({ request: "Build the shed.", messages: ["Paint it green."] });
});

it("keeps what a person says about them", async () => {
  const session = await sessionOf("Build the shed.", `${typed} And paint it.`);
  const { facts } = await readSession(session, { checkMessage });
  expect(facts.messages).toEqual([`${typed} And paint it.`]);
});
