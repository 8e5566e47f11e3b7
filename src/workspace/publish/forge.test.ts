import { expect, it } from "vitest";
import { forgeAt, newPullRequestPage } from "./forge.ts";

it.each([
  ["https://github.com/o/r.git", "github", "github.com", "https://github.com/o/r"],
  ["https://user:token@github.com/o/r", "github", "github.com", "https://github.com/o/r"],
  ["git@github.com:o/r.git", "github", "github.com", "https://github.com/o/r"],
  ["github.com:o/r", "github", "github.com", "https://github.com/o/r"],
  ["ssh://git@ssh.github.com:443/o/r.git", "github", "github.com", "https://github.com/o/r"],
  ["git@github.example.com:o/r.git", "github", "github.example.com", "https://github.example.com/o/r"],
  ["https://acme.ghe.com/o/r", "github", "acme.ghe.com", "https://acme.ghe.com/o/r"],
  ["https://gitlab.com/group/sub/r.git", "gitlab", "gitlab.com", "https://gitlab.com/group/sub/r"],
  ["https://my-gitlab.local:8443/g/r.git/", "gitlab", "my-gitlab.local", "https://my-gitlab.local:8443/g/r"],
  ["ssh://git@gitlab.local:2222/g/r.git", "gitlab", "gitlab.local", "https://gitlab.local/g/r"],
  ["git@bitbucket.org:team/r.git", "bitbucket", "bitbucket.org", "https://bitbucket.org/team/r"],
  ["HTTPS://GitHub.com/O/R", "github", "github.com", "https://github.com/O/R"],
])("%s is a repository on a %s, at %s", (url, kind, host, page) => {
  expect(forgeAt(url)).toMatchObject({ kind, host, page });
});

it.each([
  "/srv/git/github.com/o/r.git",
  "../github.com/o/r",
  "file:///srv/github.com/o/r",
  "C:\\github.com\\o\\r",
  "c:/github.com/o/r",
  "https://example.com/o/r",
  "git@notgithub.com:o/r",
  "https://github.com/o",
  "https://github.com/o/r/tree/x",
  "https://",
  "ext::sh -c id github.com/o/r",
  "",
])("%s is on none", (url) => {
  expect(forgeAt(url)).toBeUndefined();
});

it("leads to the page where a pull request is opened, whatever the branch is called", () => {
  const branch = "agent/a b&c#d?ü%";
  const page = (url: string) => {
    const forge = forgeAt(url);
    return forge && newPullRequestPage(forge, branch, "release/1");
  };
  expect(page("https://github.com/o/r")).toBe(
    "https://github.com/o/r/compare/release/1...agent/a%20b%26c%23d%3F%C3%BC%25?expand=1",
  );
  const gitlab = new URL(page("https://gitlab.com/g/s/r") ?? "");
  expect(gitlab.pathname).toBe("/g/s/r/-/merge_requests/new");
  expect(Object.fromEntries(gitlab.searchParams)).toEqual({
    "merge_request[source_branch]": branch,
    "merge_request[target_branch]": "release/1",
  });
  const bitbucket = new URL(page("https://bitbucket.org/t/r") ?? "");
  expect(bitbucket.pathname).toBe("/t/r/pull-requests/new");
  expect(bitbucket.searchParams.get("source")).toBe(branch);
});
