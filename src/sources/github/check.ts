import type { WorkSourceConfig } from "../../config/work-source.ts";
import { oneLine } from "../../util/printable.ts";
import { withoutEnding } from "../../util/text.ts";
import { SourceError, type SourceFinding } from "../source.ts";
import { type Answer, type GitHubConnection, RefusedError } from "./connection.ts";
import { Permission, Repository, read } from "./shapes.ts";

interface Checked {
  connection: GitHubConnection;
  repo: string;
  labels: WorkSourceConfig["labels"];
  /** The key with which it signs in. */
  authKey: "auth.token_env" | "auth.app";
  /** Whether somebody's label, word or claim counts because of what they may do. */
  asksWhoMayWrite: boolean;
  ours: (signal: AbortSignal) => Promise<string>;
  /** Of an App: what it may do. */
  rights?: (signal: AbortSignal) => Promise<Record<string, string>>;
}

/** What keeps work from being taken from a repository, each with what to do. */
export async function checkSource(checked: Checked, signal: AbortSignal): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  try {
    const { body, headers } = await repositoryOf(checked, signal);
    const repository = read(Repository, body, "a repository");
    findings.push(...ofRepository(checked, repository), ...ofScopes(checked, headers, repository));
    findings.push(...(await ofReadyLabel(checked, signal)));
    findings.push(...(await ofRights(checked, repository, signal)));
    const isFineGrained = !checked.rights && headers.get("x-oauth-scopes") === null;
    if (isFineGrained && !repository.archived) findings.push(...(await ofWrites(checked, signal)));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    findings.push(findingOf(error, checked));
  }
  return findings;
}

const repositoryOf = ({ connection, repo }: Checked, signal: AbortSignal): Promise<Answer> =>
  connection.ask({ path: `/repos/${repo}`, signal });

type Repo = ReturnType<typeof Repository.parse>;

function ofRepository({ repo }: Checked, { full_name, archived, has_issues }: Repo): SourceFinding[] {
  const findings: SourceFinding[] = [];
  if (full_name.toLowerCase() !== repo.toLowerCase()) {
    findings.push({
      key: "repo",
      problem: `${repo} is called ${full_name} now`,
      remedy: `Write ${full_name}.`,
    });
  }
  if (archived) {
    findings.push({
      key: "repo",
      problem: `${repo} is archived, so nothing in it can be changed`,
      remedy: "Unarchive it, or name another repository.",
    });
  }
  if (has_issues === false) {
    findings.push({
      key: "repo",
      problem: `${repo} has no issues`,
      remedy: "Turn them on in its settings, or name the repository that has them.",
    });
  }
  return findings;
}

/** Only a classic token says what it may do. */
function ofScopes({ authKey }: Checked, headers: Headers, repository: Repo): SourceFinding[] {
  const said = headers.get("x-oauth-scopes");
  if (said === null) return [];
  const scopes = said.split(",").map((scope) => scope.trim());
  if (scopes.includes("repo") || (scopes.includes("public_repo") && !repository.private)) return [];
  return [
    {
      key: authKey,
      problem: `The token has ${said === "" ? "no scopes" : `the scopes ${oneLine(said)}`}, and may not change issues`,
      remedy: `Give it the scope repo${repository.private ? "" : ", or public_repo for a public repository"}.`,
    },
  ];
}

/** Of an App the rights are known; of a token, whether its account may write, which it must for GitHub to say who else may. */
async function ofRights(checked: Checked, repository: Repo, signal: AbortSignal): Promise<SourceFinding[]> {
  const { rights, authKey, repo, asksWhoMayWrite } = checked;
  const ours = await checked.ours(signal);
  if (!rights && !asksWhoMayWrite) {
    const { push, triage } = repository.permissions ?? {};
    if (push !== false || triage !== false) return [];
    return [
      {
        key: authKey,
        problem: `The account of the token may not label issues of ${repo}`,
        remedy: "Give it the role triage or write, or use a token of an account that has it.",
      },
    ];
  }
  if (!rights) {
    const permission = await permissionOf(checked, ours, signal);
    if (permission === "admin" || permission === "write") return [];
    return [
      {
        key: authKey,
        problem: `The account of the token may not write to ${repo}`,
        remedy: "Give it write access, or use a token of an account that has it.",
      },
    ];
  }
  const may = await rights(signal);
  const missing = ["issues", "pull_requests"].filter((right) => may[right] !== "write");
  if (missing.length > 0) {
    return [
      {
        key: authKey,
        problem: `The App may not write ${missing.join(" and ").replace("_", " ")} of ${repo}`,
        remedy: "Give it these permissions in its settings, and accept them where it is installed.",
      },
    ];
  }
  if (!asksWhoMayWrite) return [];
  // An owner that is an organisation has no role, which is an answer too.
  if ((await permissionOf(checked, repo.split("/")[0] ?? "", signal)) !== undefined) return [];
  return [
    {
      key: "trust",
      problem: `The App may not ask who can write to ${repo}, so nobody's label counts`,
      remedy: "Give it the permission Metadata, or set trust to anyone.",
    },
  ];
}

/**
 * A fine-grained token does not say what it may do. What lacks all that it needs is never made, and refused for the token's rights
 * before that.
 */
async function ofWrites(
  { connection, repo, authKey }: Checked,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  for (const [what, path] of [
    ["issues", `/repos/${repo}/issues`],
    ["pull requests", `/repos/${repo}/pulls`],
  ]) {
    try {
      await connection.ask({ method: "POST", path: `${path}`, body: {}, once: true, signal });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (!(error instanceof RefusedError && error.status === 403)) continue;
      findings.push({
        key: authKey,
        problem: `The token may not write ${what} of ${repo}: ${withoutEnding(error.message, ".")}`,
        remedy: "Give it Issues and Pull requests: read and write, in its settings on GitHub.",
      });
    }
  }
  return findings;
}

/** Undefined where the token may not ask. */
async function permissionOf(
  { connection, repo }: Checked,
  login: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = `/repos/${repo}/collaborators/${encodeURIComponent(login)}/permission`;
  try {
    return read(Permission, (await connection.ask({ path, signal })).body, "a permission").permission;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (error.status === 404) return "none";
    if (error.status === 403) return undefined;
    throw error;
  }
}

async function ofReadyLabel(
  { connection, repo, labels }: Checked,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const path = `/repos/${repo}/labels/${encodeURIComponent(labels.ready)}`;
  if (await isThere(connection.ask({ path, signal }))) return [];
  return [
    {
      key: "labels.ready",
      problem: `${repo} has no label ${JSON.stringify(labels.ready)}, so no issue can be ready`,
      remedy: "Create it there, or name one that it has.",
    },
  ];
}

async function isThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return false;
    throw error;
  }
}

function findingOf(error: SourceError, { authKey, repo }: Checked): SourceFinding {
  const problem = withoutEnding(error.message, ".");
  switch (error.code) {
    case "unreachable":
      return {
        key: "api_url",
        problem,
        remedy: "Check the address and the network, then try again.",
        passes: true,
      };
    case "limited":
      return { key: authKey, problem, remedy: "Try again then.", passes: true };
    case "no-access":
      return { key: authKey, problem, remedy: "See docs/work-sources.md for the rights that it needs." };
    case "not-found":
      return {
        key: "repo",
        problem: `${repo} does not exist, or the token may not see it`,
        remedy: "Correct the name, or give the token access to it: GitHub answers both alike.",
      };
    case "refused":
    case "conflict":
      return {
        key: "api_url",
        problem,
        remedy: "Write the address of GitHub's API: https://HOST/api/v3 for an Enterprise Server.",
      };
  }
}
