import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { openProjectStore } from "../../app/project.ts";
import { resolveAgent, resolveMaintenance } from "../../config/layers/resolve.ts";
import { printEnd } from "../../display/job-end.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { git } from "../../git/git.ts";
import { newJob } from "../../jobs/new-job.ts";
import { run } from "../../processes/run.ts";
import { agentEnvironment } from "../../simulator/environment.ts";
import { DEMO_REQUEST, demo as demoScenario } from "../../simulator/scenarios/demo.ts";
import { startSimulator } from "../../simulator/server.ts";
import { exitCodeOf } from "../exit.ts";
import { drive } from "./drive.ts";

export interface DemoOptions {
  json?: boolean;
}

/** The real agent on a scripted model, in a folder of its own that stays for a look afterwards. */
export async function demo({ json = false }: DemoOptions): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), "baton-demo-"));
  const folder = join(root, "units");
  await newRepository(folder);
  const paint = paintFor(process.stdout, process.env);
  if (!json) console.log(greeting(folder, paint));

  await using simulator = await startSimulator(demoScenario(), { keep: 1 });
  const agent = resolveAgent(
    "demo",
    {
      model: "claude-sonnet-4-5",
      permission_mode: "bypassPermissions",
      handoff: { threshold: { kind: "used", percent: 70 } },
    },
    { root: folder, home: root },
  );
  await using store = await openProjectStore({ root: folder });
  const id = await newJob(store, {}, agent, DEMO_REQUEST);
  const env = { ...ownEnvironment(), ...agentEnvironment(simulator, join(root, "claude")) };
  const job = await drive({ store, config: agent, maintenance: resolveMaintenance(), job: id, json, env });
  if (!json) {
    printEnd(job);
    console.log(await farewell(folder, paint));
  }
  return exitCodeOf(job.status);
}

async function newRepository(folder: string): Promise<void> {
  await mkdir(folder);
  await git(folder, ["init", "-q", "-b", "main"]);
  await git(folder, ["config", "user.name", "Baton demo"]);
  await git(folder, ["config", "user.email", "demo@example.invalid"]);
  await writeFile(join(folder, "package.json"), '{ "name": "units", "private": true, "type": "module" }\n');
  await git(folder, ["add", "-A"]);
  await git(folder, ["commit", "-qm", "Begin"]);
}

function greeting(folder: string, paint: Paint): string {
  return [
    `${paint("bold", "Baton demo")}: the real Claude Code, really editing files and running their tests in`,
    `${folder}.`,
    paint(
      "yellow",
      "The model is scripted and counts its tokens generously, so that a window fills in seconds.",
    ),
    "No account is used and nothing leaves this machine.",
    "",
  ].join("\n");
}

/** What can be checked by hand: the commits, and the tests run once more by Baton. */
async function farewell(folder: string, paint: Paint): Promise<string> {
  const log = await git(folder, ["log", "--oneline", "--reverse"]);
  const { ok, stdout } = await run(process.execPath, ["--test"], { cwd: folder });
  const passed = /^# pass \d+|^ℹ pass \d+/m.exec(stdout)?.[0].replace(/^\S+ /, "") ?? "passed";
  return [
    "",
    `${paint("dim", "git log")} in ${folder}`,
    log.replace(/^/gm, "  "),
    `${paint("dim", "node --test")}  ${ok ? passed : "failed"}`,
    "",
    paint("bold", "Your first real job, in a repository of yours:"),
    "  baton doctor                       says what is missing, if anything is",
    '  baton run "what to do"             runs Claude Code on it for as many windows as it takes',
  ].join("\n");
}
