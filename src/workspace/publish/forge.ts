import { addressIn } from "../../git/address.ts";

/** Where a remote's repository is shown to people, and a pull request is opened. */
export interface Forge {
  kind: "github" | "gitlab" | "bitbucket";
  /** As its command-line program knows it. */
  host: string;
  /** The page of the repository. */
  page: string;
  /** Owner and name; on GitLab perhaps with groups between. */
  path: string;
}

/** Hosts that take ssh in place of the one that people see. */
const SEEN_AS: Record<string, string> = {
  "ssh.github.com": "github.com",
  "altssh.gitlab.com": "gitlab.com",
  "altssh.bitbucket.org": "bitbucket.org",
};

/** Undefined for a path on disk, and for a host that does not tell what it is. */
export function forgeAt(url: string): Forge | undefined {
  const found = addressIn(url);
  if (!found) return undefined;
  const host = SEEN_AS[found.host] ?? found.host;
  const kind = kindOf(host);
  const { path } = found;
  if (!kind || path.split("/").length < 2 || (kind !== "gitlab" && path.split("/").length > 2))
    return undefined;
  return { kind, host, path, page: `${found.origin ?? `https://${host}`}/${path}` };
}

/** The page where a person opens a pull request. */
export function newPullRequestPage({ kind, page }: Forge, branch: string, base: string): string {
  const segments = (name: string) => name.split("/").map(encodeURIComponent).join("/");
  switch (kind) {
    case "github":
      return `${page}/compare/${segments(base)}...${segments(branch)}?expand=1`;
    case "gitlab": {
      const query = new URLSearchParams({
        "merge_request[source_branch]": branch,
        "merge_request[target_branch]": base,
      });
      return `${page}/-/merge_requests/new?${query}`;
    }
    case "bitbucket":
      return `${page}/pull-requests/new?source=${encodeURIComponent(branch)}&t=1`;
  }
}

function kindOf(host: string): Forge["kind"] | undefined {
  if (host === "bitbucket.org") return "bitbucket";
  if (host.includes("gitlab")) return "gitlab";
  if (/(?:^|[.-])github(?:[.-]|$)/.test(host) || host.endsWith(".ghe.com")) return "github";
  return undefined;
}
