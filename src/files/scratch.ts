import { createHash, randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { liveness, type ProcessIdentity, thisProcess } from "../processes/owner.ts";

/**
 * What a process makes for itself alone has a name that says whose it is: its number, when it began, and on which boot, machine
 * and namespace. What a killed one left can so be told from what a living one uses, and from what only looks like it.
 */
let ownTag: string | undefined;

/** Another each time. */
function scratchName(): string {
  ownTag ??= tagOf(thisProcess());
  return `${ownTag}-${randomBytes(4).toString("hex")}`;
}

/** Makes a folder for this process alone. Whoever made it removes it. */
export function scratchFolder(kind: string, beside = join(tmpdir(), "baton")): string {
  const folder = `${beside}-${kind}-${scratchName()}`;
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

/** A draft of a file, beside it: it takes the place of the file once it is whole. */
export function draftOf(path: string): string {
  return `${path}${DRAFT}${scratchName()}`;
}

const DRAFT = ".writing-";
const TAG = "(\\d+)-(\\d+|x[0-9a-f]+)-([0-9a-f]{6})([0-9a-f]{6})([0-9a-f]{6})-[0-9a-f]{8}";
const AFTER_BEGINNING = new RegExp(`^-[a-z]+-${TAG}$`);
const AFTER_DRAFT = new RegExp(`^${TAG}$`);

/** The folders in another that dead processes of this user left: those that `scratchFolder` made for them beside `beginning`. */
export function foldersLeft(folder: string, beginning = "baton"): string[] {
  return namesIn(folder)
    .filter(
      (name) => name.startsWith(beginning) && isDead(AFTER_BEGINNING.exec(name.slice(beginning.length))),
    )
    .map((name) => join(folder, name))
    .filter((path) => isOwn(path, "folder"));
}

/** The drafts that they left in a folder, of whatever file. */
export function draftsLeft(folder: string, { below = false } = {}): string[] {
  return namesIn(folder, below)
    .filter((name) => {
      const at = name.lastIndexOf(DRAFT);
      return at !== -1 && isDead(AFTER_DRAFT.exec(name.slice(at + DRAFT.length)));
    })
    .map((name) => join(folder, name))
    .filter((path) => isOwn(path, "file"));
}

function namesIn(folder: string, below = false): string[] {
  try {
    return readdirSync(folder, { recursive: below, encoding: "utf8" });
  } catch {
    return [];
  }
}

/** Through no link, and nobody else's. */
function isOwn(path: string, kind: "file" | "folder"): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.uid !== process.getuid?.()) return false;
  return (kind === "file" ? found?.isFile() : found?.isDirectory()) ?? false;
}

function tagOf({ host, boot, pidNamespace, pid, startTime }: ProcessIdentity): string {
  return `${pid}-${written(startTime)}-${short(boot)}${short(host)}${short(pidNamespace)}`;
}

/** As `liveness` has it: in doubt it lives. What has no such name is nobody's that is known. */
function isDead(tag: RegExpExecArray | null): boolean {
  if (!tag) return false;
  const [, pid, began = "", boot, host, namespace] = tag;
  const here = thisProcess();
  if (host !== short(here.host)) return false;
  if (boot !== short(here.boot)) return true;
  if (namespace !== short(here.pidNamespace)) return false;
  return liveness({ ...here, pid: Number(pid), startTime: read(began) }, here) === "dead";
}

/** A number where the system says it so, and otherwise in a form that any file system takes. */
function written(startTime: string): string {
  return /^\d+$/.test(startTime) ? startTime : `x${Buffer.from(startTime || "?").toString("hex")}`;
}

function read(began: string): string {
  if (!began.startsWith("x")) return began;
  const text = Buffer.from(began.slice(1), "hex").toString();
  return text === "?" ? "" : text;
}

function short(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 6);
}
