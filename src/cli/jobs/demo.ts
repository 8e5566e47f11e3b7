import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { trialJob } from "../../app/jobs/trial.ts";
import { printWords } from "../../display/print.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { agentEnvironment } from "../../simulator/environment.ts";
import { DEMO_REQUEST, demo as demoScenario } from "../../simulator/scenarios/demo.ts";
import { startSimulator } from "../../simulator/server.ts";
import { exitCodeOf } from "../exit.ts";
import { drive } from "./drive.ts";

export interface DemoOptions {
  json?: boolean;
}

const run = promisify(execFile);

/** The real agent on a scripted model, in a folder of its own that stays for a look afterwards. */
export async function demo({ json = false }: DemoOptions): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), "baton-demo-"));
  const folder = join(root, "units");
  await newRepository(folder);
  const paint = paintFor(process.stdout, process.env);
  if (!json) printWords(greeting(folder, paint));

  await using simulator = await startSimulator(demoScenario(), { keep: 1 });
  await using job = await trialJob({
    root: folder,
    home: root,
    agent: {
      name: "demo",
      settings: {
        model: "claude-sonnet-4-5",
        permission_mode: "bypassPermissions",
        handoff: { threshold: { kind: "used", percent: 70 } },
      },
    },
    prompt: DEMO_REQUEST,
    env: agentEnvironment(simulator, join(root, "claude")),
  });
  const ended = await drive(job, { json });
  if (!json) printWords(await farewell(folder, paint));
  return exitCodeOf(ended);
}

export async function newRepository(folder: string): Promise<void> {
  await mkdir(folder);
  const git = (...args: string[]) => run("git", args, { cwd: folder });
  await git("init", "-q", "-b", "main");
  await git("config", "user.name", "Baton demo");
  await git("config", "user.email", "demo@example.invalid");
  await writeFile(join(folder, "package.json"), '{ "name": "units", "private": true, "type": "module" }\n');
  await git("add", "-A");
  await git("commit", "-qm", "Begin");
}

function greeting(folder: string, paint: Paint): string {
  return [
    `${paint("bold", "Baton demo")}: the real Claude Code edits files and runs their tests in`,
    `${folder}.`,
    paint("yellow", "The model is scripted and counts its tokens generously, so a window fills in seconds."),
    "It uses no account, and nothing leaves this machine.",
    "",
  ].join("\n");
}

/** What can be checked by hand: the commits, and the tests run once more by Baton. */
async function farewell(folder: string, paint: Paint): Promise<string> {
  // `npm start` in a checkout: there is no `baton` on the path yet.
  const isCheckout = process.env.npm_lifecycle_event === "start";
  const { stdout: log } = await run("git", ["log", "--oneline", "--reverse"], { cwd: folder });
  const tests = await run(process.execPath, ["--test"], { cwd: folder }).then(
    ({ stdout }) => /^# pass \d+|^ℹ pass \d+/m.exec(stdout)?.[0].replace(/^\S+ /, "") ?? "passed",
    () => "failed",
  );
  return [
    "",
    `${paint("dim", "git log")} in ${folder}`,
    log.trimEnd().replace(/^/gm, "  "),
    `${paint("dim", "node --test")}  ${tests}`,
    "",
    paint("bold", "Your first real job, in a repository of yours:"),
    ...(isCheckout ? ["  npm link      (here) puts baton on your path"] : []),
    "  baton doctor  says what is missing, if anything is",
    "  baton init    writes a baton.yaml, and says how to start a job",
    "",
    "The same in a fleet of six agents, in the dashboard:",
    `  baton demo --fleet${isCheckout ? "    (before npm link: npm start -- --fleet)" : ""}`,
  ].join("\n");
}
