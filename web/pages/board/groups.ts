import type { Fleet, JobRow } from "../../data/fleet.ts";
import { asks } from "../../data/inbox.ts";

/** By what the rows of the board can be put together. */
export const WAYS = {
  need: "what they need",
  agent: "agent",
  source: "source",
  epic: "epic",
  project: "project",
} as const;

export type Way = keyof typeof WAYS;

export const isWay = (text: string | null): text is Way => text !== null && text in WAYS;

/** Until somebody resumes or cancels them, however long ago they stopped. */
const RESTS = new Set(["paused", "interrupted"]);
const DAY_MS = 24 * 60 * 60_000;
/** Of those that were over before. */
const MOST_EARLIER = 100;

/** In the order in which they stand on the board. */
const NEEDS = ["Needs you", "Running", "Waiting", "Queued", "Done in the last day", "Earlier"] as const;

/** Each row below its heading, in the order of the board. */
export function placed(all: readonly JobRow[], way: Way, fleet: Fleet | undefined, now: Date) {
  const dayAgo = new Date(now.getTime() - DAY_MS).toISOString();
  const ordered =
    way === "need" ? byNeed(all, fleet, dayAgo) : all.map((row) => ({ row, group: nameIn(row, way, fleet) }));
  const order: string[] =
    way === "need"
      ? [...NEEDS]
      : [...new Set(ordered.map(({ group }) => group))].toSorted((a, b) => a.localeCompare(b));
  return ordered
    .map(({ row, group }) => ({ id: row.id, group, row }))
    .toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group));
}

function byNeed(all: readonly JobRow[], fleet: Fleet | undefined, dayAgo: string) {
  const inQueue = inOrder(
    all.filter(({ status }) => status === "queued"),
    fleet,
  );
  const others = all.filter(({ status }) => status !== "queued");
  let earlier = 0;
  return [...others, ...inQueue]
    .map((row) => ({ row, group: needOf(row, dayAgo) }))
    .filter(({ group }) => group !== "Earlier" || earlier++ < MOST_EARLIER);
}

function needOf(row: JobRow, dayAgo: string): (typeof NEEDS)[number] {
  const { status, updatedAt } = row;
  if (asks(row)) return "Needs you";
  if (status === "running" || status === "created") return "Running";
  if (status === "waiting") return "Waiting";
  if (status === "queued") return "Queued";
  if (RESTS.has(status)) return "Needs you";
  if (updatedAt < dayAgo) return "Earlier";
  return status === "failed" ? "Needs you" : "Done in the last day";
}

function nameIn(row: JobRow, way: Exclude<Way, "need">, fleet: Fleet | undefined): string {
  switch (way) {
    case "agent":
      return row.agent;
    case "source":
      return row.source.name ?? (row.source.kind === "person" ? "people" : row.source.kind);
    case "epic":
      return row.epic ?? "without an epic";
    case "project":
      return fleet?.projects.find(({ key }) => key === row.project)?.name ?? row.project;
  }
}

/** As the fleet will start them. */
function inOrder(queued: readonly JobRow[], fleet: Fleet | undefined): JobRow[] {
  const places = new Map(
    fleet?.projects.flatMap(({ queue }) => queue).map(({ job, position }) => [job, position]),
  );
  return queued.toSorted((a, b) => (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity));
}

const FIELD = /^(agent|status|source|epic|file):(.*)$/;

/** Words anywhere in what is shown; `agent:`, `status:`, `source:` and `epic:` for one field. `file:` is for the server. */
export function fits(row: JobRow, wanted: string): boolean {
  const text = [row.title, row.agent, row.status, row.branch, row.epic, row.source.name, row.id, row.error]
    .join(" ")
    .toLowerCase();
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => {
      const [, field, value = ""] = FIELD.exec(word) ?? [];
      switch (field) {
        case "agent":
          return row.agent.toLowerCase().startsWith(value);
        case "status":
          return row.status.startsWith(value);
        case "source":
          return (row.source.name ?? row.source.kind).toLowerCase().startsWith(value);
        case "epic":
          return (row.epic ?? "").toLowerCase().startsWith(value);
        case "file":
          return true;
        default:
          return text.includes(word);
      }
    });
}

/** What is to be in the path of a file that the job wrote. */
export function fileIn(wanted: string): string | undefined {
  return /(?:^|\s)file:(\S+)/.exec(wanted)?.[1];
}

/** That of the words which the index of requests finds the fewest by. It knows none of fewer than three letters. */
export function longestWordIn(wanted: string): string | undefined {
  const words = wanted.split(/\s+/).filter((word) => word.length >= 3 && !FIELD.test(word));
  return words.toSorted((a, b) => b.length - a.length)[0];
}
