import { createHash } from "node:crypto";
import { constants, readdirSync, rmSync } from "node:fs";
import { copyFile, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ChatAttachments } from "../../config/chat-config.ts";
import type { ChatFile } from "../../connectors/connector.ts";
import { openFolderInside } from "../../files/inside.ts";
import { makeOwnFolder } from "../../files/own-folder.ts";
import { draftOf } from "../../files/scratch.ts";
import { storePath } from "../../files/store-path.ts";
import { messageOf } from "../../util/errors.ts";
import { quotedLine } from "../../util/frame.ts";

const LONGEST_NAME = 80;

/** Where files wait until the job's folder is there: below the project's own state, by conversation and message. */
function stagedFor(root: string, conversation: string): string {
  return join(dirname(storePath(root)), "chat-files", shortDigest(conversation));
}

interface Given {
  conversation: string;
  event: string;
  attachments: ChatAttachments;
  /** Undefined after a restart: then only their names are left. */
  files: readonly ChatFile[] | undefined;
  named: readonly { name: string }[];
  signal: AbortSignal;
}

/** Keeps what somebody attached, and says it in the words of their message. */
export async function keepFiles(root: string, given: Given): Promise<string> {
  const { attachments, files, named, event, conversation, signal } = given;
  if (named.length === 0) return "";
  const not = (name: string, why: string) =>
    `(attached, and not given to you: ${quotedLine(name, LONGEST_NAME)}, ${why})`;
  if (!attachments.enabled) return named.map(({ name }) => not(name, "attachments are off")).join("\n");
  if (!files)
    return named.map(({ name }) => not(name, "it was lost in a restart; ask for it again")).join("\n");
  const lines: string[] = [];
  const folder = join(stagedFor(root, conversation), shortDigest(event));
  for (const [index, file] of files.entries()) {
    const why = refusal(file, index, attachments);
    if (why !== undefined) {
      lines.push(not(file.name, why));
      continue;
    }
    try {
      const bytes = await file.read(attachments.maxBytes, signal);
      makeOwnFolder(dirname(dirname(folder)));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${index + 1}-${safeName(file.name)}`;
      await writeFile(join(folder, name), bytes, { mode: 0o600 });
      lines.push(`(attached: ${attachments.folder}/${shortDigest(event)}/${name})`);
    } catch (error) {
      lines.push(not(file.name, messageOf(error).split("\n", 1)[0] ?? ""));
    }
  }
  return lines.join("\n");
}

/** Brings what waits into the folder of the job, through no link. */
export async function bringFiles(
  root: string,
  conversation: string,
  job: string,
  { folder, cleanUp }: ChatAttachments,
): Promise<void> {
  const staged = stagedFor(root, conversation);
  for (const event of entriesIn(staged)) {
    await using place = await openFolderInside(job, join(folder, event), { make: { mode: 0o700 } });
    if (!place) continue;
    await ignore(job, folder);
    for (const name of entriesIn(join(staged, event)))
      await copyFresh(join(staged, event, name), join(place.path, name));
    if (!cleanUp) await rm(join(staged, event), { recursive: true, force: true });
  }
}

/** The agent may have put a link in its place by then: it is replaced, and never written through. */
async function copyFresh(from: string, to: string): Promise<void> {
  const draft = draftOf(to);
  try {
    await copyFile(from, draft, constants.COPYFILE_EXCL);
    await rename(draft, to);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The agent has answered: what it was given for that goes. */
export async function removeFiles(
  root: string,
  conversation: string,
  job: string,
  { folder }: ChatAttachments,
): Promise<void> {
  const staged = stagedFor(root, conversation);
  for (const event of entriesIn(staged)) {
    await using place = await openFolderInside(job, folder);
    if (place) await rm(join(place.path, event), { recursive: true, force: true });
    rmSync(join(staged, event), { recursive: true, force: true });
  }
}

/** Nothing of it is committed with the work. */
async function ignore(job: string, folder: string): Promise<void> {
  await using place = await openFolderInside(job, folder);
  if (place) await writeFile(join(place.path, ".gitignore"), "*\n", { flag: "wx" }).catch(() => {});
}

function refusal(
  { type, bytes }: ChatFile,
  index: number,
  { types, maxBytes, maxFiles }: ChatAttachments,
): string | undefined {
  if (index >= maxFiles) return `more than ${maxFiles} files`;
  if (bytes > maxBytes) return `larger than ${maxBytes / 1_000_000} MB`;
  const isAllowed = types.some(
    (allowed) => allowed === type || (allowed.endsWith("/*") && type.startsWith(allowed.slice(0, -1))),
  );
  return isAllowed ? undefined : "of a type that is not in allowed_types";
}

function entriesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function safeName(name: string): string {
  return (
    name
      .normalize("NFKC")
      .replace(/[^\p{L}\p{N}._-]+/gu, "_")
      .replace(/^\.+/, "")
      .slice(-LONGEST_NAME) || "file"
  );
}

function shortDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
