import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readRegular } from "../../files/inside.ts";
import { forgetText, isOwnText, recordText } from "../../files/made-here.ts";
import { placeOfFile } from "../../files/place-of-file.ts";
import { replaceFile } from "../../files/replace.ts";
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

/** Says in the handoff folder that a handoff waits. A newer one takes the place of an older one. */
export async function writePending(place: HandoffDir, pending: Pending): Promise<string> {
  const path = join(place.dir, NAME);
  const written = text({ ...pending, reason: inOneLine(pending.reason) });
  await using folder = await openHandoffDir(place);
  await recordText(written, placeOfFile(path));
  await replaceFile(join(folder.path, NAME), written, 0o600);
  await syncFolder(folder.path);
  return path;
}

/** What waits in this folder, if anything: one that this machine has not written there says nothing. */
export async function readPending(handoffDir: string): Promise<Pending | undefined> {
  return (await ownPending(handoffDir))?.pending;
}

async function ownPending(handoffDir: string) {
  const path = join(handoffDir, NAME);
  const written = await readRegular(path, { mostBytes: SESSION_LIMITS.pendingBytes }).catch(() => undefined);
  if (written === undefined || !isOwnText(written, placeOfFile(path))) return undefined;
  const { front } = frontMatter(written);
  const pending = front === undefined ? undefined : pendingIn(front);
  return pending && { path, written, pending };
}

/** Takes the file away once its handoff was used. One that says something else by now stays. */
export async function removePending(handoffDir: string, document: string): Promise<boolean> {
  const found = await ownPending(handoffDir);
  if (found?.pending.document !== document) return false;
  await rm(found.path, { force: true });
  forgetText(found.written, placeOfFile(found.path));
  return true;
}

/** A hook reads this on its way: the values are JSON, which is YAML too and needs no reader of its own. */
function text(pending: Pending): string {
  const front = Object.entries(pending).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return [
    "---",
    ...front,
    "---",
    "",
    "# A handoff waits for you",
    "",
    `Handoff ${pending.number} is in ${pending.document}.`,
    `It did not continue on its own: ${pending.reason}.`,
    "",
    "Start a new session in this project. With Baton's plugin it is told of this file, and `/baton:continue` picks the",
    `handoff up. Without it: \`baton continue ${pending.document}\`, or tell the new session to read the document.`,
    "",
    "This file goes away once the handoff has been picked up.",
    "",
  ].join("\n");
}

function pendingIn(front: string): Pending | undefined {
  const found = new Map<string, unknown>();
  for (const line of front.split(/\r?\n/)) {
    const [, key = "", value = ""] = /^(\w+): (.*)$/.exec(line) ?? [];
    found.set(key, fromJson(value));
  }
  const value: unknown = Object.fromEntries(found);
  return isPending(value) ? value : undefined;
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
