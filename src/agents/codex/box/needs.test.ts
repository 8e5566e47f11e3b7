import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { nativeProgram } from "./native-program.ts";
import { codexBoxNeeds } from "./needs.ts";

const OWN = '[model_providers.mine]\nbase_url = "http://models.example/v1"\n';

function homeWith(files: Record<string, string>): string {
  const home = mkdtempSync(join(tmpdir(), "baton-codex-box-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
  return home;
}

function apiOf(files: Record<string, string>, env: Record<string, string> = {}) {
  return codexBoxNeeds({
    env: { CODEX_HOME: homeWith(files), ...env },
    cwd: "/",
    prices: {},
    program: "/bin/codex",
  }).api;
}

it.each([
  [
    "with a key that it keeps",
    { "auth.json": '{"OPENAI_API_KEY":"sk-1"}' },
    "https://api.openai.com/v1",
    "Bearer sk-1",
  ],
  [
    "at the address of its settings",
    { "auth.json": '{"OPENAI_API_KEY":"sk-1"}', "config.toml": 'openai_base_url = "http://eu.example/v1"\n' },
    "http://eu.example/v1",
    "Bearer sk-1",
  ],
  [
    "with the variable of a provider",
    { "config.toml": `model_provider = "mine"\n${OWN}env_key = "MINE"\n` },
    "http://models.example/v1",
    "Bearer sk-2",
  ],
  [
    "without a key",
    { "config.toml": `model_provider = "mine"\n${OWN}` },
    "http://models.example/v1",
    undefined,
  ],
])("Baton signs in for it %s", (_how, files, upstream, authorization) => {
  const headers = authorization === undefined ? {} : { authorization };
  expect(apiOf(files as Record<string, string>, { MINE: "sk-2" })).toMatchObject({ upstream, headers });
});

it.each([
  [
    "an account",
    { "auth.json": '{"OPENAI_API_KEY":"sk-1","tokens":{"access_token":"x"}}' },
    "not with a ChatGPT account",
  ],
  ["nothing", {}, "only with an API key"],
  [
    "a variable that is not set",
    { "config.toml": `model_provider = "mine"\n${OWN}env_key = "MINE"\n` },
    "MINE is not set",
  ],
  [
    "what the settings hold",
    { "config.toml": `model_provider = "mine"\n${OWN}[model_providers.mine.http_headers]\nkey = "sk-3"\n` },
    "more than an env_key",
  ],
  [
    "a provider that only Codex knows",
    { "config.toml": 'model_provider = "ollama"\n' },
    "the provider ollama",
  ],
])("Baton cannot sign in for it with %s", (_what, files, problem) => {
  expect(apiOf(files as Record<string, string>)).toMatchObject({
    problem: expect.stringContaining(problem),
    fix: expect.stringMatching(/\S/),
  });
});

it("shows the settings inside, and what it signs in with only where it signs in by itself", () => {
  const home = homeWith({ "config.toml": "", "auth.json": "{}", "history.jsonl": "" });
  expect(
    codexBoxNeeds({ env: { CODEX_HOME: home }, cwd: "/", prices: {}, program: "/bin/codex" }),
  ).toMatchObject({
    readable: [join(home, "config.toml")],
    writable: [
      { path: expect.stringContaining(join(home, "baton-sessions")), inside: join(home, "sessions") },
    ],
    signInFiles: [join(home, "auth.json")],
  });
});

it("starts the program that npm's script starts, and refuses a script without one", () => {
  const folder = homeWith({});
  const bin = join(folder, "vendor", "x86_64-unknown-linux-musl", "bin");
  mkdirSync(join(folder, "bin"));
  const script = join(folder, "bin", "codex.js");
  writeFileSync(script, "#!/usr/bin/env node\n");
  chmodSync(script, 0o755);
  expect(() => nativeProgram(script)).toThrow("is a script, and the program that it starts was not found");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "codex"), "\x7fELF");
  expect(nativeProgram(script)).toBe(join(bin, "codex"));
  expect(nativeProgram(join(bin, "codex"))).toBe(join(bin, "codex"));
});
