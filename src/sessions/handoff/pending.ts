import { rm } from "node:fs/promises";
import { join } from "node:path";
import { takeLock } from "../../files/holder-lock.ts";
import { readRegular } from "../../files/inside.ts";
import { forgetText, isOwnText, recordText } from "../../files/made-here.ts";
import { placeOfFile } from "../../files/place-of-file.ts";
import { replaceFile } from "../../files/replace.ts";
import { stateFolder } from "../../files/state-folder.ts";
import { type HandoffDir, openHandoffDir, syncFolder } from "../../handoff/library.ts";
import { frontMatter } from "../../util/front-matter.ts";
import { fromJson } from "../../util/json.ts";
import { SESSION_LIMITS } from "../record/limits.ts";

/** A handoff that waits for a person to start the next session. */
export interface Pending {
  document: string;
  number: number;
  /** The session that handed off. */
  session: string;
  created: string;
  /** Why nothing goes on by itself. */
  reason: string;
}

const NAME = "HANDOFF_PENDING.md";

/** More than anybody picks up: the oldest are left out, and their documents stay. */
const MOST = 20;

/**
 * Says in the handoff folder that a handoff waits, beside those of other sessions. A newer one takes the place of an older
 * one of the same session.
 */
export async function writePending(place: HandoffDir, pending: Pending): Promise<string> {
  const release = await locked();
  try {
    const waiting = (await ownPending(place.dir))?.waiting ?? [];
    const others = waiting.filter(({ session }) => session !== pending.session);
    return await write(place, [{ ...pending, reason: inOneLine(pending.reason) }, ...others].slice(0, MOST));
  } finally {
    release();
  }
}

/** What waits in this folder, newest first: a file that this machine has not written there says nothing. */
export async function readPending(handoffDir: string): Promise<Pending[]> {
  return (await ownPending(handoffDir))?.waiting ?? [];
}

/**
 * A handoff was used, or is not wanted: it waits no more, nor does an earlier one of the same session. The file goes with
 * the last of them. True where it had waited.
 */
export async function removePending(
  place: HandoffDir,
  { document, session }: { document: string; session?: string | undefined },
): Promise<boolean> {
  const release = await locked();
  try {
    const found = await ownPending(place.dir);
    if (!found) return false;
    const { waiting, path, written } = found;
    const left = waiting.filter((one) => one.document !== document && one.session !== session);
    if (left.length === waiting.length) return false;
    if (left.length > 0) await write(place, left);
    else await rm(path, { force: true });
    forgetText(written, placeOfFile(path));
    return true;
  } finally {
    release();
  }
}

/** Several sessions of a project may hand off at once. */
function locked(): Promise<() => void> {
  return takeLock(join(stateFolder(process.env), "pending.lock"));
}

async function write(place: HandoffDir, waiting: readonly Pending[]): Promise<string> {
  const path = join(place.dir, NAME);
  const written = text(waiting);
  await using folder = await openHandoffDir(place);
  await recordText(written, placeOfFile(path));
  await replaceFile(join(folder.path, NAME), written, 0o600);
  await syncFolder(folder.path);
  return path;
}

async function ownPending(handoffDir: string) {
  const path = join(handoffDir, NAME);
  const written = await readRegular(path, { mostBytes: SESSION_LIMITS.pendingBytes }).catch(() => undefined);
  if (written === undefined || !isOwnText(written, placeOfFile(path))) return undefined;
  const { front } = frontMatter(written);
  return front === undefined ? undefined : { path, written, waiting: pendingIn(front) };
}

/** A hook reads this on its way: each is JSON on a line, which is YAML too and needs no reader of its own. */
function text(waiting: readonly Pending[]): string {
  const one = waiting.length === 1;
  return [
    "---",
    "waiting:",
    ...waiting.map((pending) => `${ENTRY}${JSON.stringify(pending)}`),
    "---",
    "",
    one ? "# A handoff waits for you" : `# ${waiting.length} handoffs wait for you`,
    "",
    ...waiting.flatMap(({ number, document, reason }) => [
      `- Handoff ${number} is in ${document}.`,
      `  It did not continue on its own: ${reason}.`,
    ]),
    "",
    "Start a new session in this project. With Baton's plugin it is told of this file, and `/baton:continue` picks a handoff",
    "up, by the name of its document if more than one waits. Without the plugin: `baton continue <document>`, or tell the new",
    "session to read the document. `baton handoff dismiss <document>` removes one from this list and keeps its document.",
    "",
    "This file goes away once the last of them has been picked up or dismissed.",
    "",
  ].join("\n");
}

const ENTRY = "  - ";

/** Earlier versions of Baton kept one, with a line for each of its values. */
function pendingIn(front: string): Pending[] {
  const lines = front.split(/\r?\n/);
  if (lines[0] === "waiting:") {
    const entries = lines.slice(1).map((line) => fromJson(line.slice(ENTRY.length)));
    return entries.filter(isPending).slice(0, MOST);
  }
  const found = new Map<string, unknown>();
  for (const line of lines) {
    const [, key = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
    found.set(key, fromJson(value));
  }
  const value: unknown = Object.fromEntries(found);
  return isPending(value) ? [value] : [];
}

const LONGEST_LINE = 4_096;

function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").slice(0, LONGEST_LINE);
}

function isOneLine(text: unknown): text is string {
  return typeof text === "string" && text.length <= LONGEST_LINE && !/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text);
}

/** The file lies in a repository that may be another's: what it says is shown to a person and to an agent. */
function isPending(value: unknown): value is Pending {
  if (typeof value !== "object" || value === null) return false;
  const texts = ["document", "session", "created", "reason"];
  return (
    texts.every((key) => isOneLine(Reflect.get(value, key))) &&
    typeof Reflect.get(value, "number") === "number"
  );
}
