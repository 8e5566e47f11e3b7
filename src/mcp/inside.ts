import { lstat, readFile, realpath } from "node:fs/promises";
import { basename, isAbsolute, join, relative, resolve } from "node:path";
import { SECTIONS } from "../handoff/account.ts";
import { findDocument, isFile } from "../handoff/history.ts";
import { sectionNamed, sectionsOf } from "../handoff/markdown.ts";

/** A refusal that says what to do instead. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

const LARGEST_BYTES = 4 * 1024 * 1024;

/** Where documents may be: the project, and the folder of its handoffs, wherever the user has put that. */
export interface Folders {
  root: string;
  handoffDir: string;
}

/**
 * A handoff document of the project, by its path or by its name in the folder of handoffs. Whatever is not inside the
 * project is refused, however the way out is disguised.
 */
export async function documentInside(
  folders: Folders,
  named: string,
): Promise<{ path: string; text: string }> {
  const path = await whereIs(folders, named);
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) {
    if (!(await isInside(folders, path))) throw outside(named, folders);
    throw new RefusedError(`There is no document ${path}. list_handoffs lists the documents.`);
  }
  if (!(await isInside(folders, real))) throw outside(named, folders);
  const found = await lstat(real);
  if (!found.isFile()) throw new RefusedError(`${path} is not a file. list_handoffs lists the documents.`);
  if (found.size > LARGEST_BYTES) throw new RefusedError(`${path} is too large for a handoff document.`);
  const text = await readFile(real, "utf8");
  if (sectionsOf(text).some(({ title }) => sectionNamed(title) !== undefined)) return { path, text };
  const expected = SECTIONS.map(({ title }) => title).join(", ");
  throw new RefusedError(
    `${path} is not a handoff document: it has none of the sections of one (${expected}).`,
  );
}

async function whereIs({ root, handoffDir }: Folders, named: string): Promise<string> {
  const inProject = resolve(root, named);
  if (named !== basename(named)) return findDocument(inProject);
  const inFolder = await findDocument(join(handoffDir, named));
  return !(await isFile(inFolder)) && (await isFile(inProject)) ? inProject : inFolder;
}

function outside(named: string, { root, handoffDir }: Folders): RefusedError {
  return new RefusedError(
    `${named} is outside of the project: this server serves ${root} and nothing else. Name a document in ${handoffDir}; list_handoffs lists them.`,
  );
}

/** A folder of handoffs that lies in the project by its name must lie there in truth: a link in a repository can lead anywhere. */
export async function isInside({ root, handoffDir }: Folders, path: string): Promise<boolean> {
  const served = isBelow(root, handoffDir) ? [root] : [root, handoffDir];
  const real = await Promise.all(served.map((folder) => realpath(folder).catch(() => folder)));
  return [...served, ...real].some((folder) => isBelow(folder, path));
}

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}
