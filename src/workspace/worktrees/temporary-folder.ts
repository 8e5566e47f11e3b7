import { lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkspaceError } from "../workspace.ts";

/** Where this user's processes meet, whatever project they work for. Anybody could have made it before us. */
export async function ownTemporaryFolder(): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `baton-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid === uid) return folder;
  throw new WorkspaceError(`${folder} is not yours. Have it removed, or set TMPDIR to a folder that is.`);
}
