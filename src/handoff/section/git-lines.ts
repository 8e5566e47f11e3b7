import { type Account, textOf } from "../account.ts";
import type { WorkspaceFacts } from "../facts.ts";
import { code, fence, shortLines, shortList } from "./marks.ts";

/** How git stands, without what the account says of it. */
export function gitLines(
  git: NonNullable<WorkspaceFacts["git"]>,
  account: Account,
  most: { commits: number; changes: number },
): string {
  const { branch, head, commits, changes, diffstat, changedSinceBase = [] } = git;
  const said = textOf(account);
  const unsaid = changedSinceBase.filter((line) => !said.includes(line.split("\t").at(-1) ?? line));
  const parts = [
    `Branch ${branch ? code(branch) : "(detached)"} at ${head ? code(head) : "no commit"}.`,
    commits.length > 0 ? `Commits since it began:\n\n${shortList(commits, most.commits)}` : "",
    diffstat ? `Against the commit that it began from: ${diffstat}.` : "",
    unsaid.length > 0
      ? `Changed since then and not named above:\n\n${fence(shortLines(unsaid, most.changes))}`
      : "",
    changes.length > 0
      ? `Uncommitted:\n\n${fence(shortLines(changes, most.changes))}`
      : "Nothing is uncommitted.",
  ];
  return parts.filter(Boolean).join("\n\n");
}
