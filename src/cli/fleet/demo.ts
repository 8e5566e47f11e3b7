import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { signInLink } from "../../app/access/sign-in.ts";
import { enqueue } from "../../app/fleet/enqueue.ts";
import { runFleet } from "../../app/fleet/fleet.ts";
import type { FleetNews } from "../../app/fleet/news.ts";
import { configOf, type Project } from "../../app/project.ts";
import { agreeToOwn } from "../../app/trust/review.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { agentEnvironment } from "../../simulator/environment.ts";
import { DEMO_REQUEST } from "../../simulator/scenarios/demo.ts";
import { fleet as fleetScenario } from "../../simulator/scenarios/fleet.ts";
import { startSimulator } from "../../simulator/server.ts";
import { EXIT } from "../exit.ts";
import { newRepository } from "../jobs/demo.ts";
import { openerOn, opens } from "../records/open.ts";
import { WebBeside } from "../web/beside.ts";
import { HANG, newsLine } from "./start.ts";

const PROMPTS: Readonly<Record<string, string>> = {
  coder: DEMO_REQUEST,
  reviewer: "Review the last commit.",
  writer: "Write the release notes.",
  triager: "Triage the new issues, up to a usage limit.",
  deployer: "Deploy to staging.",
};

/** The sixth has a schedule, which fires at once. */
const CONFIGURATION = `fleet: { max_concurrent: 3 }
defaults:
  model: claude-sonnet-4-5
  permission_mode: bypassPermissions
agents:
  - name: coder
    working_directory: coder
    session: { context_threshold: 0.3 }
  - { name: reviewer, working_directory: reviewer }
  - { name: writer, working_directory: writer }
  - { name: triager, working_directory: triager }
  - name: deployer
    working_directory: deployer
    hooks:
      before_run: [{ type: shell, command: "echo The staging server is down. >&2; exit 1", continue_on_error: false }]
  - name: gardener
    working_directory: gardener
    schedules:
      weekly: { interval: 7d, prompt: Tidy up the branches. }
`;

const SCRIPTED =
  "It is the real Claude Code, on a scripted model. No account is used and nothing leaves this machine.";

const JOBS = Object.keys(PROMPTS).length + 1;

/** Six agents with a schedule, a limit and a failure, through three slots, on a scripted model. The first does what the demo does. */
export async function demoFleet({ json = false }: { json?: boolean }): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), "baton-demo-"));
  const folder = join(root, "fleet");
  await mkdir(folder);
  await promisify(execFile)("git", ["init", "-q", "-b", "main", folder]);
  for (const agent of ["reviewer", "writer", "triager", "deployer", "gardener"])
    await mkdir(join(folder, agent));
  await newRepository(join(folder, "coder"));
  const configPath = join(folder, "baton.yaml");
  await writeFile(configPath, CONFIGURATION);
  // What it makes is not among what is the user's.
  process.env.XDG_STATE_HOME = join(root, "state");
  await agreeToOwn(configPath);
  const project = { root: folder, configPath };
  const paint = paintFor(process.stdout, process.env);
  if (!json) printWords(greeting(folder, paint));
  const config = await configOf(project);
  for (const [agent, prompt] of Object.entries(PROMPTS)) {
    await enqueue(project, { config, agent, prompt, origin: {} });
  }
  await using simulator = await startSimulator(fleetScenario(), { keep: 1 });
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  // Whoever looks at it in a browser ends it when they have seen enough.
  const stays = !json && process.stdin.isTTY === true && process.stdout.isTTY === true;
  await using web = new WebBeside([project], { web: true, port: 0 }, (news) => {
    if (!json && "url" in news) tellLink(project, stays).catch(() => {});
  });
  let over = 0;
  const tell = (news: FleetNews) => {
    if (json) printJson({ what: news.what, ...("job" in news && { job: news.job }) });
    else print(folded(newsLine(news, paint), screenWidth(process.stdout), HANG));
    if (news.what !== "ended" || ++over < JOBS) return;
    if (stays) printWords(`${farewell(folder, root)}\n\nThe dashboard stays open until Ctrl-C.`);
    else ending.abort();
  };
  const { env } = process;
  const own = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  await runFleet({
    projects: [project],
    env: { ...Object.fromEntries(own), ...agentEnvironment(simulator, join(root, "claude"), "plan") },
    reach: { bell: () => {}, desktop: async () => {} },
    signal: ending.signal,
    begun: () => web.begin(),
    tell,
  });
  if (!json && !stays) printWords(farewell(folder, root));
  return over === JOBS ? EXIT.completed : EXIT.cancelled;
}

/** To nobody but a person: what an agent started cannot sign in. `isThere`: somebody is at the terminal. */
async function tellLink(project: Project, isThere: boolean): Promise<void> {
  const program = isThere ? openerOn(process.platform, process.env) : undefined;
  const { link, url } = await signInLink(project, { isOpened: program !== undefined });
  if (program !== undefined && (await opens(program, link))) print(`The dashboard opens: ${url}\n`);
  else print(`See it in a browser, with a link that works once, for two minutes:\n${link}\n`);
}

function greeting(folder: string, paint: Paint): string {
  return [
    `${paint("bold", "Baton demo")}: six agents, three slots, a schedule, a usage limit and a failure, in`,
    `${folder}.`,
    folded(paint("yellow", SCRIPTED), screenWidth(process.stdout)),
    "",
  ].join("\n");
}

function farewell(folder: string, root: string): string {
  return [
    "",
    "All jobs are over. To see how they went:",
    `  export XDG_STATE_HOME=${join(root, "state")}`,
    `  cd ${folder}`,
    "  baton jobs",
    "  baton feed --problems",
    "  baton plan",
    "In a project of yours:",
    '  baton run "what to do" --queue',
    "  baton start",
  ].join("\n");
}
