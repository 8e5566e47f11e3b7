import { describe, expect, it } from "vitest";
import { withRule } from "./add-rule.ts";

const RULE = "Bash(npm test:*)";
const added = (text: string, ...inherited: string[]) =>
  withRule(text, { agent: "coder", key: "allowed_tools", rule: RULE, inherited });

describe("a rule more in a person's file", () => {
  it.each([
    [
      "a list on one line",
      'agents:\n  - name: coder # mine\n    allowed_tools: [Bash, "Edit"] # keep\n    model: x\n',
      'agents:\n  - name: coder # mine\n    allowed_tools: [Bash, "Edit", "Bash(npm test:*)"] # keep\n    model: x\n',
      'allowed_tools: [Bash, "Edit", "Bash(npm test:*)"] # keep',
      3,
    ],
    [
      "a list of lines",
      "agents:\n  - name: coder\n    allowed_tools:\n      # what I use\n      - Bash # all\n\n    model: x\n",
      'agents:\n  - name: coder\n    allowed_tools:\n      # what I use\n      - Bash # all\n      - "Bash(npm test:*)"\n\n    model: x\n',
      '- "Bash(npm test:*)"',
      6,
    ],
    [
      "no list",
      "agents:\n  - name: other\n  - model: x\n    name: coder # mine\n",
      'agents:\n  - name: other\n  - model: x\n    name: coder # mine\n    allowed_tools: ["Bash(npm test:*)"]\n',
      'allowed_tools: ["Bash(npm test:*)"]',
      5,
    ],
    [
      "an agent on one line",
      "agents: [{ name: coder, model: x }]\n",
      'agents: [{ name: coder, allowed_tools: ["Bash(npm test:*)"], model: x }]\n',
      'agents: [{ name: coder, allowed_tools: ["Bash(npm test:*)"], model: x }]',
      1,
    ],
    [
      "an empty list",
      "agents:\n  - name: coder\n    allowed_tools: []\n",
      'agents:\n  - name: coder\n    allowed_tools: ["Bash(npm test:*)"]\n',
      'allowed_tools: ["Bash(npm test:*)"]',
      3,
    ],
  ])("goes into %s, with all else as it was", (_where, before, after, line, number) => {
    expect(added(before)).toEqual({ text: after, line, number });
  });

  it("keeps what holds for all agents, and changes nothing for the others", () => {
    const before = "defaults:\n  allowed_tools: [Edit]\nagents:\n  - name: coder\n";
    expect(added(before, "Edit")?.text).toBe(`${before}    allowed_tools: ["Edit", "Bash(npm test:*)"]\n`);
  });

  it.each([
    ["is not there", "agents:\n  - name: other\n"],
    [
      "has a list that stands elsewhere",
      "x: &list [Edit]\nagents:\n  - name: coder\n    allowed_tools: *list\n",
    ],
    ["is in a file that is no YAML", "agents: [{ name: coder\n"],
  ])("is not written where the agent %s", (_why, text) => {
    expect(added(text)).toBeUndefined();
  });
});
