import { createHash } from "node:crypto";
import { link, lstat, mkdir, realpath, unlink } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { codeOf } from "../../../util/errors.ts";
import type { SessionSpec } from "../../agent.ts";
import { codexHome, findTranscript, INSIDE, SESSIONS } from "../transcripts.ts";

/**
 * What a container has in place of all sessions of the user's: those of this folder. Codex keeps them by date, so there is no
 * other way to show some of them alone.
 */
export function sessionsInside(env: Record<string, string>, folder: string): string {
  return join(codexHome(env), INSIDE, createHash("sha256").update(folder).digest("hex").slice(0, 16));
}

type Placed = Pick<SessionSpec, "env" | "cwd"> & { box?: unknown };

/** Has a transcript where Codex will look for it: in the container, or outside. Both are one file then. */
export async function bringTranscript({ env, cwd, box }: Placed, session: string): Promise<void> {
  const found = await findTranscript(env, session);
  const to = box ? sessionsInside(env, await realpath(cwd)) : join(codexHome(env), SESSIONS);
  if (found !== undefined && !found.startsWith(to + sep)) await linked(found, join(to, ...byDate(found)));
}

/** Has a transcript that was begun in a container among all others. False as long as it is not there. */
export async function shareTranscript({ env, cwd }: Placed, session: string): Promise<boolean> {
  const inside = sessionsInside(env, await realpath(cwd));
  const found = await findTranscript(env, session);
  if (found?.startsWith(inside + sep)) await linked(found, join(codexHome(env), SESSIONS, ...byDate(found)));
  return found !== undefined;
}

/** Its name, and the year, month and day that it stands under. */
const byDate = (path: string): string[] => path.split(sep).slice(-4);

async function linked(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  // The agent could have put a link to something else in its place.
  if (!(await lstat(to)).isFile()) await unlink(to);
}
