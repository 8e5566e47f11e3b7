import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { configSchema } from "./keys/files.ts";

const validate = new Ajv2020({ strictTypes: false, allErrors: true }).compile(configSchema());

/** What an editor underlines, and says. That an `if` led there, it does not. */
function messages(agent: string): string[] {
  validate(parse(`agents:\n  - ${agent.trim().replaceAll("\n", "\n    ")}\n`));
  return (validate.errors ?? [])
    .filter(({ keyword }) => keyword !== "if")
    .map(({ instancePath, message, params }) => {
      const { additionalProperty: unknown, allowedValues: known } = params;
      const more = unknown ?? known?.join(", ");
      return `${instancePath.replace("/agents/0", "")} ${message}${more === undefined ? "" : `: ${more}`}`.trim();
    });
}

const variable = (name: string) => `\${${name}}`;
const hook = (keys: string) => `name: coder\nhooks:\n  after_run:\n    - { ${keys} }`;
const server = (keys: string) => `name: coder\nmcp_servers:\n  docs: { ${keys} }`;

describe("an editor that goes by the schema says what is wrong, and nothing of what else could have stood there", () => {
  it.each([
    [
      "a key of a hook",
      hook("type: shell, command: x, comand: y"),
      "/hooks/after_run/0 must NOT have additional properties: comand",
    ],
    ["a hook without its key", hook("type: webhook"), "/hooks/after_run/0 must have required property 'url'"],
    [
      "a type of hook",
      hook("type: shel, command: x"),
      "/hooks/after_run/0/type must be equal to one of the allowed values: shell, webhook, slack, discord",
    ],
    ["a hook without a type", hook("command: x"), "/hooks/after_run/0 must have required property 'type'"],
    [
      "a message to nowhere",
      hook("type: slack"),
      "/hooks/after_run/0 must have required property 'channel_id'",
    ],
    [
      "a method",
      hook("type: webhook, url: 'https://a.b', method: GET"),
      "/hooks/after_run/0/method must be equal to one of the allowed values: POST, PUT",
    ],
    [
      "a server without its program",
      server("args: [x]"),
      "/mcp_servers/docs must have required property 'command'",
    ],
    [
      "a server with an address and no type",
      server("url: 'https://a.b'"),
      "/mcp_servers/docs must have required property 'type'",
    ],
    [
      "a key of a server with an address",
      server("type: http, url: 'https://a.b', args: [x]"),
      "/mcp_servers/docs must NOT have additional properties: args",
    ],
    ["a key of an agent", "name: coder\nmodle: x", "must NOT have additional properties: modle"],
    ["an agent without a name", "model: x", "must have required property 'name'"],
    ["a key of an agent in a file", "path: a.yaml\nmodel: x", "must NOT have additional properties: model"],
    [
      "a folder without its root",
      "name: coder\nworking_directory: { repo: x }",
      "/working_directory must have required property 'root'",
    ],
    ["a flag", "name: coder\nhandoff: { enabled: sure }", "/handoff/enabled must be boolean"],
    [
      "a mode",
      "name: coder\nsession: { mode: frsh }",
      "/session/mode must be equal to one of the allowed values: fresh, persistent",
    ],
    [
      "a time",
      "name: coder\nhandoff: { timeout: soon }",
      expect.stringMatching(/^\/handoff\/timeout must match pattern .*ms\|s\|m\|h\|d/),
    ],
    [
      "a threshold",
      "name: coder\nsession: { context_threshold: 50 }",
      "/session/context_threshold must be >= 1000",
    ],
    [
      "a threshold in words",
      "name: coder\nsession: { context_threshold: cheap }",
      "/session/context_threshold must be equal to one of the allowed values: economical",
    ],
  ])("%s", (_what, agent, message) => {
    expect(messages(agent)).toEqual([message]);
  });

  it.each([
    ["a variable for a flag", `name: coder\nhandoff: { enabled: '${variable("ON")}' }`],
    ["a variable for the type of a server", server(`type: '${variable("KIND")}', url: 'https://a.b'`)],
    ["a variable for a threshold", `name: coder\nsession: { context_threshold: '${variable("MARK")}' }`],
    ["a message by a webhook", hook("type: slack, webhook_url: 'https://a.b'")],
  ])("and nothing of %s", (_what, agent) => {
    expect(messages(agent)).toEqual([]);
  });
});
