import { expect, it } from "vitest";
import { redactor } from "../secrets/redact.ts";
import { configuredSecrets } from "./configured-secrets.ts";
import { parseConfig } from "./layers/parse.ts";

it.each([
  "work_source: { type: github, repo: acme/shop, auth: { token_env: SHOP } }",
  "schedules: { bugs: { interval: 5m, work_source: { type: github, repo: acme/shop, auth: { token_env: SHOP } } } }",
  "work_source: { type: github, repo: acme/shop, auth: { app: { id: 1, installation: 2, private_key_env: SHOP } } }",
])("what a tracker is signed in to with is a secret, whatever its variable is called: %s", (source) => {
  const text = `agents:\n  - name: coder\n    workspace: { strategy: git_worktree }\n    ${source}\n`;
  const { agents } = parseConfig(text, "/project/baton.yaml", "/home/someone", {});
  const env = { SHOP: "correct horse battery staple", COLOUR: "a rather long word" };
  const [agent] = agents;
  if (!agent) throw new Error("no agent");
  const redact = redactor({ ...configuredSecrets(agent, env), ...env });
  expect(redact("correct horse battery staple, a rather long word")).toBe(
    "[redacted: work_source.SHOP.token], a rather long word",
  );
  expect(redactor(env)("correct horse battery staple")).toBe("correct horse battery staple");
  expect(configuredSecrets(agent, {})).toEqual({});
});
