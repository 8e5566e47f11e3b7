import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { newJobId } from "../src/jobs/new-id.ts";
import { createJob } from "../src/store/jobs.ts";
import { openStore } from "../src/store/store.ts";
import { MINUTE_MS } from "../src/util/time.ts";
import { Baton, baton, bundle, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";

const scenario = { name: "silent", summary: "is never asked" };
const JOB = "job-2026-01-01-ab3k7x";

async function projectWithJob(prompt = "Make the tests pass"): Promise<TestProject> {
  const project = await testProject({ scenario });
  await using store = await openStore(join(project.folder, ".baton", "baton.db"));
  const created = { type: "job:created" as const, agent: "coder", prompt, agentConfig: {} };
  await createJob(store, JOB, created, new Date(Date.now() - 2.5 * 60 * MINUTE_MS));
  return project;
}

/** By a process of its own, as a shell starts it. */
async function linesFor(project: TestProject, ...words: string[]): Promise<string[]> {
  const asked = new Baton(project, ["internal", "complete", "--", ...words]);
  const { code } = await asked.exit;
  expect({ code, stderr: asked.stderr }).toEqual({ code: 0, stderr: "" });
  return asked.stdout.trimEnd().split("\n");
}

/** Every file below a folder with what is in it and when it was changed. */
function stateOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  return Object.fromEntries(
    names.map((path) => {
      const { mtimeMs } = statSync(path);
      const hash = statSync(path).isFile() ? createHash("sha1").update(readFileSync(path)).digest("hex") : "";
      return [path, `${mtimeMs} ${hash}`];
    }),
  );
}

it("knows jobs and agents, and leaves no trace", async () => {
  const project = await projectWithJob();
  const home = dirname(project.folder);
  const before = stateOf(home);
  expect(await linesFor(project, "show", "ab")).toEqual([
    ":",
    "ab3k7x\tcreated, 2 h ago: Make the tests pass",
  ]);
  expect(await linesFor(project, "show", "job-")).toEqual([":", expect.stringContaining(`${JOB}\t`)]);
  expect(await linesFor(project, "resume", "")).toEqual([":"]);
  expect(await linesFor(project, "run", "")).toEqual([":", "coder\tagent"]);
  expect(stateOf(home)).toEqual(before);
});

it("sees what a process that runs a job has written a moment ago, and leaves that alone, too", async () => {
  const project = await projectWithJob();
  await using store = await openStore(join(project.folder, ".baton", "baton.db"));
  const created = { type: "job:created" as const, agent: "coder", prompt: "Another", agentConfig: {} };
  const id = newJobId();
  await createJob(store, id, created, new Date(Date.now() + 1_000));
  const before = stateOf(join(project.folder, ".baton"));
  expect(Object.keys(before).some((path) => path.endsWith("-wal"))).toBe(true);
  const [, newest] = await linesFor(project, "show", "");
  expect(newest).toContain("Another");
  expect(stateOf(join(project.folder, ".baton"))).toEqual(before);
});

it("offers nothing from a store that came from elsewhere, and opens none", async () => {
  const project = await projectWithJob();
  const copy = { ...project, folder: join(dirname(project.folder), "copy") };
  cpSync(project.folder, copy.folder, { recursive: true });
  const before = stateOf(copy.folder);
  expect(await linesFor(copy, "show", "")).toEqual([":"]);
  expect(stateOf(copy.folder)).toEqual(before);
});

it("offers no word that a shell would act on, and no character that a terminal would", async () => {
  const project = await projectWithJob("Go\u001b]0;owned\u0007\n$(touch gone)\tnow");
  const names = ["$(touch gone)", "a;touch gone", "fine-one"].map(
    (name) => `  - name: ${JSON.stringify(name)}\n`,
  );
  writeFileSync(join(project.folder, "baton.yaml"), `agents:\n${names.join("")}`);
  const agents = await linesFor({ ...project, trusted: "no" }, "run", "");
  expect(agents.join("\n")).not.toContain("touch");
  const [, job = ""] = await linesFor({ ...project, trusted: "no" }, "show", "");
  expect(job).toMatch(/^ab3k7x\t[^\t\p{Cc}]+$/u);
});

