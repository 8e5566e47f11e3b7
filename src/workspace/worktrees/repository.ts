import { realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentConfig } from "../../config/config.ts";
import { openIfBare } from "../../git/bare.ts";
import { askGit, git, tryGit } from "../../git/git.ts";
import { revParse } from "../../git/rev-parse.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { WorkspaceError } from "../workspace.ts";
import { clone, lookAt } from "./clone.ts";

/** Where the worktrees of jobs come from. */
export interface Repository {
  /** The top of the checkout, or the bare repository itself. */
  root: string;
  /** Shared by all its worktrees. */
  commonDir: string;
  remote?: string;
}

/** Opens the repository of `workingDirectory`; clones it first where it is not there and the user said so. */
export async function openRepository(
  { workingDirectory: folder, repository }: Pick<AgentConfig, "workingDirectory" | "repository">,
  signal: AbortSignal,
): Promise<Repository> {
  const { cloneFrom, cloneDepth, defaultBranch } = repository;
  const found = await lookAt(folder);
  if (cloneFrom !== undefined && found !== "full") {
    const options = {
      ...(cloneDepth !== undefined && { depth: cloneDepth }),
      ...(defaultBranch !== undefined && { branch: defaultBranch }),
    };
    await clone(folder, { from: cloneFrom, ...options }, signal);
  } else if (found === "missing") {
    throw new WorkspaceError(
      `working_directory does not exist: ${folder}\nCreate it, or say where to clone it from: working_directory: { root: …, repo: …, auto_clone: true }`,
    );
  }
  const advice =
    cloneFrom === undefined
      ? "Make it one with `git init`, or set workspace.strategy: static to work in the folder as it is."
      : "It is not empty, so nothing was cloned into it: move it out of the way.";
  const place = await placeOf(folder, advice, signal);
  if (cloneFrom !== undefined && place.root !== (await realpath(folder))) {
    throw new WorkspaceError(
      `${folder} is not empty, so nothing was cloned into it, and it is not a repository of its own: it belongs to ${place.root}.\nMove it out of the way, or leave out auto_clone to work in ${place.root}.`,
    );
  }
  const { root, commonDir } = place;
  if (!place.hasHead && !(await hasCommit(root))) {
    throw new WorkspaceError(
      `There is no commit in ${root} to build on.\nMake the first one, or fetch: git commit, or git fetch.`,
    );
  }
  const remote = await remoteOf(root);
  return { root, commonDir, ...(remote !== undefined && { remote }) };
}

async function placeOf(folder: string, advice: string, signal: AbortSignal) {
  await openIfBare(folder);
  // A bare repository has no top, a new one no HEAD.
  const about = [["--is-bare-repository"], ["--git-common-dir"], ["--show-toplevel"], ["HEAD^{commit}"]];
  const { run, answers } = await revParse(folder, [["--path-format=absolute"], ...about], { signal });
  signal.throwIfAborted();
  if (run.code === null) {
    throw new WorkspaceError(
      `git cannot be run: ${run.said}\nA worktree for each job needs it: install git.`,
    );
  }
  const [, isBare, path, top] = answers;
  if (!path) throw new WorkspaceError(`${folder} is not in a git checkout: ${run.said}\n${advice}`);
  const commonDir = await realpath(path);
  const root = isBare === "true" ? commonDir : top;
  if (!root) throw new WorkspaceError(`${folder} is not in a git checkout.\n${advice}`);
  return { root, commonDir, hasHead: run.ok };
}

