/** What a worker does with an item. `ends`: it does nothing more for it; `done`, `failed`: that is entered; `told`: the tracker knows. */
export type What =
  | "starts"
  | "tries"
  | "claims"
  | "begins"
  | "delivers"
  | "ends"
  | "loses"
  | "done"
  | "failed"
  | "told"
  | "is overtaken"
  | "stumbles";

export interface Said {
  at: number;
  worker: string;
  pid: number;
  what: What;
  item: string;
  job: string;
  epoch: number;
}

/** A process that was killed, or stood still for a while and worked on. */
export type Struck = { pid: number; at: number } & ({ how: "killed" } | { how: "asleep"; until: number });

/** What stands outside, when all is over. */
export interface Outside {
  items: string[];
  /** How often each was delivered. */
  deliveries: ReadonlyMap<string, number>;
  /** What the register says of each. */
  states: ReadonlyMap<string, string>;
  /** Those that a store says somebody has. */
  taken: string[];
  /** Those that the tracker shows as ready, or as being worked on. */
  marked: string[];
}

/** Where a process was when it was struck. */
const PHASES = ["looking", "claiming", "claimed", "working", "delivering", "ending", "telling"] as const;
type ClaimsPhase = (typeof PHASES)[number];

/** What came of the items that processes had in their hands when they were struck. */
interface Row {
  killed: number;
  asleep: number;
  done: number;
  workedTwice: number;
  deliveredTwice: number;
  leftClaimed: number;
}

export interface ClaimsVerdict {
  phases: Record<ClaimsPhase, Row>;
  done: number;
  claims: number;
  continued: number;
  lost: number;
  failed: number;
  problems: string[];
}

interface Stretch {
  item: string;
  worker: string;
  job: string;
  from: number;
  to: number;
}

/** Nothing worked on twice at once, nothing delivered twice, nothing left claimed, and nothing left undone. */
export function judgeClaims(
  said: readonly Said[],
  struck: readonly Struck[],
  outside: Outside,
): ClaimsVerdict {
  const problems: string[] = [];
  const twice = new Set<string>();
  const stretches = stretchesOf(said, struck);
  for (const [item, own] of Map.groupBy(stretches, (stretch) => stretch.item)) {
    const inOrder = own.sort((a, b) => a.from - b.from);
    for (const [index, one] of inOrder.entries()) {
      const next = inOrder.slice(index + 1).find((other) => other.from < one.to);
      if (!next) continue;
      twice.add(item);
      problems.push(
        `${item} was worked on by ${one.worker} and ${next.worker} at once, for ${one.to - next.from} ms`,
      );
    }
  }
  for (const item of outside.items) {
    const times = outside.deliveries.get(item) ?? 0;
    if (times !== 1) problems.push(`${item} was delivered ${times} times`);
    const state = outside.states.get(item);
    if (state !== "done") problems.push(`${item} is left ${state ?? "without a claim"}`);
  }
  for (const item of outside.taken) problems.push(`a store still says that somebody has ${item}`);
  for (const item of outside.marked) problems.push(`the tracker still shows ${item} as ready or taken`);
  const count = (...whats: What[]) => said.filter(({ what }) => whats.includes(what)).length;
  return {
    phases: phasesOf(said, struck, outside, twice),
    done: outside.items.filter((item) => outside.states.get(item) === "done").length,
    claims: count("claims"),
    continued: count("begins") - new Set(stretches.map(({ job }) => job)).size,
    lost: count("loses", "is overtaken"),
    failed: count("failed"),
    problems,
  };
}

/** From when to when a process worked on an item. One that stood still did nothing from then until it noticed. */
function stretchesOf(said: readonly Said[], struck: readonly Struck[]): Stretch[] {
  const open = new Map<string, Stretch>();
  const stretches: Stretch[] = [];
  const close = (key: string, to: number) => {
    const stretch = open.get(key);
    if (!stretch) return;
    stretches.push({ ...stretch, to });
    open.delete(key);
  };
  for (const { at, pid, what, item, job, worker } of said) {
    const key = `${pid} ${item}`;
    if (what === "begins") open.set(key, { item, worker, job, from: at, to: Number.POSITIVE_INFINITY });
    const slept = struck.find((one) => one.pid === pid && one.how === "asleep" && one.at <= at);
    if (what === "ends") close(key, at);
    if (what === "loses")
      close(key, Math.min(at, slept && slept.at > (open.get(key)?.from ?? 0) ? slept.at : at));
  }
  for (const { pid, at, how } of struck) {
    if (how !== "killed") continue;
    for (const key of [...open.keys()]) if (key.startsWith(`${pid} `)) close(key, at);
  }
  return [...stretches, ...open.values()];
}

function phasesOf(
  said: readonly Said[],
  struck: readonly Struck[],
  { deliveries, states }: Outside,
  twice: ReadonlySet<string>,
): Record<ClaimsPhase, Row> {
  const rows = PHASES.map((phase): [ClaimsPhase, Row] => [
    phase,
    { killed: 0, asleep: 0, done: 0, workedTwice: 0, deliveredTwice: 0, leftClaimed: 0 },
  ]);
  const table = Object.fromEntries(rows) as Record<ClaimsPhase, Row>;
  for (const { pid, at, how } of struck) {
    const last = said.findLast((one) => one.pid === pid && one.at <= at);
    const row = table[phaseAfter(last?.what)];
    row[how]++;
    const item = last?.item ?? "";
    if (states.get(item) === "done") row.done++;
    if (states.get(item) === "claimed") row.leftClaimed++;
    if (twice.has(item)) row.workedTwice++;
    if ((deliveries.get(item) ?? 0) > 1) row.deliveredTwice++;
  }
  return table;
}

function phaseAfter(what: What | undefined): ClaimsPhase {
  switch (what) {
    case "tries":
      return "claiming";
    case "claims":
      return "claimed";
    case "begins":
      return "working";
    case "delivers":
      return "delivering";
    case "ends":
      return "ending";
    case "done":
    case "failed":
      return "telling";
    default:
      return "looking";
  }
}

const COLUMNS = {
  killed: "killed",
  asleep: "asleep",
  done: "item done",
  workedTwice: "worked on twice",
  deliveredTwice: "delivered twice",
  leftClaimed: "left claimed",
} as const satisfies Record<keyof Row, string>;

export function tableOfClaims(phases: ClaimsVerdict["phases"]): string {
  const keys = Object.keys(COLUMNS) as (keyof Row)[];
  const sum = keys.map((key) => String(PHASES.reduce((all, phase) => all + phases[phase][key], 0)));
  const lines = [
    ["struck while", ...Object.values(COLUMNS)],
    ...PHASES.map((phase) => [phase, ...keys.map((key) => String(phases[phase][key]))]),
    ["all", ...sum],
  ];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const cell = (text: string, column: number) =>
    column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(cell).join("  ").trimEnd()).join("\n");
}
