import { parse, stringify } from "yaml";
import { frontMatter } from "../util/front-matter.ts";
import type { Account } from "./account.ts";
import type { Check } from "./checks.ts";
import { INSTRUCTIONS } from "./instructions.ts";
import { parseAccount, renderAccount } from "./markdown.ts";
import { titled } from "./text/sections.ts";

/** `hook` is a handoff that the user's own hooks made. */
export type HandoffSource = "agent" | "facts" | "hook";

/** What made the handoff happen. */
export type HandoffTrigger =
  | "threshold"
  | "forecast"
  | "overflow"
  | "resume"
  | "lost"
  | "manual"
  | "agent"
  | "switch";

/** How a document came about. An empty answer is no cancellation: it ends as `from-facts`, or as `failed`. */
export type HandoffOutcome = "written" | "mended" | "from-facts" | "cancelled" | "failed";

/** What the front matter says. */
export interface DocumentHead {
  /** Null for a session that a person started. */
  job: string | null;
  /** By the name of its folder. */
  project?: string;
  /** That the user has put the job in. */
  epic?: string;
  /** What the job works on: its name in the tracker, and its address. */
  item?: string;
  item_url?: string;
  agent: string;
  number: number;
  previous: string | null;
  created: string;
  reason: HandoffTrigger;
  source: HandoffSource;
  outcome: HandoffOutcome;
  session: string;
  /** The session whose handoff this one had picked up. Told for sessions without a job: a job knows its own. */
  parent?: string | null;
  transcript: string | null;
  /** The file beside it that holds what it has no room for, by its name. */
  appendix?: string;
  tokens: number;
  window: number;
  percent: number;
  branch: string | null;
  head: string | null;
  checkpoint: string | null;
  checks: Record<string, "ok" | "mended">;
}

export interface HandoffDocument {
  head: DocumentHead;
  account: Account;
  /** The facts, as they are shown to the next session. */
  facts: string;
  /** What that session does first. Missing in documents of earlier versions. */
  instructions?: string;
  /** The text of the file that its head names. */
  appendix?: string;
}

const FACTS = "Facts";

/** `order`: the sections of the user's template. */
export function renderDocument(
  { head, account, facts, instructions }: HandoffDocument,
  order: readonly string[] = [],
): string {
  const first = head.job !== null && head.previous === null;
  const parts = [
    `# Handoff ${head.number}${first ? ", the first of its job" : ""}`,
    renderAccount(withOwnTitles(account), order),
    ...partsByMachine({ facts, instructions }),
  ];
  return `---\n${stringify(head)}---\n\n${parts.join("\n\n")}\n`;
}

/** What Baton adds to an account. */
export function partsByMachine({
  facts,
  instructions,
}: {
  facts: string;
  instructions?: string | undefined;
}): string[] {
  const told = `## ${FACTS}\n\n${facts}`;
  return instructions === undefined ? [told] : [told, `## ${INSTRUCTIONS}\n\n${instructions}`];
}

const BY_MACHINE = [FACTS, INSTRUCTIONS];

export function isByMachine(title: string): boolean {
  return BY_MACHINE.includes(title);
}

/** What a session says under a title that is Baton's stays what the session says. */
export function ownTitle(title: string): string {
  const plain = titled(title);
  return isByMachine(plain) ? `${plain} (as the session put it)` : title;
}

function withOwnTitles(account: Account): Account {
  return { ...account, extra: account.extra.map(({ title, text }) => ({ title: ownTitle(title), text })) };
}

/** What a document says. Its head is partial where another tool or a person wrote it. */
export function parseDocument(text: string): {
  head: Partial<DocumentHead>;
  account: Account;
  facts: string;
  instructions?: string;
} {
  const { front = "", body } = frontMatter(text);
  const account = parseAccount(body);
  const told = (wanted: string) => account.extra.findLast(({ title }) => title === wanted)?.text;
  const instructions = told(INSTRUCTIONS);
  return {
    head: headIn(front),
    account: { ...account, extra: account.extra.filter(({ title }) => !BY_MACHINE.includes(title)) },
    facts: told(FACTS) ?? "",
    ...(instructions !== undefined && { instructions }),
  };
}

const KINDS: Record<keyof DocumentHead, "string" | "number" | "object"> = {
  job: "string",
  project: "string",
  epic: "string",
  item: "string",
  item_url: "string",
  agent: "string",
  number: "number",
  previous: "string",
  created: "string",
  reason: "string",
  source: "string",
  outcome: "string",
  session: "string",
  parent: "string",
  transcript: "string",
  appendix: "string",
  tokens: "number",
  window: "number",
  percent: "number",
  branch: "string",
  head: "string",
  checkpoint: "string",
  checks: "object",
};

/** A head is flat: its one map has a name of its own. More brackets than this are there to keep a parser busy. */
const MOST_BRACKETS = 1_000;

/** Only what is of the right kind: the rest of Baton relies on it. */
function headIn(front: string): Partial<DocumentHead> {
  if (front.split(/[[{]/, MOST_BRACKETS + 1).length > MOST_BRACKETS) return {};
  try {
    // To look for duplicates, the parser compares every key with every other. A head has no aliases.
    const value: unknown = parse(front, { uniqueKeys: false, maxAliasCount: 0, logLevel: "silent" });
    if (typeof value !== "object" || value === null) return {};
    const known = Object.entries(KINDS).flatMap(([key, kind]) => {
      const found: unknown = Reflect.get(value, key);
      return found === null || typeof found === kind ? [[key, found]] : [];
    });
    return Object.fromEntries(known);
  } catch {
    return {};
  }
}

export function checksOnRecord(checks: readonly Check[]): DocumentHead["checks"] {
  return Object.fromEntries(checks.map(({ name, ok }) => [name, ok ? "ok" : "mended"]));
}
