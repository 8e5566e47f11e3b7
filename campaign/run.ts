import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { foldersLeft, scratchFolder } from "../src/files/scratch.ts";
import { claimsCampaign } from "./claims/campaign.ts";
import { tableOfClaims } from "./claims/judge.ts";
import { fleetCampaign } from "./fleet.ts";
import { type Campaign, runJob } from "./job.ts";
import type { JobReport } from "./judge.ts";
import { Durations, planOf, VICTIMS, type Victim } from "./plan.ts";
import { makeProject, removeProject } from "./project.ts";
import { describe, tableOf, tallyOf, verdictOf } from "./table.ts";

const HELP = `npm run campaign -- [options]

Kills Baton, its agents, their tools and its guard at random moments of real jobs, resumes the jobs, and
counts what came of it by the phase that was hit. Fails when anything was lost, when a step was repeated
that the journal knew to be done, when a process was left running, when a job did not complete, or when
a phase was never hit.

  --kills <n>       how many kills must strike (60)
  --seed <n>        what chooses them; the same seed plans the same kills (the time)
  --jobs <n>        how many jobs at a time (2)
  --real <share>    how many of the jobs run the real Claude Code, from 0 to 1 (0.1)
  --victims <list>  only these: ${VICTIMS.join(", ")}
  --only <n>        only the job with this number, as its plan has it
  --minutes <n>     gives up after that time (30)
  --fleet           hundreds of jobs through the slots of a fleet that is killed again and again
  --queued <n>      how many jobs of a fleet (500)
  --claims          issues of a tracker through two fleets, of three processes each, that are killed and stand still
  --items <n>       how many issues (100)
  --keep            keeps the folders of jobs in which something went wrong
  --help            shows this

Examples:
  npm run campaign -- --kills 200 --seed 1
  npm run campaign -- --kills 30 --real 0 --victims "baton,all at once"
  npm run campaign -- --seed 1 --only 17 --keep
  npm run campaign -- --fleet --queued 500 --kills 25 --seed 1
  npm run campaign -- --claims --items 100 --kills 50 --seed 1
`;

interface Options {
  kills: number;
  seed: number;
  jobs: number;
  realShare: number;
  victims: Victim[];
  only: number | undefined;
  minutes: number;
  keep: boolean;
  fleet: boolean;
  queued: number;
  claims: boolean;
  items: number;
}

class UsageError extends Error {}

function optionsFrom(args: string[]): Options | undefined {
  const text = { type: "string" } as const;
  const flag = { type: "boolean", default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      kills: text,
      seed: text,
      jobs: text,
      real: text,
      victims: text,
      only: text,
      minutes: text,
      keep: flag,
      fleet: flag,
      queued: text,
      claims: flag,
      items: text,
      help: flag,
    },
  });
  if (values.help) return undefined;
  const victims = values.victims?.split(",").map((word) => word.trim()) ?? [...VICTIMS];
  const isVictim = (word: string): word is Victim => VICTIMS.some((victim) => victim === word);
  if (!victims.every(isVictim)) throw new UsageError(`--victims takes ${VICTIMS.join(", ")}.`);
  return {
    kills: numberIn("kills", values.kills, values.fleet ? 25 : values.claims ? 50 : 60, 1),
    seed: numberIn("seed", values.seed, Date.now() % 1_000_000, 0),
    jobs: numberIn("jobs", values.jobs, 2, 1),
    realShare: numberIn("real", values.real, 0.1, 0, 1),
    victims,
    only: values.only === undefined ? undefined : numberIn("only", values.only, 0, 0),
    minutes: numberIn("minutes", values.minutes, 30, 1),
    keep: values.keep,
    fleet: values.fleet,
    queued: numberIn("queued", values.queued, 500, 1),
    claims: values.claims,
    items: numberIn("items", values.items, 100, 1),
  };
}

function numberIn(
  name: string,
  given: string | undefined,
  usual: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const number = given === undefined ? usual : Number(given);
  if (!(number >= least && number <= most)) throw new UsageError(`--${name} ${given} is no number for it.`);
  return number;
}

/** Kills that come too late do not count, so that there are more jobs than kills need. Not without end. */
const JOBS_A_KILL = 2;

/** Long enough for a machine on which everything is slow, and short enough for a campaign to wait for its end. */
const CLAIM_LEASE_MS = 12_000;

