import { appendFile, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { checkTimes } from "./check-times.ts";
import { figureOf } from "./figure.ts";
import { Registry } from "./registry.ts";
import { newSession, type OwnSession } from "./session.ts";
import { Watch } from "./watch.ts";
import type { WatchSettings } from "./watch-decision.ts";

const settings: WatchSettings = {
  enabled: true,
  threshold: { kind: "remaining", fraction: 0.1 },
  warnAt: [50, 60],
  stallMs: 15 * 60_000,
  orchestrator: { message: "Check.", threshold: { kind: "tokens", tokens: 100_000 } },
};

let answers = 0;

const said = (text: string) => line({ type: "user", message: { role: "user", content: text } });
const line = (entry: object) => `${JSON.stringify(entry)}\n`;

function answer(tokens: number): string {
  const usage = { input_tokens: 10, cache_read_input_tokens: tokens - 20, output_tokens: 10 };
  const message = {
    id: `msg_${++answers}`,
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "Yes." }],
    usage,
  };
  return line({ type: "assistant", message });
}

async function aWatch(more: Partial<OwnSession> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "baton-watch-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = new Registry(join(folder, "sessions"));
  const transcript = join(folder, "one.jsonl");
  await writeFile(transcript, said("Go.") + answer(20_000));
  const now = new Date().toISOString();
  const session: OwnSession = newSession({
    id: "one",
    cwd: folder,
    project: folder,
    transcript,
    startedAt: now,
    ...more,
  });
  await registry.update("one", () => session);
  const heard: string[] = [];
  const cycled: string[] = [];
  const watch = new Watch({
    registry,
    settingsOf: async () => settings,
    cycle: async ({ id }) => void cycled.push(id),
    store: async () => ({ isStored: false }),
    say: (_session, what) => heard.push(what),
    checks: await checkTimes(join(folder, "checks.json")),
  });
  return { watch, registry, transcript, heard, cycled, folder };
}

const anHourAgo = () => new Date(Date.now() - 60 * 60_000);

it("is silent and writes nothing while hooks run", async () => {
  const { watch, registry, transcript, heard } = await aWatch();
  const before = await stat(join(registry.folder, "one.json"));
  for (const tokens of [120_000, 150_000, 195_000]) {
    await appendFile(transcript, said("More.") + answer(tokens));
    await watch.look();
  }
  expect(heard).toEqual([]);
  expect((await stat(join(registry.folder, "one.json"))).mtimeMs).toBe(before.mtimeMs);
});

it("reads only what is new, also where hooks have read before", async () => {
  const { watch, registry, transcript } = await aWatch();
  const known = await registry.find("one");
  const { figure, reading } = await figureOf(known ?? { transcript, reading: null });
  await registry.update("one", (session) => session && { ...session, figure, reading });
  await watch.look();
  expect(watch.bytesRead).toBe(0);
  const added = said("More.") + answer(30_000);
  await appendFile(transcript, added);
  await watch.look();
  await watch.look();
  expect(watch.bytesRead).toBe(Buffer.byteLength(added));
});

it("keeps the figure of a session whose hooks are missing, and says so once", async () => {
  const { watch, registry, transcript, heard } = await aWatch({ seenAt: new Date(0).toISOString() });
  await writeFile(transcript, said("Go.") + answer(105_000) + said("More.") + answer(110_000));
  await utimes(transcript, anHourAgo(), anHourAgo());
  await watch.look();
  await watch.look();
  expect(heard).toEqual(["its hooks are missing, so it is followed from here", "its window is past 50 %"]);
  const session = await registry.find("one");
  expect(session).toMatchObject({ figure: { tokens: 110_000, source: "transcript" }, warned: [50] });
  expect(session?.reading?.offset).toBe((await stat(transcript)).size);
});

it("says what it only estimates", async () => {
  const { watch, registry, transcript } = await aWatch({ seenAt: new Date(0).toISOString() });
  const silent = {
    role: "assistant",
    id: "msg",
    model: "other",
    content: [{ type: "text", text: "x".repeat(40_000) }],
  };
  await writeFile(transcript, said("Go.") + line({ type: "assistant", message: silent }));
  await utimes(transcript, anHourAgo(), anHourAgo());
  await watch.look();
  expect((await registry.find("one"))?.figure).toMatchObject({ source: "estimate", window: 200_000 });
});

it("puts on record that a session's process is gone, and forgets about it", async () => {
  const process = { pid: 2 ** 22 + 1, startTime: "1" };
  const { watch, registry, heard } = await aWatch({ process });
  await watch.look();
  await watch.look();
  expect((await registry.find("one"))?.ended).toMatchObject({ reason: "its process is gone" });
  expect(heard).toEqual(["its process is gone"]);
});

it("goes on with a handoff that was left alone", async () => {
  const handoff = {
    state: "stored" as const,
    at: anHourAgo().toISOString(),
    number: 1,
    documentPath: "/d.md",
  };
  const { watch, cycled } = await aWatch({ handoff });
  await watch.look();
  await watch.look();
  expect(cycled).toEqual(["one"]);
});

it("looks after the others where one cannot be looked at", async () => {
  const { watch, registry, cycled, heard, folder } = await aWatch({ transcript: tmpdir() });
  const handoff = {
    state: "stored" as const,
    at: anHourAgo().toISOString(),
    number: 1,
    documentPath: "/d.md",
  };
  const one = await registry.find("one");
  await registry.update(
    "two",
    () => one && { ...one, id: "two", transcript: join(folder, "one.jsonl"), handoff },
  );
  await watch.look();
  await watch.look();
  expect(cycled).toEqual(["two"]);
  expect(heard).toEqual([expect.stringContaining("could not be looked at")]);
});
