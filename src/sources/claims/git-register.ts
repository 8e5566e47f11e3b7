import { delimiter } from "node:path";
import { AS_BATON, environmentForGit, type GitOptions, git, tryGit } from "../../git/git.ts";
import { addressesOf, placeToPush } from "../../git/remote-addresses.ts";
import type { Run } from "../../processes/run.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { type ClaimRecord, parseRecord, printRecord } from "./record.ts";
import { claimRef, claimRefs } from "./ref-name.ts";
import { type Register, RegisterUnreachableError, type Standing } from "./register.ts";

export interface GitPlace {
  /** The main checkout, or a bare repository. */
  root: string;
  /** The name of a remote in it, or an address. */
  remote: string;
  source: string;
  /** With the credentials for the remote. */
  env?: Record<string, string>;
}

/** To read or write one small ref. */
const TIMEOUT_MS = 60_000;

/** How often one looks again at what has changed meanwhile, and pushes again what left no trace. */
const TRIES = 4;

const MOST_KNOWN = 1_000;

/** What git expects of a ref that is not there. */
const NOTHING = "";

/**
 * Claims as refs of a remote, below `refs/baton/claims`: no branch, and nothing that is cloned. A ref is replaced only where
 * it still is what was read, which the remote itself compares. Each record is a commit without files and without parents, so
 * that the remote can forget what was replaced.
 */
export class GitRegister implements Register {
  readonly place: string;
  readonly #at: GitPlace;
  /** What was last read or written. A commit never says anything else. */
  readonly #known = new Map<string, Standing>();
  #remote: Promise<string> | undefined;

  constructor(place: GitPlace) {
    this.#at = { ...place, env: withGit(environmentForGit(place.env ?? {})) };
    this.place = `${claimRefs(place.source)} on ${withoutCredentials(place.remote)}`;
  }

  async read(item: string, signal?: AbortSignal): Promise<Standing | undefined> {
    return (await this.readAll([item], signal)).get(item);
  }

  async readAll(items: readonly string[], signal?: AbortSignal): Promise<Map<string, Standing>> {
    for (let look = 1; ; look++) {
      const standing = new Map<string, Standing>();
      const found = await this.#list(items, signal);
      const isKnown = (item: string, version: string) => this.#known.get(item)?.version === version;
      const others = new Map([...found].filter(([item, version]) => !isKnown(item, version)));
      const texts = await this.#messages(others, signal);
      for (const [item, version] of found) {
        const text = texts.get(version);
        if (text !== undefined) this.#keep(item, { version, record: parseRecord(text) });
        standing.set(
          item,
          (isKnown(item, version) && this.#known.get(item)) || { version, record: undefined },
        );
      }
      // What was replaced since the list was made may be gone.
      if (look === TRIES || [...others.values()].every((version) => texts.has(version))) return standing;
    }
  }

  #keep(item: string, standing: Standing): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(item, standing);
  }

  take(record: ClaimRecord, over: Standing | undefined, signal?: AbortSignal): Promise<Standing | undefined> {
    return this.#replace(record, over?.version ?? NOTHING, signal);
  }

  change(record: ClaimRecord, mine: Standing, signal?: AbortSignal): Promise<Standing | undefined> {
    return this.#replace(record, mine.version, signal);
  }

  async remove(item: string, { version }: Standing, signal?: AbortSignal): Promise<boolean> {
    return this.#put(item, NOTHING, version, signal);
  }