async function campaign(options: Options): Promise<number> {
  const { kills: wanted, seed, jobs, only, minutes, keep } = options;
  const began = performance.now();
  const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  for (const left of foldersLeft(place)) await rm(left, { recursive: true, force: true, maxRetries: 5 });
  // What is to be kept has a name that nobody takes for a killed campaign's.
  const top = keep
    ? await mkdtemp(join(place, "baton-campaign-kept-"))
    : scratchFolder("campaign", join(place, "baton"));
  const stop = new AbortController();
  const interrupted = () => stop.abort();
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const timer = setTimeout(interrupted, minutes * 60_000);
  const { signal } = stop;
  const reports: JobReport[] = [];
  const kept: string[] = [];
  let taken = 0;
  let struck = 0;
  let next = only ?? 0;
  const last = only ?? wanted * JOBS_A_KILL;
  const shared: Campaign = {
    durations: new Durations(),
    take: () => taken < wanted && ++taken > 0,
    giveBack: () => taken--,
    struck: () => {
      struck++;
      progress();
    },
    signal,
  };
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const progress = () => say(`${struck} of ${wanted} kills, ${reports.length} jobs, ${seconds()} s`);

  async function work(): Promise<void> {
    while (taken < wanted && next <= last && !signal.aborted) {
      const plan = planOf(next++, options);
      const project = await makeProject(top, plan);
      let report: JobReport | undefined;
      try {
        report = await runJob(project, plan, shared);
      } finally {
        await project.close();
      }
      reports.push(report);
      progress();
      const lines = describe(report);
      for (const line of lines) complain(line);
      if (keep && lines.length > 0) kept.push(project.root);
      else await removeProject(project);
    }
  }

  try {
    await Promise.all(Array.from({ length: jobs }, work));
  } finally {
    if (kept.length === 0) await rm(top, { recursive: true, force: true, maxRetries: 5 });
    clearTimeout(timer);
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
  say("");
  return conclude(reports, { seed, wanted: only === undefined ? wanted : 0, seconds: seconds(), kept });
}

async function ofFleet({ queued, kills, seed, minutes, keep }: Options): Promise<number> {
  return inOwnFolder("fleet", { minutes, keep }, (top, signal) =>
    fleetCampaign({ top, queued, kills, seed, signal, say }),
  );
}

async function ofClaims({ items, kills, seed, minutes, keep }: Options): Promise<number> {
  return inOwnFolder("claims", { minutes, keep }, async (top, signal) => {
    const { phases, problems, ...figures } = await claimsCampaign({
      ...{
        top,
        items,
        kills,
        seed,
        leaseMs: CLAIM_LEASE_MS,
        workMs: [50, 400],
        idleMs: [50, 150],
        signal,
        say,
      },
    });
    say("");
    console.log(tableOfClaims(phases));
    for (const line of problems.slice(0, 50)) console.log(`FAILED: ${line}`);
    const ok = problems.length === 0;
    console.log(JSON.stringify({ ok, seed, items, ...figures, problems: problems.length, phases }));
    return ok;
  });
}

async function inOwnFolder(
  name: string,
  { minutes, keep }: Pick<Options, "minutes" | "keep">,
  run: (top: string, signal: AbortSignal) => Promise<boolean>,
): Promise<number> {
  const place = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const top = await mkdtemp(join(place, `baton-campaign-${name}-`));
  const stop = new AbortController();
  const interrupted = () => stop.abort();
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const timeUp = AbortSignal.timeout(minutes * 60_000);
  try {
    return (await run(top, AbortSignal.any([stop.signal, timeUp]))) ? 0 : 1;
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    if (keep) console.log(`kept: ${top}`);
    else await rm(top, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Conclusion {
  seed: number;
  wanted: number;
  seconds: number;
  kept: string[];
}

function conclude(reports: JobReport[], { seed, wanted, seconds, kept }: Conclusion): number {
  const tally = tallyOf(reports);
  const verdict = verdictOf(reports, wanted);
  const kills = reports.flatMap((report) => report.kills);
  const missed = reports.reduce((sum, report) => sum + report.missed, 0);
  const by = {
    victims: countBy(kills.map(({ victim }) => victim)),
    workspaces: countBy(reports.flatMap((report) => report.kills.map(() => report.workspace))),
    agents: countBy(reports.flatMap((report) => report.kills.map(() => report.agent))),
  };
  console.log(tableOf(tally));
  for (const counts of Object.values(by)) {
    console.log(
      Object.entries(counts)
        .flatMap(([name, count]) => `${name} ${count}`)
        .join(", "),
    );
  }
  console.log(`${reports.length} jobs, ${missed} planned kills came too late, ${seconds} s`);
  for (const folder of kept) console.log(`kept: ${folder}`);
  for (const line of verdict) console.log(`FAILED: ${line}`);
  const ok = verdict.length === 0;
  console.log(
    JSON.stringify({
      ok,
      seed,
      kills: kills.length,
      jobs: reports.length,
      missed,
      seconds,
      phases: tally,
      ...by,
    }),
  );
  return ok ? 0 : 1;
}

function countBy(names: string[]): Record<string, number> {
  return Object.fromEntries(
    [...new Set(names)].sort().map((name) => [name, names.filter((one) => one === name).length]),
  );
}

/** In place on a terminal, and in a line of its own elsewhere. */
function say(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== "") process.stderr.write(`${line}\n`);
}

function complain(line: string): void {
  if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
  console.error(line);
}

async function main(args: string[]): Promise<number> {
  try {
    const options = optionsFrom(args);
    if (options?.claims) return await ofClaims(options);
    if (options) return await (options.fleet ? ofFleet(options) : campaign(options));
    console.log(HELP);
    return 0;
  } catch (error) {
    const isUsage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
    if (!isUsage) throw error;
    console.error(`${error.message}\n\n${HELP}`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
