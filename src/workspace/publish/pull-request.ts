import { askGit } from "../../git/git.ts";
import { type Run, run } from "../../processes/run.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { fromJson, isFields } from "../../util/json.ts";
import type { OpenPullRequest } from "../workspace.ts";
import { cutAtLine } from "./commit-message.ts";
import { type Forge, forgeAt, newPullRequestPage } from "./forge.ts";

interface Target {
  folder: string;
  remote: string;
  baseBranch: string;
  title: string;
  /** Of `gh` and `glab`. */
  env: Record<string, string>;
  signal?: AbortSignal;
}

interface PullRequest extends Target {
  branch: string;
  body: string;
  /** What the server said to the push: GitLab tells there where the merge request is. */
  pushSaid?: string;
  byApi?: OpenPullRequest | undefined;
}

/** One argument of a program can be 131,072 bytes, and a character up to three of them. */
const ARGUMENT_LIMIT = 40_000;

/**
 * Opens a pull request for a branch that the remote has, or finds the one that is open. `created: false`: nobody is
 * signed in, and `url` is the page where a person opens it.
 */
export async function openPullRequest(
  pullRequest: PullRequest,
): Promise<{ url: string; created: boolean } | { problem: string; url?: string }> {
  const { folder, remote, branch, baseBranch, pushSaid = "" } = pullRequest;
  const address = await addressOf(folder, remote);
  const forge = forgeAt(address);
  const url = forge && newPullRequestPage(forge, branch, baseBranch);
  const proposed = await openByApi(pullRequest, address);
  if (proposed && "url" in proposed) return { ...proposed, created: true };
  if (proposed) return { ...proposed, ...(url !== undefined && { url }) };
  if (!forge || url === undefined) {
    return {
      problem: `No pull request was opened for ${branch}: ${withoutCredentials(address) || remote} is not on a forge that Baton knows.`,
    };
  }
  const program = await signedInProgram(forge, pullRequest);
  if (!program) {
    const made = pullRequestUrlIn(pushSaid, forge);
    return made === undefined ? { url, created: false } : { url: made, created: true };
  }
  const known = await program.existing(forge, pullRequest);
  if (known !== undefined) return { url: known, created: true };
  const { ok, stdout, said: words } = await program.create(forge, pullRequest);
  const made = ok ? pullRequestUrlIn(stdout, forge) : undefined;
  if (made !== undefined) return { url: made, created: true };
  const said = withoutCredentials(words) || "it did not say where it is";
  return { problem: `${program.name} opened no pull request for ${branch}: ${said}`, url };
}

function openByApi(pullRequest: PullRequest, address: string): ReturnType<OpenPullRequest> {
  const { branch, baseBranch, title, body, signal = new AbortController().signal, byApi } = pullRequest;
  return byApi?.({ address, branch, baseBranch, title, body, signal }) ?? Promise.resolve(undefined);
}

/** What makes GitLab open a merge request at the push itself, where `glab` cannot do it afterwards. */
export async function pullRequestPushOptions(target: Target): Promise<string[]> {
  const { folder, remote, baseBranch, title } = target;
  const forge = forgeAt(await addressOf(folder, remote));
  if (forge?.kind !== "gitlab" || (await signedInProgram(forge, target))) return [];
  return [
    "merge_request.create",
    `merge_request.target=${baseBranch}`,
    `merge_request.title=${title.replace(/\s+/g, " ")}`,
  ];
}

interface Program {
  name: string;
  /** The open pull request of this very branch. */
  existing: (forge: Forge, pullRequest: PullRequest) => Promise<string | undefined>;
  create: (forge: Forge, pullRequest: PullRequest) => Promise<Run>;
}

const gh: Program = {
  name: "gh",
  existing: async (forge, pullRequest) => {
    const which = ["--state=open", `--head=${pullRequest.branch}`, "--json=url,isCrossRepository"];
    const args = ["pr", "list", `--repo=${forge.host}/${forge.path}`, ...which];
    const found = listIn(await runProgram("gh", args, pullRequest), onGitHub);
    return found.find(({ isOfAFork }) => !isOfAFork)?.url;
  },
  create: (forge, pullRequest) => {
    const { baseBranch, branch, title, body } = pullRequest;
    const where = [`--repo=${forge.host}/${forge.path}`, `--base=${baseBranch}`, `--head=${branch}`];
    return runProgram(
      "gh",
      ["pr", "create", ...where, `--title=${title}`, "--body-file=-"],
      pullRequest,
      body,
    );
  },
};

interface Listed {
  url: string;
  isOfAFork: boolean;
}

function onGitHub({ url, isCrossRepository: isOfAFork }: Record<string, unknown>): Listed | undefined {
  return typeof url === "string" && typeof isOfAFork === "boolean" ? { url, isOfAFork } : undefined;
}

const glab: Program = {
  name: "glab",
  existing: async (forge, pullRequest) => {
    const which = [`--source-branch=${pullRequest.branch}`, "--output=json"];
    const args = ["mr", "list", `--repo=${forge.page}`, ...which];
    const found = listIn(await runProgram("glab", args, pullRequest), onGitLab);
    return found.find(({ isOfAFork }) => !isOfAFork)?.url;
  },
  create: (forge, pullRequest) => {
    const { baseBranch, branch, title, body } = pullRequest;
    const where = [`--repo=${forge.page}`, `--source-branch=${branch}`, `--target-branch=${baseBranch}`];
    const what = [`--title=${title}`, `--description=${cutAtLine(body, ARGUMENT_LIMIT)}`, "--yes"];
    return runProgram("glab", ["mr", "create", ...where, ...what], pullRequest);
  },
};

function onGitLab(listed: Record<string, unknown>): Listed | undefined {
  const { web_url: url, source_project_id: source, target_project_id: target } = listed;
  if (typeof url !== "string" || typeof source !== "number" || typeof target !== "number") return undefined;
  return { url, isOfAFork: source !== target };
}

/** What a program listed as JSON, if it is what is expected of it. Without zod, which whoever looks at old worktrees would load. */
function listIn(
  { ok, stdout }: Run,
  read: (listed: Record<string, unknown>) => Listed | undefined,
): Listed[] {
  const listed = ok ? fromJson(stdout) : undefined;
  if (!Array.isArray(listed)) return [];
  return listed.filter(isFields).flatMap((item) => read(item) ?? []);
}

async function signedInProgram({ kind, host }: Forge, target: Target): Promise<Program | undefined> {
  const program = { github: gh, gitlab: glab, bitbucket: undefined }[kind];
  if (!program) return undefined;
  const status = await runProgram(program.name, ["auth", "status", "--hostname", host], target);
  return status.ok ? program : undefined;
}

const addressOf = async (folder: string, remote: string) =>
  (await askGit(folder, ["remote", "get-url", "--", remote])) ?? "";

/** As its programs and its server print it: a repository that was renamed has another path there. */
function pullRequestUrlIn(text: string, { host }: Forge): string | undefined {
  const found = text.match(/https?:\/\/[^\s"'<>]{1,500}\/(?:pull|merge_requests)\/\d+/g) ?? [];
  return found.find((url) => URL.parse(url)?.hostname === host);
}

function runProgram(name: string, args: string[], { folder, env, signal }: Target, input = ""): Promise<Run> {
  const quiet = { GH_PROMPT_DISABLED: "1", NO_PROMPT: "1", GLAB_NO_PROMPT: "1", NO_COLOR: "1" };
  return run(name, args, { cwd: folder, env: { ...env, ...quiet }, input, ...(signal && { signal }) });
}
