import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { parseDocument } from "../../handoff/document.ts";
import { ARCHIVE, isFile } from "../../handoff/history.ts";
import { beginningOfDocument } from "../../handoff/read-document.ts";
import { documentOf } from "../../sessions/record/handoff-questions.ts";
import { type Registry, userRegistry } from "../../sessions/record/registry.ts";
import { type Folders, isInside } from "./inside.ts";

/** A handoff document, as lists show it. What its head does not say is null. */
export interface Listed {
  path: string;
  number: number | null;
  created: string | null;
  session: string | null;
  job: string | null;
  trigger: string | null;
  outcome: string | null;
  percent: number | null;
  goal: string;
  archived: boolean;
}

const MOST = 100;
const GOAL_CHARACTERS = 200;

/** The handoffs of the project, newest first: those of its folder, and those that sessions announced elsewhere in the project. */
export async function listDocuments(folders: Folders, registry = userRegistry()): Promise<Listed[]> {
  const { handoffDir } = folders;
  const places = [
    { folder: handoffDir, archived: false },
    { folder: join(handoffDir, ARCHIVE), archived: true },
  ];
  const found = await Promise.all(
    places.map(async ({ folder, archived }) => {
      const real = await realpath(folder).catch(() => undefined);
      if (real === undefined || !(await isInside(folders, join(real, "any")))) return [];
      const names = (await readdir(folder)).filter((name) => /^handoff-.*\.md$/.test(name));
      // By its name, which begins with the time: not every document of years has to be read.
      const newest = names.sort().reverse().slice(0, MOST);
      return Promise.all(newest.map((name) => listed(join(folder, name), archived)));
    }),
  );
  const inFolder = found.flat(2);
  return [...inFolder, ...(await announced(folders, registry, inFolder))]
    .map(({ previous: _previous, ...shown }) => shown)
    .sort((a, b) => (b.created ?? "").localeCompare(a.created ?? ""))
    .slice(0, MOST);
}

/** A session is registered with its newest document, and each document names the one before it. */
async function announced(folders: Folders, registry: Registry, known: readonly Found[]): Promise<Found[]> {
  const sessions = (await registry.list()).filter(({ project }) => project === folders.root);
  const named = [
    ...sessions.map(({ handoff }) => documentOf(handoff)),
    ...known.map(({ previous }) => previous),
  ];
  const seen = new Set(known.map(({ path }) => path));
  const found: Found[] = [];
  for (let next = named.pop(); found.length < MOST && (named.length > 0 || next); next = named.pop()) {
    if (!next || seen.has(next)) continue;
    seen.add(next);
    if (!(await isInside(folders, await realpath(next).catch(() => next)))) continue;
    const [one] = await listed(next, false);
    if (!one) continue;
    found.push(one);
    named.push(one.previous);
  }
  return found;
}

interface Found extends Listed {
  previous: string | undefined;
}

async function listed(path: string, archived: boolean): Promise<Found[]> {
  if (!(await isFile(path))) return [];
  const { head, account } = parseDocument(beginningOfDocument(path));
  const goal = account.goal.replace(/\s+/g, " ").slice(0, GOAL_CHARACTERS);
  return [
    {
      path,
      number: head.number ?? null,
      created: head.created ?? null,
      session: head.session ?? null,
      job: head.job ?? null,
      trigger: head.reason ?? null,
      outcome: head.outcome ?? null,
      percent: head.percent ?? null,
      goal,
      archived,
      previous: head.previous ?? undefined,
    },
  ];
}
