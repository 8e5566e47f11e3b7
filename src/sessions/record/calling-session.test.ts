import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startTimeOf } from "../../processes/owner.ts";
import { ourSession } from "./calling-session.ts";
import { Registry } from "./registry.ts";
import { newSession, type OwnSession } from "./session.ts";

const session: OwnSession = newSession({
  id: "",
  cwd: "/p",
  project: "/p",
  startedAt: "2026-01-01T10:00:00.000Z",
});
const program = { pid: process.ppid, startTime: startTimeOf(process.ppid) ?? "" };
const ended = { at: "2026-01-01T11:00:00.000Z", reason: "clear" };

async function found(sessions: Partial<OwnSession>[], env: Record<string, string>) {
  const home = await mkdtemp(join(tmpdir(), "baton-ours-"));
  onTestFinished(() => rm(home, { recursive: true }));
  const registry = new Registry(join(home, "sessions"));
  for (const changes of sessions) await registry.update(changes.id ?? "", () => ({ ...session, ...changes }));
  await mkdir(join(home, "projects", "-p"), { recursive: true });
  await writeFile(join(home, "projects", "-p", "hookless.jsonl"), "");
  const where = { registry, pid: process.pid, cwd: "/p", project: "/p" };
  return ourSession({ ...where, env: { CLAUDE_CONFIG_DIR: home, ...env } });
}

it("is the one that runs in the program now, not the one that the program was started with", async () => {
  const before = { id: "before", process: program, ended };
  const after = { id: "after", process: program, startedAt: "2026-01-01T11:00:01.000Z" };
  expect(await found([before, after], { CLAUDE_CODE_SESSION_ID: "before" })).toMatchObject({ id: "after" });
});

it("is the one that the program names, where nobody knows its process", async () => {
  const others = [{ id: "a" }, { id: "b", startedAt: "2026-01-02T10:00:00.000Z" }];
  expect(await found(others, { CLAUDE_CODE_SESSION_ID: "a" })).toMatchObject({ id: "a" });
});

it("is known by its transcript where its hooks are missing", async () => {
  const env = { CLAUDE_CODE_SESSION_ID: "hookless", TMUX: "/tmp/t,1,0", TMUX_PANE: "%3" };
  expect(await found([{ id: "other" }], env)).toMatchObject({
    id: "hookless",
    kind: "cli",
    pane: { socket: "/tmp/t", id: "%3" },
    transcript: expect.stringContaining("hookless.jsonl"),
  });
});

it("is the newest of the folder where nothing else tells, and nobody where it has ended", async () => {
  const newer = { id: "b", startedAt: "2026-01-02T10:00:00.000Z" };
  expect(await found([{ id: "a" }, newer, { id: "c", cwd: "/q" }], {})).toMatchObject({ id: "b" });
  expect(await found([{ id: "a", ended }, newer], { CLAUDE_CODE_SESSION_ID: "a" })).toBeUndefined();
});

it("is nobody where another client runs in the folder of a session whose program is known", async () => {
  const theirs = { id: "theirs", process: { pid: process.pid, startTime: startTimeOf(process.pid) ?? "" } };
  expect(await found([theirs], {})).toBeUndefined();
  expect(await found([theirs, { id: "hookless-one" }], {})).toMatchObject({ id: "hookless-one" });
});

it("is not one whose program had the number of ours before", async () => {
  expect(await found([{ id: "long-gone", process: { ...program, startTime: "1" } }], {})).toBeUndefined();
});
