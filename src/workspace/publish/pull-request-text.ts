import { oneLine, printable } from "../../util/printable.ts";
import type { WorkItem } from "../workspace.ts";
import { closingNothing } from "./closing-words.ts";
import { cutAtLine, subjectOf } from "./commit-message.ts";

interface Work {
  workItem?: WorkItem | undefined;
  branch: string;
  /** The agent's last word. */
  result: string;
  prompt: string;
  job: string;
  agent: string;
  /** Commits whose messages close more than the item. They are the agent's, and stay as they are. */
  closing?: readonly ClosingCommit[];
}

export interface ClosingCommit {
  id: string;
  closes: string[];
}

const TITLE_LIMIT = 200;
/** GitHub takes 65,536. */
const BODY_LIMIT = 60_000;
const PROMPT_LIMIT = 10_000;

/** What a pull request says about the work. */
export function pullRequestText({ workItem, branch, result, prompt, job, agent, closing = [] }: Work): {
  title: string;
  body: string;
} {
  const about = subjectOf(result) || subjectOf(prompt) || branch;
  const title = workItem ? `${workItem.id}: ${workItem.title?.trim() || about}` : about;
  // What a tracker says of it is there to be read, and need not be copied.
  const why = workItem?.url === undefined ? asked(prompt) : `Work item: ${oneLine(workItem.url)}`;
  const end = [closingWords(closing), why, `Job ${job} of ${oneLine(agent)}, run by Baton.`]
    .filter(Boolean)
    .join("\n\n");
  const told = cutAtLine(printable(result).trim(), BODY_LIMIT - end.length - 20);
  // What a tracker has is closed by a merge of its own pull request, and by nothing that an agent or a stranger wrote.
  const quiet = (text: string) => (workItem?.source === undefined ? text : closingNothing(text));
  return {
    title: quiet(subjectOf(title, TITLE_LIMIT)) || branch,
    body: `${[closed(quiet(told)), end].filter(Boolean).join("\n\n")}\n`,
  };
}

const MOST_NAMED = 10;

/** For people, before they merge. Empty where there is nothing to say. */
export function closingWords(commits: readonly ClosingCommit[]): string {
  if (commits.length === 0) return "";
  const named = commits.slice(0, MOST_NAMED).map(({ id, closes }) => {
    return `${id} (${closes.map((each) => `\`${oneLine(each).replaceAll("`", "")}\``).join(", ")})`;
  });
  const more = commits.length > MOST_NAMED ? `, and ${commits.length - MOST_NAMED} more` : "";
  return `Merging this closes other issues too, as commit messages of the agent say: ${named.join(", ")}${more}. If that is not meant, squash them under another message.`;
}

/** As code, so that names and numbers in it call nobody and close nothing. */
function asked(prompt: string): string {
  const text = cutAtLine(printable(prompt).trim(), PROMPT_LIMIT);
  if (text === "") return "";
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `<details><summary>What was asked</summary>\n\n${fence}text\n${text}\n${fence}\n\n</details>`;
}

/** What comes after a block of code that was cut must not be a part of it. */
function closed(text: string): string {
  let open = "";
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) continue;
    if (open === "") open = fence;
    else if (fence.startsWith(open) && line.trim() === fence) open = "";
  }
  return open === "" ? text : `${text}\n${open}`;
}