it("has no answer where the configuration is broken, and says nothing", async () => {
  const project = await projectWithJob();
  writeFileSync(join(project.folder, "baton.yaml"), "agents: [");
  expect(await linesFor({ ...project, trusted: "no" }, "run", "")).toEqual([":"]);
});

it("says which job was meant", async () => {
  const project = await projectWithJob();
  for (const typed of ["a3b", "ab3kx7", "AB3", "job-2026-01-01-ab3k7y"]) {
    const { code, stderr } = await baton(project, ["show", typed]);
    expect(code).toBe(2);
    expect(stderr, typed).toContain(`did you mean "${JOB}"?`);
  }
  const { stderr } = await baton(project, ["show", "zzzzzz"]);
  expect(stderr).not.toContain("did you mean");
});

/** Baton on the path of a shell. */
async function shellProject(): Promise<TestProject> {
  const project = await projectWithJob();
  const bin = join(dirname(project.folder), "bin");
  mkdirSync(bin);
  const script = `#!/bin/sh\nexec '${process.execPath}' '${join(bundle, "bin", "baton.js")}' "$@"\n`;
  writeFileSync(join(bin, "baton"), script);
  chmodSync(join(bin, "baton"), 0o755);
  writeFileSync(join(project.folder, "notes.md"), "");
  return { ...project, env: { ...project.env, PATH: `${bin}:${project.env.PATH}` } };
}

function inShell({ folder, env }: TestProject, program: string, args: string[]): string[] {
  const { stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.trimEnd().split("\n");
}

it("completes in bash", async () => {
  const project = await shellProject();
  // As readline calls it.
  const line = (...words: string[]) =>
    `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; _baton; echo "\${COMPREPLY[*]}"`;
  const script = [
    'eval "$(baton completion bash)"',
    // Only readline has an answer to it.
    'compopt() { echo "by itself: $2"; }',
    line("baton", "resu"),
    line("baton", "show", ""),
    line("baton", "completion", "f"),
    line("baton", "run", "--prompt-file", "=", "no"),
    "complete -p baton",
  ];
  expect(inShell(project, "bash", ["--norc", "-c", script.join("\n")])).toEqual([
    "resume",
    "ab3k7x",
    "fish",
    "by itself: default",
    "",
    "complete -F _baton baton",
  ]);
});

it("completes in zsh", async () => {
  needs("zsh");
  const project = await shellProject();
  const line = (...words: string[]) =>
    `words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _baton`;
  const script = [
    // What zsh's own functions are given.
    'compdef() { print "compdef $*"; }',
    `_describe() { print -l "\${(@P)@[-1]}"; }`,
    '_files() { print "files $*"; }',
    'eval "$(baton completion zsh)"',
    line("baton", "resu"),
    line("baton", "show", ""),
    line("baton", "run", "--prompt-file", "no"),
    line("baton", "restore", "ab", "--to", ""),
  ];
  expect(inShell(project, "zsh", ["-f", "-c", script.join("\n")])).toEqual([
    "compdef _baton baton",
    expect.stringMatching(/^resume:continue a job/),
    "ab3k7x:created, 2 h ago: Make the tests pass",
    "files ",
    "files -/",
  ]);
});

it("completes in fish", async () => {
  needs("fish");
  const project = await shellProject();
  const asks = ["resu", "show ", "run --prompt-file no", "run --prompt-file=no"].map(
    (typed) => `complete -C 'baton ${typed}'`,
  );
  const script = ["baton completion fish | source", ...asks].join("; ");
  expect(inShell(project, "fish", ["--no-config", "-c", script])).toEqual([
    expect.stringMatching(/^resume\tcontinue a job/),
    "ab3k7x\tcreated, 2 h ago: Make the tests pass",
    expect.stringMatching(/^notes\.md/),
    expect.stringMatching(/^--prompt-file=notes\.md/),
  ]);
});
