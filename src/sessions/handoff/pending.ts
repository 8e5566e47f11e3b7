import { rm } from "node:fs/promises";
import { join } from "node:path";
import { readBoundedText } from "../../files/bounded-file.ts";
import { replaceFile } from "../../files/replace.ts";
import { makeHandoffDir, syncFolder } from "../../handoff/library.ts";
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

function pendingPath(handoffDir: string): string {
  return join(handoffDir, NAME);
}

/** Says in the handoff folder that a handoff waits. A newer one takes the place of an older one. */
export async function writePending(handoffDir: string, pending: Pending): Promise<string> {
  const path = pendingPath(handoffDir);
  await makeHandoffDir(handoffDir);
  await replaceFile(path, text({ ...pending, reason: inOneLine(pending.reason) }));
  await syncFolder(handoffDir);
  return path;
}

/** What waits in this folder, if anything. */
export async function readPending(handoffDir: string): Promise<Pending | undefined> {
  const { front } = frontMatter(textOrNone(pendingPath(handoffDir)));
  return front === undefined ? undefined : pendingIn(front);
}

/** A hook reads it at every start: whatever stands in its place must not hold that up. */
function textOrNone(path: string): string {
  try {
    return readBoundedText(path, SESSION_LIMITS.pendingBytes);
  } catch {
    return "";
  }
}

/** Takes the file away once its handoff was used. One that says something else by now stays. */
export async function removePending(handoffDir: string, document: string): Promise<boolean> {
  if ((await readPending(handoffDir))?.document !== document) return false;
  await rm(pendingPath(handoffDir), { force: true });
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
