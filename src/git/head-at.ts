import { askGit } from "./git.ts";

/** The commit that HEAD was at then, by the repository's own log of its moves. Undefined where it does not reach back. */
export async function headAt(folder: string, time: string): Promise<string | undefined> {
  const log = await askGit(folder, ["reflog", "show", "--date=iso-strict", "--format=%H %gd", "HEAD"]);
  const moves = (log ?? "").split("\n").flatMap((line) => {
    const [, commit = "", at = ""] = /^(\w+) HEAD@\{(.+)\}$/.exec(line) ?? [];
    return commit === "" ? [] : [{ commit, at: Date.parse(at) }];
  });
  return moves.find(({ at }) => at <= Date.parse(time))?.commit;
}
