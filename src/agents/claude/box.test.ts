import { expect, it } from "vitest";
import { claudeBoxNeeds } from "./box.ts";

const needsWith = (env: Record<string, string>) =>
  claudeBoxNeeds({ env: { HOME: "/nowhere", ...env }, cwd: "/", prices: {}, program: "/bin/claude" }, false);

it.each([
  [{ ANTHROPIC_API_KEY: "sk-1" }, "https://api.anthropic.com", { "x-api-key": "sk-1" }],
  [
    { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_BASE_URL: "http://gateway.example" },
    "http://gateway.example",
    { authorization: "Bearer t" },
  ],
])("Baton signs in for it with %o", (env, upstream, headers) => {
  const needs = needsWith(env as Record<string, string>);
  expect(needs.api).toMatchObject({ upstream, headers });
  expect(needs).not.toHaveProperty("cannotSignIn");
});

it.each([
  ["a plan's sign-in in a file, which stays outside", {}, true],
  ["a plan's own token, by itself", { CLAUDE_CODE_OAUTH_TOKEN: "t" }, false],
  ["a cloud, by itself", { CLAUDE_CODE_USE_BEDROCK: "1", ANTHROPIC_API_KEY: "sk-1" }, false],
])("Baton does not sign in for it with %s", (_what, env, isHelpless) => {
  const needs = needsWith(env as Record<string, string>);
  expect(needs.api).toMatchObject({
    problem: expect.stringContaining("ANTHROPIC_API_KEY"),
    fix: expect.stringContaining("setup-token"),
  });
  expect("cannotSignIn" in needs).toBe(isHelpless);
});
