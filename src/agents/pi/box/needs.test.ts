import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { BoxNeeds } from "../../../box/needs.ts";
import { piBoxNeeds } from "./needs.ts";

interface Given {
  model?: string;
  files?: Record<string, object>;
  env?: Record<string, string>;
}

const OWN = {
  baseUrl: "http://models.example/v1",
  api: "openai-completions",
  apiKey: "$MINE",
  headers: { "X-Team": "secret-team" },
  models: [
    {
      id: "a",
      headers: { "X-Model": "secret-model" },
      cost: { input: 3, output: 4, cacheRead: 1, cacheWrite: 2 },
    },
  ],
};

function needsWith({ model, files = {}, env = {} }: Given): BoxNeeds & { home: string } {
  const home = mkdtempSync(join(tmpdir(), "baton-pi-box-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(home, name), JSON.stringify(content));
  // Any program does: it is not started.
  const setting = {
    env: { PI_CODING_AGENT_DIR: home, ...env },
    cwd: home,
    prices: {},
    executable: process.execPath,
  };
  return { ...piBoxNeeds({ ...setting, ...(model !== undefined && { model }) }), home };
}

it.each<[string, Given, string, Record<string, string>]>([
  [
    "a variable",
    { model: "openai/gpt-5.5", env: { OPENAI_API_KEY: "sk-1" } },
    "https://api.openai.com/v1",
    { authorization: "Bearer sk-1" },
  ],
  [
    "a key that pi keeps, before a variable",
    {
      model: "anthropic/claude-sonnet-5:high",
      files: { "auth.json": { anthropic: { type: "api_key", key: "sk-2" } } },
      env: { ANTHROPIC_API_KEY: "sk-1" },
    },
    "https://api.anthropic.com",
    { "x-api-key": "sk-2" },
  ],
  [
    "the model of its settings",
    {
      files: { "settings.json": { defaultProvider: "google", defaultModel: "gemini-3-pro" } },
      env: { GEMINI_API_KEY: "sk-3" },
    },
    "https://generativelanguage.googleapis.com/v1beta",
    { "x-goog-api-key": "sk-3" },
  ],
  [
    "a provider of the user's own, with headers",
    { model: "mine/a", files: { "models.json": { providers: { mine: OWN } } }, env: { MINE: "sk-4" } },
    "http://models.example/v1",
    { authorization: "Bearer sk-4", "x-team": "secret-team", "x-model": "secret-model" },
  ],
  [
    "Claude at OpenRouter",
    { model: "openrouter/anthropic/claude-sonnet-5", env: { OPENROUTER_API_KEY: "sk-5" } },
    "https://openrouter.ai/api",
    { "x-api-key": "sk-5" },
  ],
])("Baton signs in for it with %s", (_what, given, upstream, headers) => {
  expect(needsWith(given).api).toMatchObject({ upstream, headers });
});

it.each<[string, Given, string]>([
  [
    "a subscription",
    { model: "anthropic/x", files: { "auth.json": { anthropic: { type: "oauth", access: "x" } } } },
    "not with a subscription",
  ],
  [
    "a command",
    { model: "openai/x", files: { "auth.json": { openai: { type: "api_key", key: "!pass openai" } } } },
    "the output of a command",
  ],
  ["a variable that is not set", { model: "openai/x" }, "OPENAI_API_KEY is not set"],
  ["a model without a provider", { model: "sonnet" }, "write it as provider/model"],
  ["a provider that only pi knows", { model: "amazon-bedrock/x" }, "the provider amazon-bedrock"],
  [
    "an API that only pi knows",
    {
      model: "m/x",
      files: { "models.json": { providers: { m: { baseUrl: "http://x", api: "mistral-conversations" } } } },
    },
    "the API of the provider m",
  ],
])("Baton cannot sign in for it with %s", (_what, given, problem) => {
  expect(needsWith(given).api).toMatchObject({
    problem: expect.stringContaining(problem),
    fix: expect.stringContaining("bridge"),
  });
});

it("shows its models inside without what signs in to them, and to no other provider", () => {
  const providers = { mine: OWN, other: { apiKey: "sk-of-another", baseUrl: "http://other.example" } };
  const { home, filesToApi, credentials, signInFiles } = needsWith({
    model: "mine/a",
    files: { "models.json": { providers } },
    env: { MINE: "sk-4" },
  });
  const text = filesToApi?.({ socket: "/s", port: 3129, token: "t" })[join(home, "models.json")] ?? "";
  expect(JSON.parse(text)).toMatchObject({
    providers: {
      mine: { baseUrl: "http://127.0.0.1:3129", api: "openai-completions", models: [{ id: "a" }] },
    },
  });
  expect(text).not.toMatch(/sk-|secret|MINE|other/);
  expect(credentials).toEqual(expect.arrayContaining(["MINE", "ANTHROPIC_API_KEY"]));
  expect(signInFiles).toEqual([join(home, "models.json")]);
});
