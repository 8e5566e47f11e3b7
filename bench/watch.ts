import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Registry } from "../src/sessions/record/registry.ts";
import { newSession } from "../src/sessions/record/session.ts";
import type { Measure } from "./measure.ts";
import type { WatchUse } from "./watch-process.ts";

const SESSIONS = 40;
const ALL_BYTES = 200_000_000;
const OUTPUT_CHARACTERS = 6_000;
/** Looks without news between two turns: a turn takes longer than the time between two looks. */
const IDLE_LOOKS = 3;
const LOOKS_A_DAY = (24 * 60 * 60) / 5;

/** A day's work of many sessions, written turn by turn beside the watch that follows them. */
export async function measureWatch(): Promise<Measure[]> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-"));
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, (_, index) => aSession(folder, `session-${index}`)),
  );
  const watch = fork(fileURLToPath(new URL("./watch-process.ts", import.meta.url)), [folder]);
  try {
    const start = await looked(watch, 1);
    let bytes = 0;
    let turns = 0;
    let use = start;
    let idleMs = 0;
    while (bytes < ALL_BYTES) {
      const entry = turnOf(++turns);
      for (const session of sessions) await session.write(entry);
      bytes += entry.length * SESSIONS;
      const busy = await looked(watch, 1);
      use = await looked(watch, IDLE_LOOKS);
      idleMs += use.cpuMs - busy.cpuMs;
    }
    const looks = turns * (1 + IDLE_LOOKS);
    const perIdleLook = idleMs / (turns * IDLE_LOOKS);
    const dayMs = use.cpuMs - start.cpuMs + perIdleLook * Math.max(0, LOOKS_A_DAY - looks);
    if (use.said > 0) throw new Error(`the watch spoke ${use.said} times though all was well`);
    const detail = { sessions: SESSIONS, megabytes: bytes / 1e6, turnsOfEach: turns, looks };
    return [
      {
        name: "watch-cpu",
        value: dayMs / SESSIONS,
        unit: "ms",
        detail: {
          compared: "processor time for one session in a day of looks every 5 s",
          ...detail,
          newBytesMs: (use.cpuMs - start.cpuMs - idleMs) / SESSIONS,
          idleLookMs: perIdleLook,
          percentOfOneCore: (dayMs / (24 * 60 * 60 * 1_000)) * 100,
        },
      },
      {
        name: "watch-memory",
        value: use.megabytes / SESSIONS,
        unit: "MB",
        detail: {
          compared: "resident memory for one session",
          all: use.megabytes,
          atStart: start.megabytes,
          ...detail,
        },
      },
      {
        name: "watch-bytes",
        value: use.bytesRead / bytes,
        unit: "ratio",
        limit: 1,
        detail: {
          compared: "bytes read of transcripts / bytes written to them",
          bytesRead: use.bytesRead,
          systemReadMB: (use.systemRead - start.systemRead) / 1e6,
          ...detail,
        },
      },
    ];
  } finally {
    watch.kill();
    await Promise.all(sessions.map((session) => session.close()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function looked(watch: ChildProcess, looks: number): Promise<WatchUse> {
  const answer = once(watch, "message");
  watch.send(looks);
  const [use] = await answer;
  return use;
}

/** On record as its hooks would have it, with its transcript open to be written. */
async function aSession(folder: string, id: string): Promise<FileHandle> {
  const transcript = join(folder, `${id}.jsonl`);
  const file = await open(transcript, "a");
  const stat = await readFile("/proc/self/stat", "utf8").catch(() => "");
  const startTime = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  const now = new Date().toISOString();
  await new Registry(join(folder, "sessions")).update(id, () =>
    newSession({
      id,
      cwd: folder,
      project: folder,
      transcript,
      process: { pid: process.pid, startTime },
      startedAt: now,
      // Its hooks run: they are not what is measured.
      seenAt: "2999-01-01T00:00:00.000Z",
    }),
  );
  return file;
}

/** A request for a tool, and what the tool printed. The window fills and empties, as over a day of handoffs. */
function turnOf(turn: number): string {
  const tokens = 20_000 + (turn % 100) * 1_000;
  const id = `toolu_${turn}`;
  const usage = { input_tokens: 10, cache_read_input_tokens: tokens, output_tokens: 200 };
  const use = { type: "tool_use", id, name: "Bash", input: { command: `echo ${turn}` } };
  const result = { type: "tool_result", tool_use_id: id, content: "x".repeat(OUTPUT_CHARACTERS) };
  return [
    { type: "assistant", message: { id: `msg_${turn}`, model: "claude-sonnet-4-5", content: [use], usage } },
    { type: "user", message: { role: "user", content: [result] } },
  ]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join("");
}
