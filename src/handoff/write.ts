import { type Account, emptyAccount } from "./account.ts";
import type { Check } from "./checks.ts";
import type { HandoffOutcome } from "./document.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";
import { accountFromFacts, withKnown } from "./from-facts.ts";
import { mended, SMALLER, shortened } from "./mend.ts";

/** What came back when the session was asked. `final`: asking again would be of no use. */
export type Answer = { kind: "account"; account: Account } | { kind: "nothing"; why: string; final: boolean };

/** An account with secrets taken out, and what the checks say of it. */
export interface Judged {
  account: Account;
  checks: Check[];
  workspace: WorkspaceFacts;
}

export interface Written extends Judged {
  outcome: Extract<HandoffOutcome, "written" | "mended" | "from-facts">;
  /** Why the account is not the agent's own as it stands. */
  reason: string | null;
}

export interface WriteOptions {
  /** The session; or why it can say nothing any more. */
  from: { ask: (shortfalls: readonly string[]) => Promise<Answer> } | { why: string };
  facts: Facts;
  /** Sections of the user's template beyond our own. */
  extra?: readonly string[];
  /** The account before this one, in case there is none now. */
  earlier?: Account;
  judge: (account: Account) => Promise<Judged>;
}

/** Asks, checks, asks once more for exactly what falls short, completes it from the facts; without an account, the facts alone. */
export async function writeAccount(options: WriteOptions): Promise<Written> {
  const { from, judge } = options;
  if ("why" in from) return fromFacts(options, from.why);
  const { ask } = from;
  const first = await ask([]);
  if (first.kind === "nothing" && first.final) return fromFacts(options, first.why);
  const judged = first.kind === "account" ? await judge(first.account) : undefined;
  if (judged && passes(judged)) return asWritten(judged, options);

  const second = await ask(judged ? shortfalls(judged.checks) : [first.kind === "nothing" ? first.why : ""]);
  if (second.kind === "nothing") {
    return judged ? mend(judged, options) : fromFacts(options, second.why);
  }
  const again = await judge(second.account);
  return passes(again) ? asWritten(again, options) : mend(again, options);
}

/**
 * For an account that comes by itself, with nobody waiting for it: what it still lacks, or the account to store. The
 * second one is completed from the facts, because nobody is asked a third time.
 */
export async function receiveAccount(
  account: Account,
  options: Pick<WriteOptions, "facts" | "extra" | "judge"> & { second: boolean },
): Promise<{ missing: string[] } | { written: Written }> {
  const judged = await options.judge(account);
  if (passes(judged)) return { written: asWritten(judged, options) };
  return options.second ? { written: await mend(judged, options) } : { missing: shortfalls(judged.checks) };
}

function asWritten(judged: Judged, { facts }: Pick<WriteOptions, "facts">): Written {
  const account = withKnown(judged.account, facts, judged.workspace);
  return { ...judged, account, outcome: "written", reason: null };
}

/** Secrets are taken out by machine: there is nothing to ask the agent for. */
function passes({ checks }: Judged): boolean {
  return checks.every(({ ok, name }) => ok || name === "no-secrets");
}

function shortfalls(checks: readonly Check[]): string[] {
  return checks.filter(({ name }) => name !== "no-secrets").flatMap(({ missing }) => missing);
}

async function mend(
  judged: Judged,
  { facts, judge, extra }: Pick<WriteOptions, "facts" | "judge" | "extra">,
): Promise<Written> {
  let better = await judge(mended(judged.account, facts, judged.workspace, judged.checks, extra));
  for (const size of SMALLER) {
    if (better.checks.every(({ name, ok }) => ok || name !== "budget")) break;
    better = await judge(shortened(better.account, size));
  }
  const reason = shortfalls(judged.checks).join("; ");
  const account = withKnown(better.account, facts, better.workspace);
  return { ...better, account, checks: judged.checks, outcome: "mended", reason };
}

async function fromFacts({ facts, earlier, judge }: WriteOptions, reason: string): Promise<Written> {
  const { workspace } = await judge(emptyAccount());
  const judged = await judge(accountFromFacts(facts, workspace, earlier));
  return { ...judged, outcome: "from-facts", reason };
}
