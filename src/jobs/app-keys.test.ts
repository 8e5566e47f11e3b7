import { expect, it } from "vitest";
import { parseConfig } from "../config/layers/parse.ts";
import { withoutAppKeys } from "./app-keys.ts";

it("takes the keys of Apps out of what agents get, and leaves tokens and all else", () => {
  const { agents } = parseConfig(
    `agents:
  - name: coder
    workspace: { strategy: git_worktree }
    work_source: { type: github, repo: acme/app, auth: { app: { id: 1, installation: 2, private_key_env: APP_KEY } } }
`,
    "/project/baton.yaml",
    "/home/someone",
    {},
  );
  const [agent] = agents;
  if (!agent) throw new Error("there is no agent");
  expect(withoutAppKeys({ APP_KEY: "pem", GITHUB_TOKEN: "t", PATH: "/bin" }, agent)).toEqual({
    GITHUB_TOKEN: "t",
    PATH: "/bin",
  });
});
