import { appendFile, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { Registry } from "../record/registry.ts";
import { newSession, type OwnSession } from "../record/session.ts";
import { checkTimes } from "./check-times.ts";
import { figureOf } from "./figure.ts";
import { Watch, type WatchOptions } from "./watch.ts";
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

function answer(tokens: number, text = "Yes."): string {
  const usage = { input_tokens: 10, cache_read_input_tokens: tokens - 20, output_tokens: 10 };
  const message = {
    id: `msg_${++answers}`,
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text }],
    usage,
  };
  return line({ type: "assistant", message });
}

async function aWatch(more: Partial<OwnSession> = {}, options: Partial<WatchOptions> = {}) {
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
    writeFromFacts: async () => undefined,
    store: async () => ({ isStored: false }),
    say: (_session, what) => heard.push(what),
    checks: await checkTimes(join(folder, "checks.json")),
    ...options,
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
  expect(heard).toEqual(["its hooks are missing, so it is followed from here", "its window is past 50%"]);
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

it("records that a session's process is gone, and forgets about it", async () => {
  const process = { pid: 2 ** 22 + 1, startTime: "1" };
  const { watch, registry, heard } = await aWatch({ process });
  await watch.look();
  await watch.look();
  expect((await registry.find("one"))?.ended).toMatchObject({ reason: "its process is gone" });
  expect(heard).toEqual(["its process is gone"]);
});

it("continues a handoff that was left alone", async () => {
  const handoff = aHandoff("stored", { at: anHourAgo().toISOString() });
  const { watch, cycled } = await aWatch({ handoff });
  await watch.look();
  await watch.look();
  expect(cycled).toEqual(["one"]);
});

it("watches the others where one cannot be looked at", async () => {
  const { watch, registry, cycled, heard, folder } = await aWatch({ transcript: tmpdir() });
  const handoff = aHandoff("stored", { at: anHourAgo().toISOString() });
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

describe("a session that was asked for a handoff", () => {
  const summary = "## Goal\nA shed.\n## Progress\n- It stands.\n## Next steps\n- Paint it.";
  const mended = `${summary}\n## Current state\nGreen.`;
  const asked = aHandoff("asked", { at: anHourAgo().toISOString() });
  /** What a hook answers at a stop. */
  const feedback = line({ type: "user", isMeta: true, message: { role: "user", content: "Hand off." } });
  const request = said("<handoff-request> Answer in Markdown. </handoff-request>");

  /** All that it says was said a minute ago. */
  async function aSilentSession(store: WatchOptions["store"] = async () => ({ isStored: false })) {
    const stored: string[] = [];
    const now = { ms: Date.now() };
    const watched = await aWatch(
      { seenAt: new Date(now.ms + 60 * 60_000).toISOString() },
      {
        now: () => now.ms,
        store: (session, text) => {
          stored.push(text.trim());
          return store(session, text);
        },
      },
    );
    const { watch, registry, transcript } = watched;
    const look = async () => {
      await watch.look();
      await watch.settled();
    };
    const says = async (text: string) => {
      await appendFile(transcript, text);
      const aMinuteAgo = new Date(now.ms - 60_000);
      await utimes(transcript, aMinuteAgo, aMinuteAgo);
    };
    const isAsked = (handoff = asked) =>
      registry.update("one", (session) => session && { ...session, handoff });
    return { ...watched, stored, now, look, says, isAsked };
  }

  it("has what it said before taken for no answer", async () => {
    const { look, says, isAsked, stored } = await aSilentSession();
    await look();
    await says(answer(185_000, summary));
    await isAsked();
    await look();
    await says(feedback + answer(186_000, "I call the tool."));
    await look();
    expect(stored).toEqual([]);
    await says(answer(187_000, mended));
    await look();
    expect(stored).toEqual([expect.stringContaining("Green.")]);
    expect(stored[0]?.match(/## Goal/g)).toHaveLength(1);
  });

  it("has an answer stored that came between two looks, also where the watch was started since", async () => {
    const { look, says, isAsked, stored, registry, transcript } = await aSilentSession();
    await says(answer(185_000, summary) + request + answer(186_000, mended));
    const { figure, reading } = figureOf({ transcript, reading: null });
    await registry.update("one", (session) => session && { ...session, figure, reading });
    await isAsked();
    await look();
    expect(stored).toEqual([mended]);
  });

  it("has nothing stored while a tool runs, or while it may go on", async () => {
    const { look, says, isAsked, stored, now, transcript } = await aSilentSession();
    await isAsked();
    const use = { type: "tool_use", id: "toolu", name: "Bash", input: {} };
    const calls = line({ type: "assistant", message: { role: "assistant", content: [use] } });
    await says(request + answer(186_000, mended) + calls);
    await look();
    const result = { type: "tool_result", tool_use_id: "toolu", content: "Done." };
    const returns = line({ type: "user", message: { role: "user", content: [result] } });
    await says(returns + answer(187_000, "That is all."));
    await utimes(transcript, new Date(now.ms), new Date(now.ms));
    await look();
    expect(stored).toEqual([]);
    now.ms += 60_000;
    await look();
    expect(stored).toHaveLength(1);
  });

  it("says once what cannot be stored, and tries again only where something has changed", async () => {
    const failing = async () => {
      throw new Error("the disk is full");
    };
    const { look, says, isAsked, stored, heard, now, folder } = await aSilentSession(failing);
    await isAsked();
    await says(request + answer(186_000, summary));
    await look();
    await look();
    expect(stored).toHaveLength(1);
    now.ms += 20 * 60_000;
    await look();
    expect(stored).toHaveLength(2);
    await writeFile(join(folder, "baton.yaml"), "agents: [{ name: coder }]\n");
    await look();
    await look();
    expect(stored).toHaveLength(3);
    await says(request + answer(187_000, mended));
    await look();
    expect(stored).toHaveLength(4);
    expect(heard).toEqual(["its handoff could not be stored: the disk is full"]);
  });

  it("has an answer that falls short stored after a while, where it cannot be told so", async () => {
    let tries = 0;
    const { look, says, isAsked, stored, now } = await aSilentSession(async () => {
      if (++tries > 1) return { isStored: true };
      await isAsked({ ...asked, at: new Date().toISOString(), again: ["Next steps"] });
      return { isStored: false, missing: "Name the next steps." };
    });
    await isAsked();
    await look();
    await says(answer(186_000, summary));
    await look();
    await look();
    expect(stored).toEqual([summary]);
    now.ms += 20 * 60_000;
    await look();
    expect(stored).toEqual([summary, summary]);
  });
});
