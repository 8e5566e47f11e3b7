import { type Plan, plansOf, planView } from "../../app/fleet/plan.ts";
import { folded, screenWidth } from "../../display/fold.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { oneLine, type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { shortDate } from "../../display/when.ts";
import { costInPassing, costInWords, shortId } from "../../display/words.ts";
import { age, counted } from "../../util/figures.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { sayWithheld } from "../config/withheld.ts";
import { EXIT } from "../exit.ts";
import { fleetHead } from "./head.ts";
import { namesOf, projectsIn, type SeveralOptions } from "./several.ts";

type Run = Plan["forecast"]["runs"][number];

interface Row {
  at: Date;
  agent: string;
  what: string;
  takes: string;
  cost: string;
}

/** What the next 24 hours bring, in one project or in several. */
export async function plan(options: SeveralOptions & { json?: boolean }): Promise<number> {
  const projects = await projectsIn(options);
  const now = new Date();
  const plans = (await plansOf(projects, now)).map(([{ root: project }, found]) => ({ project, found }));
  const [only, ...others] = plans;
  const isOne = only !== undefined && others.length === 0;
  if (options.json) {
    const views = plans.map(({ project, found }) => ({ project, ...planView(found) }));
    printJson(isOne ? planView(only.found) : { projects: views });
    return EXIT.completed;
  }
  const paint = paintFor(process.stdout, process.env);
  const names = namesOf(projects);
  for (const [index, { project, found }] of plans.entries()) {
    if (!isOne) print(`${index > 0 ? "\n" : ""}${paint("bold", oneLine(names.get(project) ?? project))}`);
    printPlan(found, paint, isOne);
    const shown = projects.find(({ root }) => root === project);
    if (shown) await sayWithheld(shown);
  }
  const { found } = plans[0] ?? {};
  if (!isOne && found) print(`\nAll projects together. ${slotsInWords(found)}`);
  return EXIT.completed;
}

const NOTHING = "Nothing will run in the next 24 hours: nothing is queued, and no schedule is due.";

function printPlan(found: Plan, paint: Paint, isAlone: boolean): void {
  const { fleet, now } = found;
  const rows = rowsOf(found);
  printWords(fleetHead(fleet, paint, now));
  if (rows.length === 0) {
    print(`\n${folded(NOTHING, screenWidth(process.stdout))}`);
    return;
  }
  const asIf = fleet.state === "not running" ? ", if you started it now" : "";
  print(`\nThe next 24 hours${asIf}:\n`);
  print(table(rows, columnsOf(paint, now), tableWidth(process.stdout)).join("\n"));
  const lines = [...(isAlone ? [slotsInWords(found)] : []), ...summary(found)];
  if (lines.length > 0) print(`\n${folded(lines.join("\n"), screenWidth(process.stdout), 2)}`);
}

function columnsOf(paint: Paint, now: Date): Column<Row>[] {
  return [
    { title: "WHEN", text: ({ at }) => (at <= now ? "now" : shortDate(at.toISOString(), now)) },
    { title: "AGENT", text: ({ agent }) => agent },
    { title: "TAKES", text: ({ takes }) => takes, align: "right", spare: 1 },
    { title: "COST", text: ({ cost }) => cost, align: "right" },
    { title: "WHAT", text: ({ what }) => what, paint: (_row, text) => paint("dim", text) },
  ];
}

/** More runs of a schedule than these are one row. */
const EACH_BY_ITSELF = 3;

function rowsOf(found: Plan): Row[] {
  const { forecast, resets, now } = found;
  const bySchedule = Map.groupBy(forecast.runs, ({ agent, schedule, job }) =>
    schedule === undefined || job !== undefined ? undefined : `${agent}\0${schedule}`,
  );
  const alone = bySchedule.get(undefined) ?? [];
  bySchedule.delete(undefined);
  const rows = [...bySchedule.values()].flatMap((runs) =>
    runs.length > EACH_BY_ITSELF ? [rowOfMany(runs, found)] : runs.map((run) => rowOf(run, found)),
  );
  const ofResets = resets.map(({ at, agent, job }) => ({
    ...{ at, agent, takes: "", cost: "" },
    what: `a usage limit is over: ${shortId(job)} continues`,
  }));
  const looks = Map.groupBy(forecast.looks, ({ agent, schedule }) => `${agent}\0${schedule}`);
  const ofLooks = [...looks.values()].flatMap((its) => rowOfLooks(its, now));
  return [...alone.map((run) => rowOf(run, found)), ...rows, ...ofLooks, ...ofResets].sort(
    (a, b) => Math.max(a.at.getTime(), now.getTime()) - Math.max(b.at.getTime(), now.getTime()),
  );
}

