import { describe, expect, it } from "vitest";
import { ConfigError } from "./error.ts";
import { parseConfig } from "./parse.ts";

const AGENT = "agents:\n  - name: coder\n";

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
];

describe("an error in a file with secrets", () => {
  it.each(FILES)("shows none of them: %j", (file) => {
    const load = () => parseConfig(file, "/project/baton.yaml", "/home/someone");
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/^((?!hush)[\s\S])*$/);
  });

  it("still shows which key it is about", () => {
    const load = () => parseConfig(FILES[2] ?? "", "/project/baton.yaml", "/home/someone");
    expect(load).toThrow("   4 |       TOKEN: …\n     |       ^^^^^\n");
  });

  it("shows the lines after the secrets in full", () => {
    const file = `${AGENT}    env:\n      TOKEN: hush\n    max_turns: many\n`;
    const load = () => parseConfig(file, "/project/baton.yaml", "/home/someone");
    expect(load).toThrow("   5 |     max_turns: many\n");
  });
});
