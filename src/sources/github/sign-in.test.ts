import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { startGitHub } from "../../../test/github-server.ts";
import { HOUR_MS, MINUTE_MS } from "../../util/time.ts";
import { GitHubConnection } from "./connection.ts";
import { type AppIdentity, appSignIn } from "./sign-in.ts";

const { signal } = new AbortController();
const PATH = "/repos/acme/app/issues";

/** An App that may read and write issues, asked by a machine whose clock is `skewMs` ahead. */
async function start({ skewMs = 0, changed = {} }: { skewMs?: number; changed?: Partial<AppIdentity> } = {}) {
  let now = Date.parse("2026-11-18T12:00:00Z");
  const github = await startGitHub({ now: () => new Date(now) });
  github.repo("acme/app", { private: true });
  const app = github.accounts.app("baton-bot", ["acme/app"], { issues: "write" });
  const ours = () => new Date(now + skewMs);
  const options = { apiUrl: github.url, now: ours, sleep: async () => {} };
  const signIn = appSignIn({ ...app, from: "BATON_APP_KEY", ...changed }, options);
  const connection = new GitHubConnection({ ...options, signIn });
  const issued = () => github.requests.filter(({ path }) => path.endsWith("/access_tokens"));
  const pass = (ms: number) => {
    now += ms;
  };
  return { github, app, signIn, connection, issued, pass, [Symbol.asyncDispose]: github.close };
}

describe("an App", () => {
  it("asks for one token, however many want it, and says who it is and what it may", async () => {
    await using at = await start();
    const asks = Array.from({ length: 5 }, () => at.connection.ask({ path: PATH, signal }));
    expect((await Promise.all(asks)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await at.signIn.login(signal)).toBe("baton-bot[bot]");
    expect(await at.signIn.rights(signal)).toEqual({ issues: "write" });
    expect(at.issued()).toHaveLength(1);
    expect(new Set(at.github.requests.map(({ login }) => login))).toContain("baton-bot[bot]");
  });

  it("has a new token before the old one ends", async () => {
    await using at = await start();
    await at.connection.ask({ path: PATH, signal });
    at.pass(HOUR_MS - 6 * MINUTE_MS);
    await at.connection.ask({ path: PATH, signal });
    expect(at.issued()).toHaveLength(1);
    at.pass(2 * MINUTE_MS);
    await at.connection.ask({ path: PATH, signal });
    expect(at.issued()).toHaveLength(2);
    expect(at.github.requests.filter(({ status }) => status === 401)).toEqual([]);
  });

  it("has a new token where the old one is not accepted any more, and asks for it once", async () => {
    await using at = await start();
    at.github.accounts.revoke(await at.signIn.token(signal));
    expect(await at.connection.ask({ path: PATH, signal })).toMatchObject({ status: 200 });
    expect(at.issued()).toHaveLength(2);
    at.github.fault({ path: /issues/, how: { status: 401, body: "{}" }, times: 2 });
    await expect(at.connection.ask({ path: PATH, signal })).rejects.toMatchObject({ code: "no-access" });
    expect(at.issued()).toHaveLength(3);
  });

  it.each([HOUR_MS, -HOUR_MS])(
    "is let in by the server's clock, where that of this machine is %i ms off",
    async (skewMs) => {
      await using at = await start({ skewMs });
      expect(await at.connection.ask({ path: PATH, signal })).toMatchObject({ status: 200 });
      expect(at.issued().map(({ status }) => status)).toEqual([401, 201]);
      at.pass(HOUR_MS - 6 * MINUTE_MS);
      await at.connection.ask({ path: PATH, signal });
      expect(at.issued()).toHaveLength(2);
      at.pass(2 * MINUTE_MS);
      await at.connection.ask({ path: PATH, signal });
      expect(at.issued()).toHaveLength(3);
    },
  );

  it("does not wait for somebody who left", async () => {
    await using at = await start();
    const first = new AbortController();
    const { promise: hangs, resolve: met } = Promise.withResolvers<void>();
    at.github.fault({ path: /access_tokens/, how: "hang", met });
    const left = at.signIn.token(first.signal);
    const second = at.signIn.token(signal);
    await hangs;
    first.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    expect(await second).toMatch(/^ghs_/);
  });

  const otherKey = () =>
    generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();
  const elliptic = () =>
    generateKeyPairSync("ec", { namedCurve: "P-256" })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString();

  it.each([
    ["has no key", () => ({ privateKey: "" }), /^BATON_APP_KEY does not hold a private key of a GitHub App/],
    ["has something else for a key", () => ({ privateKey: "ghp_secret" }), /^BATON_APP_KEY does not hold/],
    ["has a key of another kind", () => ({ privateKey: elliptic() }), /^BATON_APP_KEY does not hold/],
    ["has another's key", () => ({ privateKey: otherKey() }), /401/],
    ["has another number", () => ({ id: "1" }), /401/],
    ["is not installed there", () => ({ installation: "1" }), /^The App \d+ has no installation 1: /],
  ])("that %s is told so, and no key is shown", async (_, changed, expected) => {
    const given = changed();
    await using at = await start({ changed: given });
    const error = await at.connection.ask({ path: PATH, signal }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "no-access", message: expect.stringMatching(expected) });
    expect(String(error)).not.toMatch(/secret|PRIVATE KEY/);
  });

  it("takes a key whose line breaks a variable has lost", async () => {
    await using at = await start();
    const privateKey = at.app.privateKey.trim().replaceAll("\n", "\\n");
    const identity = { ...at.app, privateKey, from: "BATON_APP_KEY" };
    const now = () => new Date("2026-11-18T12:00:00Z");
    expect(await appSignIn(identity, { apiUrl: at.github.url, now }).token(signal)).toMatch(/^ghs_/);
  });
});
