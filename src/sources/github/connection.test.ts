import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { startGitHub } from "../../../test/github-server.ts";
import { answerJson, startReceiver } from "../../../test/receiver.ts";
import { SourceError } from "../source.ts";
import { type ConnectionOptions, GitHubConnection, UnclearError } from "./connection.ts";
import { tokenSignIn } from "./sign-in.ts";

const TOKEN = "ghp_not_a_real_token_of_anybody";
const { signal } = new AbortController();

function connect(apiUrl: string, options: Partial<ConnectionOptions> & { token?: string } = {}) {
  const slept: number[] = [];
  const connection = new GitHubConnection({
    apiUrl,
    signIn: tokenSignIn(options.token ?? TOKEN, "GITHUB_TOKEN"),
    sleep: async (ms) => void slept.push(ms),
    ...options,
  });
  return { connection, slept };
}

/** A server that answers everything in the same way. */
async function answering(
  answer: (response: ServerResponse, attempt: number) => void,
  options: Partial<ConnectionOptions> = {},
) {
  const receiver = await startReceiver((_, response, attempt) => answer(response, attempt));
  return { ...receiver, ...connect(receiver.url, options) };
}

async function refusal(asked: Promise<unknown>): Promise<SourceError> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof SourceError) return error;
  throw error ?? new Error("it was not refused");
}

describe("what may be repeated", () => {
  it.each(["reset", "reset-after", "502-after"] as const)("is, after %s, and only so often", async (how) => {
    await using github = await startGitHub();
    github.repo("acme/app");
    const { connection, slept } = connect(github.url, { token: github.accounts.token("alice") });
    github.fault({ how, times: 2 });
    expect(await connection.ask({ path: "/repos/acme/app", signal })).toMatchObject({ status: 200 });
    expect(slept).toEqual([500, 2_000]);
    github.fault({ how, times: 3 });
    expect(await refusal(connection.ask({ path: "/repos/acme/app", signal }))).toMatchObject({
      code: "unreachable",
    });
    expect(slept).toHaveLength(4);
  });

  it.each(["reset", "reset-after", "502-after"] as const)(
    "is not where it would be done twice, after %s",
    async (how) => {
      await using github = await startGitHub();
      github.repo("acme/app").open({ title: "One", by: "alice" });
      const { connection, slept } = connect(github.url, { token: github.accounts.token("alice") });
      github.fault({ how });
      const path = "/repos/acme/app/issues/1/comments";
      const asked = connection.ask({ method: "POST", path, body: { body: "Hello" }, once: true, signal });
      expect(await refusal(asked)).toBeInstanceOf(UnclearError);
      expect(slept).toEqual([]);
    },
  );

  it("gives up on a host that does not answer, and on one that stops in the middle", async () => {
    const silent = await answering(() => {}, { timeoutMs: 30 });
    expect(await refusal(silent.connection.ask({ path: "/user", signal }))).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("did not answer within 0.03 s"),
    });
    const slow = await answering((response) => response.writeHead(200).write('{"a":'), { timeoutMs: 30 });
    expect(await refusal(slow.connection.ask({ path: "/user", signal }))).toMatchObject({
      code: "unreachable",
    });
    const { connection } = connect("http://127.0.0.1:1");
    expect(await refusal(connection.ask({ path: "/user", signal }))).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("could not be reached"),
    });
  });

  it("ends at once with whoever asked", async () => {
    const caller = new AbortController();
    const { connection, received } = await answering(() => caller.abort(new Error("the job ended")));
    await expect(connection.ask({ path: "/user", signal: caller.signal })).rejects.toThrow("the job ended");
    expect(received).toHaveLength(1);
    await expect(connection.ask({ path: "/user", signal: caller.signal })).rejects.toThrow("the job ended");
    expect(received).toHaveLength(1);
  });
});

