import { type GitOptions, tryGit } from "./git.ts";

/** What a remote has under the name of a branch, or why that cannot be told. */
export type RemoteRef = { kind: "read"; commit?: string } | { kind: "unreachable"; said: string };

/** `remote` is a name or an address. Git takes the ref for the end of one, so that others may be listed too. */
export async function readRemoteRef(
  root: string,
  remote: string,
  branch: string,
  options: GitOptions = {},
): Promise<RemoteRef> {
  const ref = `refs/heads/${branch}`;
  const run = await tryGit(root, ["ls-remote", "--", remote, ref], options);
  if (!run.ok) return { kind: "unreachable", said: run.said };
  const line = run.stdout.split("\n").find((one) => one.endsWith(`\t${ref}`));
  return { kind: "read", ...(line !== undefined && { commit: line.slice(0, line.indexOf("\t")) }) };
}
