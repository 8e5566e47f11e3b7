import { tryGit, zeroSeparated } from "./git.ts";

/** The files of a folder that git knows or would add, as paths below it. None where there is no repository. */
export async function filesBelow(folder: string): Promise<string[]> {
  const listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { ok, stdout } = await tryGit(folder, ["--no-optional-locks", ...listed]);
  return ok ? [...new Set(zeroSeparated(stdout))] : [];
}