function rowOf(run: Run, { now, usual }: Plan): Row {
  const { agent, job, schedule, due, starts, ends } = run;
  const isRunning = starts !== undefined && starts < now;
  const usually = usual(run);
  const names = [schedule, job && shortId(job)].filter((name) => name !== undefined).join(", ");
  const left = ends && ends > now ? `${age(ends.getTime() - now.getTime())} left` : "";
  return {
    ...{ at: isRunning ? now : due, agent },
    takes: isRunning ? left : usually ? age(usually.durationMs) : "?",
    cost: isRunning ? "" : usually?.cost ? costInWords(usually.cost) : "?",
    what: oneLine(`${names}${isRunning ? ", runs" : howItStarts(run, now)}`),
  };
}

/** In words, where it does not start as soon as it is there. */
function howItStarts({ due, starts, waits }: Run, now: Date): string {
  const why = waits ? `: ${waits.text}` : "";
  if (!starts) return `, does not start by then${why}`;
  if (starts.getTime() - due.getTime() < MINUTE_MS) return "";
  return `, starts about ${shortDate(starts.toISOString(), now)}${why}`;
}

function rowOfMany(runs: readonly Run[], found: Plan): Row {
  const [first, last] = [runs[0], runs.at(-1)];
  if (!first || !last) throw new Error("a row has a run");
  const usually = found.usual(first);
  const waits = runs.map(({ due, starts }) => (starts ?? found.until).getTime() - due.getTime());
  const longest = Math.max(...waits);
  const until = shortDate(last.due.toISOString(), found.now);
  return {
    ...{ at: first.due, agent: first.agent },
    takes: usually ? age(usually.durationMs) : "?",
    cost: usually?.cost ? costInWords(usually.cost) : "?",
    what: oneLine(
      `${first.schedule}, ${runs.length} times until ${until}${longest < MINUTE_MS ? "" : `; waits up to ${age(longest)} for a slot`}`,
    ),
  };
}

/** One row of a schedule, however often it is due: what it will find, nobody knows. */
function rowOfLooks(looks: Plan["forecast"]["looks"], now: Date): Row[] {
  const [first, last] = [looks[0], looks.at(-1)];
  if (!first || !last) return [];
  const { agent, schedule, due } = first;
  const often =
    looks.length > 1 ? `, ${looks.length} times until ${shortDate(last.due.toISOString(), now)}` : "";
  return [{ at: due, agent, takes: "", cost: "", what: oneLine(`${schedule} looks for work${often}`) }];
}

function slotsInWords({ forecast: { most }, slots, now }: Plan): string {
  const since = most.at <= now ? "now" : `at ${shortDate(most.at.toISOString(), now)}`;
  return `Slots: at most ${most.slots} of ${slots} at once, ${since}.`;
}

function summary({ forecast: { lapses }, cost }: Plan): string[] {
  const lines: string[] = [];
  for (const its of Map.groupBy(
    lapses,
    ({ agent, schedule, reason }) => `${agent}\0${schedule}\0${reason}`,
  ).values()) {
    const [one] = its;
    const count = its.reduce((sum, lapse) => sum + lapse.count, 0);
    if (one)
      lines.push(
        oneLine(
          `${one.agent} ${one.schedule}: ${counted(count, "due time")} ${one.outcome}${one.reason === null ? "" : `: ${one.reason}`}.`,
        ),
      );
  }
  if (cost.jobs > 0) {
    lines.push(
      `Expected cost of the ${counted(cost.jobs, "job")} to start: about ${costInPassing(cost.cost)}, if they cost what past ones did.`,
    );
  }
  for (const { agent, jobs } of cost.unknown) {
    lines.push(
      oneLine(
        `Not counted: ${counted(jobs, "job")} of ${agent}, which has none on record that tells a cost.`,
      ),
    );
  }
  return lines;
}
