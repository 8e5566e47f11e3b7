import { describe, expect, it } from "vitest";
import { ConfigError } from "../error.ts";
import { parseConfig } from "../layers/parse.ts";

const AGENT = "agents:\n  - name: coder\n";
const HOOK = `${AGENT}    hooks:\n      after_run:\n        - type: webhook\n          url: https://x.y/z\n`;

/** Each holds `hush` where a secret would stand, and something wrong beside it or in it. */
const FILES = [
  `${AGENT}    env: hush\n`,
  `${AGENT}    env: [hush]\n`,
  `${AGENT}    env:\n      TOKEN: [hush]\n`,
  `${AGENT}    env:\n      TOKEN: { is: hush }\n`,
  `${AGENT}    env:\n    - TOKEN=hush\n`,
  `${AGENT}    env: { TOKEN: [hush], OTHER: hush }\n`,
  `${AGENT}    env: {\n  TOKEN: [hush]\n }\n`,
  `${AGENT}    env: { TOKEN: hush\n`,
  `${AGENT}    env:\n      TOKEN: "hush\n`,
  `${AGENT}    env:\n      TOKEN: |hush\n`,
  `${AGENT}    env:\n      TOKEN: @hush\n`,
  `${AGENT}    env:\n      TOKEN: "\\qhush"\n`,
  `${AGENT}    env:\n      TOKEN: a: hush\n`,
  `${AGENT}    env:\n      TOKEN: hush\n      TOKEN: hush\n`,
  `${AGENT}    env:\n      CERTIFICATE: |\n        BEGIN\n\t\thush: 1\n      \t!hush\n`,
  `${AGENT}    env:\n\tTOKEN: hush\n`,
  `${AGENT}    env:\n      KEY: |\n-----BEGIN KEY-----\nhush\n-----END KEY-----\n`,
  `${AGENT}    env:\n      KEY: "BEGIN\nhush\nEND\n`,
  `${AGENT}    evn: { TOKEN: hush }\n`,
  `${AGENT}    session: { env: { TOKEN: hush } }\n`,
  `agents: [{ name: coder, env: { TOKEN: hush }, modle: x }]\n`,
  `{"agents": [{"name": "coder", "env": {"TOKEN": ["hush"]}}]}\n`,
  `shared: &shared { TOKEN: hush }\n${AGENT}    env: *shared\n`,
  `${AGENT}    mcp_servers:\n      docs: { type: http, url: 5, headers: { Authorization: hush } }\n`,
  `${AGENT}    mcp_servers:\n      docs: { command: npx, args: --token=hush }\n`,
  `${AGENT}    mcp_servers:\n      docs: { command: npx, args: [--token=hush, {}] }\n`,
  `${AGENT}    mcp_servers:\n      docs:\n        command: npx\n        env:\n          TOKEN: [hush]\n`,
  `${HOOK}          secret: [hush]\n`,
  `${HOOK}          secret: hush\n          retries: many\n`,
  `${HOOK}          secret: >\n            hush\n\t\thush\n`,
  `${HOOK}          headers:\n            Bad Name: hush\n`,
  `${HOOK}          headers:\n            Name: "hush\\nhush"\n`,
  `${HOOK}          headers:\n            Name: \${HUSH_LINES}\n`,
  `${AGENT}    hooks:\n      after_run:\n        - type: webhook\n          url: ftp://hush\n`,
  `${AGENT}    hooks:\n      after_run:\n        - type: slack\n          bot_token_env: xoxb-hush\n          channel_id: C1\n`,
  `${AGENT}    hooks:\n      after_run:\n        - { type: slack, webhook_url: hush }\n`,
  `${AGENT}    hooks:\n      after_run:\n        - type: shell\n          command: "true"\n          env: [xoxb-hush]\n`,
  `${AGENT}    model: a\${HUSH}b\n    permission_mode: \${HUSH}\n`,
  `${AGENT}    name: \${HUSH} \n`,
  `${AGENT}    workspace: { branch_pattern: "\${HUSH_PATTERN}" }\n`,
  `${AGENT}    session: { context_threshold: "\${HUSH_NUMBER}" }\n`,
  `agents: [{ name: "\${HUSH}" }, { name: "\${HUSH}" }]\n`,
];

/** What stands for a secret in the environment. `998.5` is one too. */
const ENV = { HUSH: "hush", HUSH_PATTERN: "{hush}", HUSH_NUMBER: "998.5", HUSH_LINES: "hush\nhush" };

describe("an error in a file with secrets", () => {
  it.each(FILES)("shows none of them: %j", (file) => {
    const load = () => parseConfig(file, "/project/baton.yaml", "/home/someone", ENV);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/^((?!hush|998)[\s\S])*$/);
  });

  it("still shows which key it is about", () => {
    const load = () => parseConfig(FILES[2] ?? "", "/project/baton.yaml", "/home/someone");
    expect(load).toThrow("   4 |       TOKEN: …\n     |       ^^^^^\n");
  });

  it("shows the lines after the secrets in full", () => {
    const file = `${AGENT}    env:\n      TOKEN: hush\n    max_turns: many\n`;
    const load = () => parseConfig(file, "/project/baton.yaml", "/home/someone", ENV);
    expect(load).toThrow("   5 |     max_turns: many\n");
  });
});
