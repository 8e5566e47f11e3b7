import { realpath } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { isWithin, readInside, UnsafePathError } from "../../files/inside.ts";
import { SECTIONS } from "../../handoff/account.ts";
import { findDocument, isFile } from "../../handoff/history.ts";
import type { Announced } from "../../handoff/library.ts";
import { HANDOFF_LIMITS } from "../../handoff/limits.ts";
import { sectionNamed } from "../../handoff/markdown.ts";
import { sectionsOf } from "../../handoff/text/sections.ts";
import { hasOverlongFront } from "../../util/front-matter.ts";

/** Where documents may be: the project, and the folder of its handoffs, wherever the user has put that. */
export interface Folders {
  root: string;
  handoffDir: string;
}

/** Why something is not taken for a handoff document of the project. */
export type Refusal = { path: string } & (
  | ({ refused: "outside"; named: string } & Folders)
  | { refused: "missing" | "not-a-file" | "too-large" | "front-too-long" }
  /** It has none of the sections that are expected. */
  | { refused: "no-handoff"; expected: string[] }
);

/**
 * A handoff document of the project, by its path or by its name in the folder of handoffs. Whatever is not inside the
 * project is refused, however the way out is disguised.
 */
export async function documentInside(folders: Folders, named: string): Promise<Announced | Refusal> {
  const path = await whereIs(folders, named);
  const outside: Refusal = { path, refused: "outside", named, ...folders };
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) {
    return (await isInside(folders, path)) ? { path, refused: "missing" } : outside;
  }
  const base = await baseOf(folders, real);
  if (base === undefined) return outside;
  const inside = { root: base, path: relative(base, real) };
  let text: string | undefined;
  try {
    text = await readInside(inside.root, inside.path, {
      mostBytes: HANDOFF_LIMITS.documentBytes,
      sharedNames: true,
    });
  } catch (error) {
    if (!(error instanceof UnsafePathError)) throw error;
    return error.code === "link" ? outside : { path, refused: refusalOf(error) };
  }
  if (text === undefined) return { path, refused: "missing" };
  if (hasOverlongFront(text)) return { path, refused: "front-too-long" };
  if (sectionsOf(text).some(({ title }) => sectionNamed(title) !== undefined)) return { path, text, inside };
  return { path, refused: "no-handoff", expected: SECTIONS.map(({ title }) => title) };
}

async function whereIs({ root, handoffDir }: Folders, named: string): Promise<string> {
  const inProject = resolve(root, named);
  if (named !== basename(named)) return findDocument(inProject);
  const inFolder = await findDocument(join(handoffDir, named));
  return !(await isFile(inFolder)) && (await isFile(inProject)) ? inProject : inFolder;
}

function refusalOf({ code }: UnsafePathError): "not-a-file" | "too-large" {
  return code === "too-large" ? code : "not-a-file";
}

/** A folder of handoffs that lies in the project by its name must lie there in truth: a link in a repository can lead anywhere. */
export async function isInside(folders: Folders, path: string): Promise<boolean> {
  return (await baseOf(folders, path)) !== undefined;
}

/** The served folder that a path is in. */
async function baseOf({ root, handoffDir }: Folders, path: string): Promise<string | undefined> {
  const served = isBelow(root, handoffDir) ? [root] : [root, handoffDir];
  const real = await Promise.all(served.map((folder) => realpath(folder).catch(() => folder)));
  return [...real, ...served].find((folder) => isBelow(folder, path));
}

function isBelow(folder: string, path: string): boolean {
  return isWithin(folder, path) && relative(folder, path) !== "";
}
