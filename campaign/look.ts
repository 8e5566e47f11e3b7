import { mkdir, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { parseDocument } from "../src/handoff/document.ts";
import type { JournalEvent } from "../src/job/events.ts";
import type { Tables } from "../src/store/tables.ts";
import type { Files } from "./judge.ts";
import { git, type Project } from "./project.ts";
import { fileOf, STEPS } from "./scenario.ts";

const BACKGROUND_MS = 5_000;
const LOOK_MS = 50;

interface Stored {
  integrity: string;
  events: JournalEvent[];
}

export function readStore({ folder }: Pick<Project, "folder">): Stored {
  const database = new Database(join(folder, ".baton", "baton.db"), { readonly: true });
  try {
    const integrity = String(database.pragma("integrity_check", { simple: true }));
    const rows = database.prepare<[], Tables["events"]>("SELECT * FROM events ORDER BY id").all();
    return {
      integrity,
      events: rows.map(({ data, ...row }): JournalEvent => ({ ...JSON.parse(data), ...row })),
    };
  } finally {
    database.close();
  }
}

export async function filesIn(folder: string): Promise<Files> {
  const files = new Map<number, string[]>();
  for (let step = 1; step <= STEPS; step++) {
    const text = await readFile(join(folder, fileOf(step)), "utf8").catch(() => undefined);
    if (text !== undefined) files.set(step, text.split("\n").filter(Boolean));
  }
  return files;
}

/** Where the job works now. Undefined before there is such a folder, and once it is on its way to the trash. */
export function workFolder({ folder, remote }: Project, events: readonly JournalEvent[]): string | undefined {
  if (remote === undefined) return folder;
  const last = events.findLast(({ type }) => type === "workspace:ready" || type === "workspace:removing");
  return last?.type === "workspace:ready" ? last.path : undefined;
}

/** What a completed job delivered: on the remote's branch, where it worked in a worktree. */
export async function deliveredFiles(project: Project, events: readonly JournalEvent[]): Promise<Files> {
  const { remote, root, folder } = project;
  if (remote === undefined) return filesIn(folder);
  const pushed = events.findLast((event) => event.type === "workspace:pushed");
  if (pushed?.type !== "workspace:pushed") return new Map();
  const delivered = join(root, "delivered");
  await mkdir(delivered, { recursive: true });
  await git(remote, `--work-tree=${delivered}`, "checkout", "-qf", pushed.branch, "--", ".").catch(() => {});
  return filesIn(delivered);
}

/** Every file that looks like a document is one, to its last section, and every one on record is there. */
export async function halfDocuments({ folder }: Project, events: readonly JournalEvent[]): Promise<string[]> {
  const dir = join(folder, ".baton", "handoffs");
  const names: string[] = await readdir(dir).catch(() => []);
  const there = names.filter((name) => name.endsWith(".md")).map((name) => join(dir, name));
  const recorded = events.flatMap((event) => (event.type === "handoff:stored" ? [event.documentPath] : []));
  const checked = [...new Set([...there, ...recorded])].map(async (path) => {
    const text = await readFile(path, "utf8").catch(() => "");
    return isWhole(text) ? [] : [basename(path)];
  });
  return (await Promise.all(checked)).flat();
}

function isWhole(text: string): boolean {
  if (!/^---\njob: /.test(text) || !text.includes("## Facts") || !text.endsWith("\n")) return false;
  return parseDocument(text).account.nextSteps.length > 0;
}

/** What must be gone when a job has completed and house was kept. */
export async function leftovers({ folder, remote }: Project): Promise<string[]> {
  const [worktrees, branches, inside, folders] = await Promise.all([
    git(folder, "worktree", "list", "--porcelain"),
    git(folder, "for-each-ref", "--format=%(refname:short)", "refs/heads"),
    readdir(join(folder, ".git"), { recursive: true }),
    readdir(join(folder, ".worktrees")).catch((): string[] => []),
  ]);
  const atRemote: string[] = remote ? await readdir(remote, { recursive: true }) : [];
  const registered = worktrees.split("\n").filter((line) => line.startsWith("worktree "));
  return [
    ...registered.slice(1).map((line) => `registered ${line}`),
    ...branches.split("\n").flatMap((name) => (name === "main" ? [] : [`branch ${name}`])),
    ...inside.filter((name) => name.endsWith(".lock")).map((name) => `.git/${name}`),
    ...atRemote.filter((name) => name.endsWith(".lock")).map((name) => `remote ${name}`),
    ...folders.filter((name) => !name.startsWith(".")).map((name) => `folder .worktrees/${name}`),
    ...(await trashLeft(folder)).map((name) => `trash ${name}`),
  ];
}

/** Deleted in the background, by a process that nobody waits for. */
async function trashLeft(folder: string): Promise<string[]> {
  const deadline = Date.now() + BACKGROUND_MS;
  for (;;) {
    const names: string[] = await readdir(join(folder, ".worktrees", ".trash")).catch(() => []);
    if (names.length === 0 || Date.now() > deadline) return names;
    await sleep(LOOK_MS);
  }
}

/** What a killed process had made for itself alone. */
export async function scratchLeft({ scratch, folder }: Project): Promise<string[]> {
  const [temporary, drafts]: [string[], string[]] = await Promise.all([
    readdir(scratch),
    readdir(join(folder, ".baton", "handoffs")).catch(() => []),
  ]);
  return [
    // The one with a number alone is where all processes of a user meet.
    ...temporary.filter((name) => /^baton-(?!\d+$)/.test(name)),
    ...drafts.filter((name) => name.startsWith(".writing-")),
  ];
}
