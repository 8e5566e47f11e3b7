import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { gitState } from "../git/state.ts";
import type { Account } from "./account.ts";
import { check, citedPaths } from "./checks.ts";
import type { Facts, WorkspaceFacts } from "./facts.ts";
import type { Judged } from "./write.ts";

/** What an account is held against. */
export interface Yardstick {
  cwd: string;
  /** Another folder that the agent may name paths from. */
  root?: string;
  /** The commit that the work began from. */
  base?: string;
  facts: Facts;
  /** The facts as the document will show them beside the account. */
  shown: (account: Account, workspace: WorkspaceFacts) => string;
  /** Takes secrets out. */
  redact: (account: Account) => Account;
  /** Sections of the user's template beyond our own. */
  extra: readonly string[];
  /** Of the next session; 0 where it is not known. */
  window: number;
  /** Per cent of that window that the document may take. */
  budgetPercent: number;
}

const TOKEN_CHARACTERS = 4;
const WINDOW_IF_UNKNOWN = 200_000;

/** Holds an account against the facts and against the workspace as it stands now. */
export async function judge(given: Account, yardstick: Yardstick): Promise<Judged> {
  const { cwd, root, base, facts, shown, extra, window, budgetPercent } = yardstick;
  const account = yardstick.redact(given);
  const secrets = JSON.stringify(given) === JSON.stringify(account) ? 0 : 1;
  const named = [
    ...citedPaths(account),
    ...facts.files.flatMap(({ path, change }) => (change ? [path] : [])),
    ...(facts.working?.seen ?? []).map(({ path }) => path),
  ];
  const [git, missing] = await Promise.all([
    gitState(cwd, base),
    notThere(root ? [cwd, root] : [cwd], [...new Set(named)]),
  ]);
  const workspace: WorkspaceFacts = { git: git ?? null, missing };
  const characters = JSON.stringify(account).length + shown(account, workspace).length;
  const budget = {
    most: Math.round(((window || WINDOW_IF_UNKNOWN) * budgetPercent) / 100),
    takes: Math.round(characters / TOKEN_CHARACTERS),
  };
  return { account, workspace, checks: check({ account, facts, workspace, extra, budget, secrets }) };
}

async function notThere(folders: readonly string[], paths: string[]): Promise<string[]> {
  const isThere = async (path: string) =>
    Promise.any(folders.map((folder) => access(resolve(folder, path)))).then(
      () => true,
      () => false,
    );
  const found = await Promise.all(paths.map(async (path) => ((await isThere(path)) ? [] : [path])));
  return found.flat();
}