  async #replace(record: ClaimRecord, expected: string, signal?: AbortSignal): Promise<Standing | undefined> {
    const options = this.#options(signal);
    const tree = await git(this.#at.root, ["hash-object", "-t", "tree", "-w", "--stdin"], options);
    const commit = ["commit-tree", tree];
    const version = await git(this.#at.root, commit, { ...options, input: printRecord(record) });
    if (!(await this.#put(record.item, version, expected, signal))) return undefined;
    this.#keep(record.item, { version, record });
    return { version, record };
  }

  /** False: something else stands there than was expected. */
  async #put(item: string, version: string, expected: string, signal?: AbortSignal): Promise<boolean> {
    const ref = claimRef(this.#at.source, item);
    const flags = ["--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--no-verify"];
    const lease = `--force-with-lease=${ref}:${expected}`;
    for (let attempt = 1; ; attempt++) {
      const run = await this.#talk(["push", ...flags, lease], [`${version}:${ref}`], { signal });
      if (run.ok && isTold(run, ref)) return true;
      // The answer may be what was lost, also where the push was broken off: what stands there now says it.
      const now = (await this.#list([item])).get(item) ?? NOTHING;
      if (now === version) return true;
      if (now !== expected) return false;
      // Two who push at once may both be told that a lock was taken, and a rule or a broken line leave no trace either.
      if (attempt === TRIES || signal?.aborted) throw unreachable(run, ref);
    }
  }

  /** What stands where, of those items. Git asks for one ref, or takes all of a source. */
  async #list(items: readonly string[], signal?: AbortSignal): Promise<Map<string, string>> {
    const { source } = this.#at;
    const refs = new Map(items.map((item) => [claimRef(source, item), item]));
    const patterns = items.length === 1 ? [...refs.keys()] : [`${claimRefs(source)}/*`];
    const run = await this.#talk(["ls-remote", "--refs"], patterns, { signal });
    if (!run.ok) throw unreachable(run);
    const found = run.stdout.split("\n").flatMap((line): [string, string][] => {
      const [commit = "", ref = ""] = line.split("\t");
      const item = refs.get(ref);
      return item === undefined ? [] : [[item, commit]];
    });
    return new Map(found);
  }

  /** What the commits say, by their names. Those that the remote has no more are missing. */
  async #messages(found: ReadonlyMap<string, string>, signal?: AbortSignal): Promise<Map<string, string>> {
    const commits = [...new Set(found.values())];
    const known = await this.#messagesHere(commits);
    const unknown = [...found].filter(([, commit]) => !known.has(commit));
    if (unknown.length === 0) return known;
    const flags = ["--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance"];
    const input = unknown.map(([item]) => `${claimRef(this.#at.source, item)}\n`).join("");
    await this.#talk(["fetch", ...flags, "--recurse-submodules=no", "--stdin"], [], { signal, input });
    return this.#messagesHere(commits);
  }

  async #messagesHere(commits: readonly string[]): Promise<Map<string, string>> {
    if (commits.length === 0) return new Map();
    const input = commits.map((commit) => `${commit}\n`).join("");
    const options = { ...this.#options(), input };
    const { stdout } = await tryGit(this.#at.root, ["cat-file", "--batch"], options);
    const texts = new Map<string, string>();
    let rest = stdout;
    for (const [index, commit] of commits.entries()) {
      const next = commits[index + 1];
      const end = next === undefined ? -1 : rest.indexOf(`\n${next} `);
      const part = end === -1 ? rest : rest.slice(0, end);
      rest = end === -1 ? "" : rest.slice(end + 1);
      if (part.startsWith(`${commit} commit `)) texts.set(commit, part.slice(part.indexOf("\n\n")));
    }
    return texts;
  }

  async #talk(
    args: readonly string[],
    after: readonly string[],
    { signal, input }: { signal?: AbortSignal | undefined; input?: string },
  ): Promise<Run> {
    this.#remote ??= addressesOf(this.#at).then((addresses) => placeToPush(this.#at.remote, addresses));
    const options = { ...this.#options(signal), ...(input !== undefined && { input }) };
    return tryGit(this.#at.root, [...args, "--", await this.#remote, ...after], options);
  }

  #options(signal?: AbortSignal): GitOptions {
    return { timeoutMs: TIMEOUT_MS, env: { ...this.#at.env, ...AS_BATON }, ...(signal && { signal }) };
  }
}

/** Git itself is found where Baton finds it, also where the path that came with the credentials has none. */
function withGit(env: Record<string, string>): Record<string, string> {
  return { ...env, PATH: [env.PATH, process.env.PATH].filter(Boolean).join(delimiter) };
}

/** Git says nothing of a ref that it did not have to change: it was somebody else's push of the same. */
function isTold({ stdout }: Run, ref: string): boolean {
  return [" ", "+", "*", "-"].includes(lineOf(stdout, ref)[0] ?? "");
}

/** Its flag, what was pushed where, and a summary. */
function lineOf(porcelain: string, ref: string): string[] {
  const lines = porcelain.split("\n").map((line) => line.split("\t"));
  return lines.find(([, pushed]) => pushed?.endsWith(`:${ref}`)) ?? [];
}

function unreachable({ stdout, said }: Run, ref?: string): RegisterUnreachableError {
  const [, , summary = ""] = ref === undefined ? [] : lineOf(stdout, ref);
  const words = [summary, said.replace(/^hint:.*\n?/gm, "").trim()].filter(Boolean).join("\n");
  return new RegisterUnreachableError(withoutCredentials(words));
}
