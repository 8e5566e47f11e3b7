import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { finishedJob, runOne, shellHook } from "../../test/hooks.ts";
import { isRunning } from "../../test/processes.ts";
import { decisionIn } from "./decision.ts";

async function createFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "baton-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

it("gets the payload on standard input, in the workspace", async () => {
  const cwd = await createFolder();
  const payload = finishedJob({ prompt: `it's $(touch hacked) \`touch hacked\` "; touch hacked` });
  const run = await runOne(shellHook("pwd; cat > payload.json; ls"), { cwd, payload });
  expect(run).toMatchObject({ ok: true, exitCode: 0, output: `${cwd}\npayload.json\n` });
  expect(JSON.parse(await readFile(join(cwd, "payload.json"), "utf8"))).toEqual(payload);
});

it("says how a hook failed, with its last words and what to do", async () => {
  const cwd = await createFolder();
  await writeFile(join(cwd, "script.sh"), "#!/bin/sh\n", { mode: 0o644 });
  const failed = await runOne(shellHook("echo half; echo no space left >&2; exit 3"), { cwd });
  expect(failed).toMatchObject({
    ok: false,
    exitCode: 3,
    output: "half\n",
    error: "it ended with exit code 3: no space left",
  });
  expect((await runOne(shellHook("./script.sh"), { cwd })).error).toMatch(
    /^it ended with exit code 126: .*Permission denied \(the file is there but cannot be run: chmod \+x it\)$/,
  );
  expect((await runOne(shellHook("./missing.sh"), { cwd })).error).toMatch(
    /^it ended with exit code 127: .*not found \(there is no such command: paths are relative to the workspace\)$/,
  );
});

it("ends a hook that hangs, with everything that it has started", async () => {
  const run = await runOne(shellHook("trap '' TERM; sleep 1000 & echo $!; wait; wait", { timeoutMs: 300 }));
  expect(run).toMatchObject({ ok: false });
  expect(run.error).toMatch(
    /^it took longer than 300 ms, and was ended with all that it had started.* Give it a longer timeout/,
  );
  await expect.poll(() => isRunning(Number(run.output)), { timeout: 10_000 }).toBe(false);
});

it("does not wait for children that a hook leaves behind, and ends them", async () => {
  const run = await runOne(shellHook("sleep 1000 & echo $!"));
  expect(run).toMatchObject({ ok: true });
  await expect.poll(() => isRunning(Number(run.output)), { timeout: 10_000 }).toBe(false);
});

it("says that a hook was killed", async () => {
  expect(await runOne(shellHook("echo bye; kill -9 $$"))).toMatchObject({
    ok: false,
    exitCode: null,
    output: "bye\n",
    error: "it was killed by SIGKILL",
  });
});

it("keeps the ends of megabytes, so that a decision at the end counts", async () => {
  const run = await runOne(shellHook("printf a; yes 😀 | head -c 5000000; echo; echo continue"));
  expect(run.output.length).toBeLessThan(70_000);
  expect(run.output.isWellFormed()).toBe(true);
  expect(decisionIn(run.output)).toBe("continue");
  const loud = await runOne(shellHook("yes no | head -c 5000000 >&2; exit 1"));
  expect(loud.error?.length).toBeLessThan(600);
});

it("takes broken JSON for no decision, and bytes that are no text as they are", async () => {
  const run = await runOne(shellHook(`printf '{"decision": "continue"'; printf '\\377\\n'`));
  expect(run).toMatchObject({ ok: true });
  expect(decisionIn(run.output)).toBeUndefined();
});

it("need not read what it is given", async () => {
  const payload = finishedJob({}, "x".repeat(5_000_000));
  expect(await runOne(shellHook("true"), { payload })).toMatchObject({ ok: true });
});

it("gets what is on the list, and the rest only by name", async () => {
  const env = {
    API_TOKEN: "t",
    ANTHROPIC_API_KEY: "k",
    AWS_SECRET_ACCESS_KEY: "s",
    PGPASSWORD: "p",
    MYSQL_PWD: "p",
    DATABASE_URL: "postgres://me:hidden@db/x",
    GIT_AUTHOR_NAME: "Ann",
    SSH_AUTH_SOCK: "/tmp/agent",
    BATON_JOB_ID: "job-1",
    HOMEPAGE: "https://example.com/a:b",
  };
  const names = async (...named: string[]) => {
    const { output } = await runOne(shellHook("env", { env: named }), { env });
    const seen = output.split("\n").map((line) => line.split("=")[0] ?? "");
    return Object.keys(env).filter((name) => seen.includes(name));
  };
  const harmless = ["GIT_AUTHOR_NAME", "SSH_AUTH_SOCK", "BATON_JOB_ID"];
  expect(await names()).toEqual(harmless);
  expect(await names("API_TOKEN", "NOT_SET")).toEqual(["API_TOKEN", ...harmless]);
  expect(await names("HOMEPAGE")).toEqual([...harmless, "HOMEPAGE"]);
});
