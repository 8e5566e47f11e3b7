import { readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { widthOf } from "../src/display/width.ts";
import { bundle, git, shown } from "./harness.ts";
import { needs } from "./needs.ts";
import { eventually, type Screen, Tmux } from "./panes.ts";

const checkout = join(import.meta.dirname, "..");
const readme = readFileSync(join(checkout, "README.md"), "utf8");
const [, FIRST_JOB = "", WORDS = ""] =
  /^## Your first job\n[\s\S]*?^```sh\n([\s\S]*?)^```\n([\s\S]*?)^## /m.exec(readme) ?? [];
const COMMANDS = FIRST_JOB.trim().split("\n");
const NUMBERS = ["no", "one", "two", "three", "four", "five"];

it("gets a newcomer to a finished job by the README alone", { tags: ["claude"] }, async () => {
  await walk(100);
});

it.each([60, 200])("does so on %i columns", async (columns) => {
  await walk(columns, join(bundle, "scripted.js"));
});

/** Types the commands of the README into a shell, and Enter at every question, as someone who has just run `npm start`. */
async function walk(columns: number, program?: string): Promise<void> {
  needs("tmux");
  const { folder, env } = await newcomer(program);
  const tmux = await Tmux.start({ env });
  const screen = await tmux.open(checkout, "bash", "--norc", "--noprofile");
  await tmux.run("resize-window", "-t", screen.id, "-x", String(columns), "-y", "100");
  let asked = 0;
  for (const [index, command] of COMMANDS.entries()) {
    const { code, lines, questions } = await typed(screen, index + 1, command);
    asked += questions;
    const where = `${command}, on ${columns} columns:\n${lines.join("\n")}`;
    expect(code, where).toBe(command === "baton doctor" ? 1 : 0);
    expect(
      lines.filter((line) => line.startsWith("✗")),
      where,
    ).toEqual(command === "baton doctor" ? [expect.stringMatching(/^✗ credentials/)] : []);
    expect(
      lines.filter((line) => isTooWide(line, columns)),
      where,
    ).toEqual([]);
    expect(lines.join("\n")).not.toMatch(/denied,|trust|undefined|\[object/);
  }
  expect(WORDS).toContain(`asks ${NUMBERS[asked]} questions`);
  // Or it is another user's, whose jobs this process would not believe.
  vi.stubEnv("XDG_STATE_HOME", join(env.HOME, ".local", "state"));
  const job = await shown({ folder });
  expect(job).toMatchObject({ status: "completed", prompt: "Make the tests pass" });
  expect(job).not.toHaveProperty("denied");
  expect(await git(folder, "status", "--porcelain")).toBe("?? baton.yaml\n?? first-job.md");
  expect(await readFile(join(folder, "first-job.md"), "utf8")).toContain("`npm test` was run. They pass");
}

/** A path that has no room in a line is the terminal's to wrap. */
function isTooWide(line: string, columns: number): boolean {
  return widthOf(line) > columns && !line.split(" ").some((word) => widthOf(word) > columns - MARGIN);
}

const MARGIN = 20;

/** Their home, their project, and where `npm link` puts programs. Without `program`, it is the one of the checkout. */
async function newcomer(program?: string) {
  const home = await mkdtemp(join(tmpdir(), "baton-walk-"));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
  const folder = join(home, "my-project");
  const bin = join(home, "bin");
  await mkdir(folder);
  await mkdir(bin);
  await writeFile(join(folder, "package.json"), '{ "scripts": { "test": "echo all-green" } }\n');
  await git(folder, "init", "-q", "-b", "main");
  await git(folder, "add", "-A");
  await git(folder, "-c", "user.name=You", "-c", "user.email=you@example.invalid", "commit", "-qm", "Begin");
  if (program !== undefined) {
    await writeFile(join(bin, "baton"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
    await chmod(join(bin, "baton"), 0o755);
  }
  const env = {
    PATH: `${bin}:${join(home, "npm", "bin")}:${process.env.PATH}`,
    HOME: home,
    LANG: "C.UTF-8",
    // The number of the command that comes next, and how the last one ended.
    PS1: "\\#:$? ",
    npm_config_prefix: join(home, "npm"),
    npm_config_offline: "true",
  };
  return { folder, env };
}

/** What a command prints, with the lines that the terminal had to wrap as one. */
async function typed(screen: Screen, number: number, command: string) {
  const lines = async () =>
    (await screen.tmux.run("capture-pane", "-p", "-J", "-t", screen.id))
      .split("\n")
      .map((row) => row.trimEnd());
  await screen.shows(new RegExp(`^${number}:\\d+ *$`, "m"));
  const above = (await lines()).findLastIndex((line) => line.startsWith(`${number}:`));
  await screen.types(command);
  await screen.presses("Enter");
  const questions = new Set<number>();
  return await eventually(`the end of ${command}`, async () => {
    const rows = await lines();
    const last = rows.findLastIndex((line) => line !== "");
    const [, code] = new RegExp(`^${number + 1}:(\\d+)$`).exec(rows[last] ?? "") ?? [];
    if (code !== undefined) {
      return { code: Number(code), lines: rows.slice(above + 1, last), questions: questions.size };
    }
    if (/\[\w+\.?\]$|\[\.\]$/.test(rows[last] ?? "") && !questions.has(last)) {
      questions.add(last);
      await screen.presses("Enter");
    }
    return undefined;
  });
}
