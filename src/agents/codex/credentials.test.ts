import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { credentialsOf } from "./credentials.ts";

const PROVIDER = `model = "x"
model_provider = "mine"
[model_providers.other]
env_key = "OTHER_KEY"
[model_providers.mine]
base_url = "http://127.0.0.1"
env_key = "MY_KEY"
[profiles.x]
model_provider = "other"
`;

/** What is found with these files in its folder. A program that is asked says how it ends: `true`, or `false`. */
async function found(files: Record<string, string>, env = {}, program = "/bin/false") {
  const home = await mkdtemp(join(tmpdir(), "baton-codex-home-"));
  onTestFinished(() => rm(home, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  return credentialsOf({ CODEX_HOME: home, ...env }, program);
}

it("finds what Codex signs in with", async () => {
  const plan = { signsInWith: "your ChatGPT account", plan: true };
  const key = { signsInWith: "the API key that Codex keeps" };
  expect(await found({ "auth.json": JSON.stringify({ tokens: { id_token: "x" } }) })).toEqual(plan);
  expect(await found({ "auth.json": JSON.stringify({ OPENAI_API_KEY: "sk", tokens: null }) })).toEqual(key);
  // In a keyring.
  expect(await found({}, {}, "/bin/true")).toEqual(key);
  expect(await found({ "auth.json": "{broken" })).toMatchObject({ fix: expect.stringContaining("sign in") });
});

it("goes by the provider that the user has chosen", async () => {
  const config = { "config.toml": PROVIDER };
  expect(await found(config, { MY_KEY: "k" })).toEqual({ signsInWith: "MY_KEY" });
  expect(await found(config, { OTHER_KEY: "k" })).toEqual({
    fix: "Set MY_KEY, with which your provider lets it sign in.",
  });
  const builtIn = { "config.toml": 'model_provider = "openai"\n' };
  expect(await found(builtIn, {}, "/bin/true")).toMatchObject({ signsInWith: expect.anything() });
});
