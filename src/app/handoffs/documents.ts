import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { readRegular } from "../../files/inside.ts";
import { parseDocument } from "../../handoff/document.ts";
import { ARCHIVE, isFile } from "../../handoff/history.ts";
import { type Folders, isInside, LARGEST_BYTES } from "./inside.ts";

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

/** The handoffs of the project, newest first. */
export async function listDocuments(folders: Folders): Promise<Listed[]> {
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
  return found
    .flat(2)
    .sort((a, b) => (b.created ?? "").localeCompare(a.created ?? ""))
    .slice(0, MOST);
}

async function listed(path: string, archived: boolean): Promise<Listed[]> {
  if (!(await isFile(path))) return [];
  const text = await readRegular(path, { mostBytes: LARGEST_BYTES, sharedNames: true }).catch(() => "");
  const { head, account } = parseDocument(text ?? "");
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
    },
  ];
}