describe("the token", () => {
  it("goes nowhere else: not with a redirect, not to a page that an answer names", async () => {
    const elsewhere = await startReceiver((_, response) => answerJson(response, 200, {}));
    const { connection } = await answering((response, attempt) =>
      response.writeHead(attempt === 1 ? 301 : 307, { location: `${elsewhere.url}/user` }).end(),
    );
    const redirected = await refusal(connection.ask({ path: "/user", signal }));
    expect(redirected).toMatchObject({ code: "refused", message: expect.stringContaining(elsewhere.url) });
    expect((await refusal(connection.ask({ method: "POST", path: "/user", body: {}, signal }))).code).toBe(
      "refused",
    );
    expect((await refusal(connection.ask({ path: `${elsewhere.url}/user`, signal }))).code).toBe("refused");
    expect(elsewhere.received).toEqual([]);
  });

  it("stays below the base path of an Enterprise server", async () => {
    await using github = await startGitHub({ basePath: "/api/v3" });
    github.repo("acme/app");
    const { connection } = connect(`${github.url}/`, { token: github.accounts.token("alice") });
    expect(await connection.ask({ path: "/repos/acme/app", signal })).toMatchObject({ status: 200 });
    const { origin } = new URL(github.url);
    expect((await refusal(connection.ask({ path: `${origin}/login`, signal }))).code).toBe("refused");
    expect((await refusal(connection.ask({ path: `${origin}/api/v33/user`, signal }))).code).toBe("refused");
    expect(github.requests).toHaveLength(1);
  });

  it("is in no error, also where the server repeats it", async () => {
    const { connection, received } = await answering((response) =>
      answerJson(response, 403, { message: `Nothing for ${TOKEN}\u001b[2J here.` }),
    );
    const { message } = await refusal(connection.ask({ path: "/user", signal }));
    expect(received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(message).toMatch(/answered 403 to GET \/user: Nothing for \[withheld\] here\.$/);
  });

  it.each([
    ["", /GITHUB_TOKEN is not set/],
    ["  \n", /GITHUB_TOKEN is not set/],
    ["ghp_secret\r\nx-evil: 1", /GITHUB_TOKEN holds characters that no token has/],
    ["ghp_sécret", /GITHUB_TOKEN holds characters that no token has/],
  ])("is refused before anything is sent: %j", async (token, expected) => {
    const { url, received } = await startReceiver((_, response) => answerJson(response, 200, {}));
    const error = await refusal(connect(url, { token }).connection.ask({ path: "/user", signal }));
    expect(error).toMatchObject({ code: "no-access", message: expect.stringMatching(expected) });
    expect(error.message).not.toContain("ecret");
    expect(received).toEqual([]);
  });

  it.each([
    "ftp://example.com",
    "https://user:password@example.com/api/v3",
    "https://example.com/?a=b",
    "no address",
  ])("is not sent to %s", (apiUrl) => {
    expect(() => connect(apiUrl)).toThrow(SourceError);
    expect(() => connect(apiUrl)).toThrow(/^api_url is not the address of an API/);
  });
});

describe("limits", () => {
  it("are kept: nothing more is asked until they end, and then again", async () => {
    let now = new Date("2026-11-18T12:00:00Z");
    await using github = await startGitHub({ limit: 2, now: () => now });
    github.repo("acme/app");
    const { connection } = connect(github.url, { token: github.accounts.token("alice"), now: () => now });
    const ask = () => connection.ask({ path: "/repos/acme/app", signal });
    await ask();
    await ask();
    expect(connection.budget).toEqual({ limit: 2, remaining: 0, resetsAt: "2026-11-18T13:00:00.000Z" });
    expect(await refusal(ask())).toMatchObject({
      code: "limited",
      retryAt: new Date("2026-11-18T13:00:01Z"),
    });
    expect((await refusal(ask())).code).toBe("limited");
    expect(github.requests).toHaveLength(3);
    now = new Date("2026-11-18T13:00:01Z");
    expect((await ask()).status).toBe(200);
    expect(connection.serverTime).toEqual(now);
  });

  it("of content are told from missing rights, and a POST that met one was not done", async () => {
    await using github = await startGitHub({ contentPerMinute: 1 });
    const repo = github.repo("acme/app");
    repo.open({ title: "One", by: "alice" });
    const { connection } = connect(github.url, { token: github.accounts.token("alice") });
    const path = "/repos/acme/app/issues/1/comments";
    const write = () => connection.ask({ method: "POST", path, body: { body: "Hello" }, once: true, signal });
    await write();
    expect(await refusal(write())).toMatchObject({ code: "limited", retryAt: expect.any(Date) });
    expect(repo.issue(1).comments).toHaveLength(1);
  });
});

describe("an answer", () => {
  it.each([
    [401, {}, "no-access", / The token is wrong, revoked or expired: make a new one\.$/],
    [403, { "x-github-sso": "required; url=https://example.com" }, "no-access", /\(SSO\)\.$/],
    [
      403,
      { "x-accepted-github-permissions": "issues=write" },
      "no-access",
      /needs the rights issues=write\.$/,
    ],
    [404, {}, "not-found", /answered 404 to GET \/user: Some words\.$/],
    [410, {}, "not-found", /410/],
    [451, {}, "no-access", /451/],
    [409, {}, "conflict", /409/],
    [422, {}, "refused", /422/],
  ] as const)("of %i %j is %s", async (status, headers, code, expected) => {
    const { connection, received } = await answering((response) =>
      answerJson(response, status, { message: "Some words." }, headers),
    );
    const error = await refusal(connection.ask({ path: "/user", signal }));
    expect(error).toMatchObject({ code, status, message: expect.stringMatching(expected) });
    expect(received).toHaveLength(1);
  });

  it.each([
    ["no JSON", (response: ServerResponse) => response.end("<html>Sign in</html>")],
    [
      "JSON that is nested without end",
      (response: ServerResponse) => response.end("[".repeat(5_000) + "]".repeat(5_000)),
    ],
    ["a redirect to nowhere", (response: ServerResponse) => response.writeHead(302).end()],
    [
      "a redirect to itself",
      (response: ServerResponse) => response.writeHead(302, { location: "/user" }).end(),
    ],
  ])("that is %s is refused", async (_, answer) => {
    const { connection } = await answering(answer);
    expect(await refusal(connection.ask({ path: "/user", signal }))).toMatchObject({ code: "refused" });
  });

  it("that never ends is not read to its end", async () => {
    const { connection } = await answering((response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, "a")));
      };
      response.on("drain", more);
      more();
    });
    expect(await refusal(connection.ask({ path: "/user", signal }))).toMatchObject({
      code: "refused",
      message: expect.stringContaining("more than 32 MB"),
    });
  });
});
