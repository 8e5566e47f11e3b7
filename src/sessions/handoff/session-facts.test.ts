import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { noFacts } from "../../handoff/facts.ts";
import { redactor } from "../../secrets/redact.ts";
import { readSession } from "./session-facts.ts";

const checkMessage = "Check on your workers.\n  Do not merge.";
const typed = "Check on your workers. Do not merge.";

async function sessionOf(...texts: unknown[]) {
  const cwd = await mkdtemp(join(tmpdir(), "baton-facts-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const transcript = join(cwd, "one.jsonl");
  const lines = texts.map((said) =>
    JSON.stringify(
      typeof said === "string" ? { type: "user", message: { role: "user", content: said } } : said,
    ),
  );
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

it("takes no password for a name", async () => {
  const call = { type: "tool_use", id: "1", name: "Bash", input: { command: "cat .env" } };
  const result = {
    type: "tool_result",
    tool_use_id: "1",
    content: "DB_PASSWORD=correctHorse\nDB_POOL=poolName2",
  };
  const session = await sessionOf(
    { type: "assistant", message: { role: "assistant", content: [call] } },
    { type: "user", message: { role: "user", content: [result] } },
  );
  const { facts } = await readSession(session, { redact: redactor({}) });
  const names = facts.working?.names.map(({ name }) => name);
  expect(names).toContain("poolName2");
  expect(JSON.stringify(facts)).not.toContain("correctHorse");
});