async function hasCommit(root: string): Promise<boolean> {
  if (await askGit(root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) return true;
  return Boolean(await askGit(root, ["rev-list", "--all", "--max-count=1"]));
}

async function remoteOf(root: string): Promise<string | undefined> {
  const remotes = lines(await askGit(root, ["remote"]));
  if (remotes.includes("origin")) return "origin";
  return remotes.length === 1 ? remotes[0] : undefined;
}

const FETCH_LIMIT_MS = 60_000;
const FETCH_TRIES = 5;

/** Git's exit code when it reached the remote, and could not write down all that it learned. */
const SOME_REFS_NOT_UPDATED = 1;

/** A repository that was opened before, by its root. */
export async function repositoryAt(root: string): Promise<Repository> {
  await openIfBare(root);
  const [commonDir, remote] = await Promise.all([
    git(root, ["rev-parse", "--path-format=absolute", "--git-common-dir"]),
    remoteOf(root),
  ]);
  return { root, commonDir: await realpath(commonDir), ...(remote !== undefined && { remote }) };
}

/** What went wrong, in a sentence; undefined when all is well or there is no remote. */
export async function fetchRemote(
  { root, remote }: Repository,
  signal: AbortSignal,
  limitMs = FETCH_LIMIT_MS,
): Promise<string | undefined> {
  if (remote === undefined) return undefined;
  const quietly = ["fetch", "--quiet", "--no-write-fetch-head", "--no-recurse-submodules"];
  const args = [...quietly, ...(await whatToFetch(root, remote))];
  const end = performance.now() + limitMs;
  for (let tried = 1; ; tried++) {
    const run = await tryGit(root, args, {
      timeoutMs: Math.max(1, Math.ceil(end - performance.now())),
      signal,
    });
    signal.throwIfAborted();
    if (run.ok) return undefined;
    // Of many that fetch the same at once, one gets the lock of a ref. The others find it up to date the next time.
    const again = run.code === SOME_REFS_NOT_UPDATED && tried < FETCH_TRIES && performance.now() < end;
    if (!again) {
      const said = withoutCredentials(run.said).replace(/\s+/g, " ");
      const why = run.code === null ? `it took longer than ${limitMs / 1000} s` : said;
      return `${remote} could not be fetched, so the job continues from what is here: ${why}`;
    }
    await sleep(Math.random() * 100 * tried, undefined, { signal });
  }
}

/** A bare clone has no place of its own for what the remote has, and a mirror would overwrite the branches of jobs. */
async function whatToFetch(root: string, remote: string): Promise<string[]> {
  const place = `refs/remotes/${remote}/`;
  const configured = lines(await askGit(root, ["config", "--get-all", `remote.${remote}.fetch`]));
  if (configured.some((refspec) => refspec.split(":")[1]?.startsWith(place))) return ["--", remote];
  return ["--refmap=", "--", remote, `+refs/heads/*:${place}*`];
}

/** What new work is built on: a branch of the remote, or a local one where the remote has none yet. */
export async function baseOf(
  repo: Repository,
  defaultBranch?: string,
): Promise<{ branch: string; commit: string }> {
  const places = [...(repo.remote === undefined ? [] : [`refs/remotes/${repo.remote}/`]), "refs/heads/"];
  for (const place of places) {
    for await (const branch of defaultBranch === undefined ? likely(repo, place) : [defaultBranch]) {
      const commit = await askGit(repo.root, ["show-ref", "--verify", "--hash", `${place}${branch}`]);
      if (commit) return { branch, commit };
    }
  }
  const problem =
    defaultBranch === undefined
      ? "There is neither main nor master, so it is not clear what new work is built on"
      : `There is no branch ${defaultBranch}, which default_branch says new work is built on`;
  const known = await Promise.all(places.map((place) => branchesIn(repo, place)));
  throw new WorkspaceError(
    `${problem}, in ${repo.root}.\nSet working_directory.default_branch to one of these: ${someOf([...new Set(known.flat())])}`,
  );
}

/** The first of them that is there is the one. */
async function* likely({ root }: Repository, place: string): AsyncGenerator<string> {
  const ofRemote = await pointedAt(root, `${place}HEAD`, place);
  if (ofRemote !== undefined) yield ofRemote;
  yield* ["main", "master"];
  const checkedOut = await pointedAt(root, "HEAD", "refs/heads/");
  if (checkedOut !== undefined) yield checkedOut;
}

async function pointedAt(root: string, symbolic: string, place: string): Promise<string | undefined> {
  const ref = await askGit(root, ["symbolic-ref", "--quiet", symbolic]);
  return ref?.startsWith(place) ? ref.slice(place.length) : undefined;
}

async function branchesIn({ root }: Repository, place: string): Promise<string[]> {
  const refs = lines(await askGit(root, ["for-each-ref", "--format=%(refname)", place]));
  return refs.map((ref) => ref.slice(place.length)).filter((branch) => branch !== "HEAD");
}

function someOf(branches: string[]): string {
  const more = branches.length - 20;
  return [...branches.slice(0, 20), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function lines(output = ""): string[] {
  return output.split("\n").filter(Boolean);
}
