import { describe, expect, it } from "vitest";
import { LABELS, startSource } from "../../../test/github-source.ts";
import type { CheckedRules, SourceFinding } from "../source.ts";
import { openGitHub } from "./open.ts";

const { signal } = new AbortController();
type At = Awaited<ReturnType<typeof startSource>>;

const said = (findings: SourceFinding[]) => findings.map(({ key, problem }) => `${key}: ${problem}`);

describe("what a check of a GitHub source finds", () => {
  it("is nothing where work can be taken", async () => {
    await using at = await startSource();
    expect(await at.source.check(signal)).toEqual([]);
    const fineGrained = at.github.accounts.token("robot", {
      rights: { issues: "write", pull_requests: "write" },
    });
    expect(at.github.requests.every(({ method }) => method === "GET")).toBe(true);
    // What it may do is asked with what is never made.
    expect(await at.sourceWith({ token: fineGrained }).check(signal)).toEqual([]);
    expect([at.repo.issues.size, at.repo.pulls.size]).toEqual([0, 0]);
    const publicOnly = at.github.accounts.token("robot", { scopes: ["public_repo"] });
    expect(await at.sourceWith({ token: publicOnly }).check(signal)).toEqual([]);
  });

  it.each<[string, (at: At) => { token?: string; apiUrl?: string; repo?: string }, RegExp[]]>([
    ["no token", () => ({ token: "" }), [/^auth\.token_env: GITHUB_TOKEN is not set/]],
    [
      "a token that ended",
      () => ({ token: "ghp_0123" }),
      [/^auth\.token_env: .* answered 401 .*Bad credentials/],
    ],
    [
      "no such repository",
      () => ({ repo: "acme/none" }),
      [/^repo: acme\/none does not exist, or the token may not see it/],
    ],
    [
      "a private one that the token does not reach",
      ({ github }) => {
        github.repo("acme/hidden", { private: true, collaborators: { robot: "write" } });
        return {
          repo: "acme/hidden",
          token: github.accounts.token("robot", { rights: {}, repos: ["acme/app"] }),
        };
      },
      [/^repo: acme\/hidden does not exist, or/],
    ],
    [
      "another name",
      ({ github, repo }) => {
        github.rename(repo, "acme/next");
        return {};
      },
      [/^repo: acme\/app is called acme\/next now/],
    ],
    [
      "an archive without issues",
      ({ github }) => {
        github.repo("acme/old", { archived: true, hasIssues: false, collaborators: { robot: "write" } });
        return { repo: "acme/old" };
      },
      [/^repo: acme\/old is archived/, /^repo: acme\/old has no issues/],
    ],
    [
      "no ready label",
      ({ repo }) => {
        repo.labels.delete("ready");
        return {};
      },
      [/^labels\.ready: acme\/app has no label "ready"/],
    ],
    [
      "an account that may only read",
      ({ github }) => ({ token: github.accounts.token("rita") }),
      [/^auth\.token_env: The account of the token may not write to acme\/app/],
    ],
    [
      "a classic token without scopes",
      ({ github }) => ({ token: github.accounts.token("robot", { scopes: [] }) }),
      [/^auth\.token_env: The token has no scopes/],
    ],
    [
      "a token that may not read issues",
      ({ github }) => ({ token: github.accounts.token("robot", { rights: { metadata: "read" } }) }),
      [/^auth\.token_env: .*It needs the rights issues=read/],
    ],
    [
      "no server",
      () => ({ apiUrl: "http://127.0.0.1:1" }),
      [/^api_url: 127\.0\.0\.1:1 could not be reached/],
    ],
    [
      "a server that is no GitHub",
      ({ github }) => {
        github.fault({ how: { status: 200, body: "<html>" } });
        return {};
      },
      [/^api_url: .* did not answer in JSON/],
    ],
    [
      "a limit",
      ({ github }) => {
        github.fault({ how: { status: 429, headers: { "retry-after": "60" } } });
        return {};
      },
      [/^auth\.token_env: .* lets this account ask nothing more until/],
    ],
  ])("is %s", async (_, changes, expected) => {
    await using at = await startSource();
    const findings = await at.sourceWith(changes(at)).check(signal);
    expect(said(findings)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    for (const { remedy } of findings) expect(remedy).toMatch(/^[A-Z].*\.$/);
  });

  it.each<[object, string[]]>([
    [{ issues: "read" }, ["issues", "pull requests"]],
    [{ issues: "write", pull_requests: "read" }, ["pull requests"]],
  ])("of a fine-grained token with %j is what it may not write", async (rights, missing) => {
    await using at = await startSource();
    const token = at.github.accounts.token("robot", { rights });
    expect(said(await at.sourceWith({ token }).check(signal))).toEqual(
      missing.map((what) =>
        expect.stringMatching(
          new RegExp(`^auth\\.token_env: The token may not write ${what} of acme/app: .*needs the rights`),
        ),
      ),
    );
  });

  it("is who may write where that decides something, and who may label where nothing else does", async () => {
    await using at = await startSource();
    const found = async (login: string, rules: Partial<CheckedRules>) =>
      said(await at.sourceWith({ token: at.github.accounts.token(login) }).check(signal, rules));
    const mayNotWrite = "auth.token_env: The account of the token may not write to acme/app";
    expect(await found("tom", { trust: "collaborators" })).toEqual([mayNotWrite]);
    expect(await found("tom", { trust: "anyone" })).toEqual([]);
    expect(await found("tom", { trust: "anyone", claims: "comments" })).toEqual([mayNotWrite]);
    expect(await found("rita", { trust: "anyone" })).toEqual([
      "auth.token_env: The account of the token may not label issues of acme/app",
    ]);
  });

  it.each<[object, { installation?: string }, RegExp[]]>([
    [{ issues: "write", pull_requests: "write" }, {}, []],
    [
      { issues: "read", pull_requests: "write" },
      {},
      [/^auth\.app: The App may not write issues of acme\/app/],
    ],
    [{ issues: "write" }, {}, [/^auth\.app: The App may not write pull requests of acme\/app/]],
    [{ issues: "write" }, { installation: "7" }, [/^auth\.app: The App \d+ has no installation 7/]],
  ])("of an App with %j is as far as its rights go", async (rights, changed, expected) => {
    await using at = await startSource();
    const { privateKey, ...app } = at.github.accounts.app("baton-bot", ["acme/app"], rights);
    const auth = { kind: "app", ...app, ...changed, privateKey: { env: "KEY" } } as const;
    const config = { repo: "acme/app", apiUrl: at.github.url, labels: LABELS, auth };
    const findings = await openGitHub(config, { KEY: privateKey }).check(signal);
    expect(said(findings)).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
  });
});
