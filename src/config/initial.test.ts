import { describe, expect, it } from "vitest";
import { initialConfig } from "./initial.ts";
import { parseConfig } from "./layers/parse.ts";

function parse(text: string) {
  return parseConfig(text, "/project/baton.yaml", "/home/someone");
}

/** What a person's editor does who un-comments every key. */
function uncommented(text: string): string {
  return text.replaceAll(/^( +)# ( *[a-z_]+:( |$))/gm, "$1$2");
}

describe("the first baton.yaml", () => {
  it("says what was answered", () => {
    const text = initialConfig({
      name: "coder",
      model: "claude-opus-5-5",
      directory: "~/my project: one",
      permissionMode: "plan",
      allowedTools: ["Bash(make check:*)", "WebFetch"],
      tests: "make check",
    });
    expect(parse(text).agents).toMatchObject([
      {
        allowedTools: ["Bash(make check:*)", "WebFetch"],
        systemPrompt: "Run the tests with `make check` before you say that you are done.",
        name: "coder",
        model: "claude-opus-5-5",
        permissionMode: "plan",
        workingDirectory: "/home/someone/my project: one",
      },
    ]);
  });

  it("is nothing but defaults when only a name was given", () => {
    expect(parse(initialConfig({ name: "coder" })).agents).toEqual(parse("agents: [{ name: coder }]").agents);
  });

  it.each(["007", "true", "1e3", "null", "a.b-c_d"])("keeps the name %s as it is", (name) => {
    expect(parse(initialConfig({ name })).agents[0]?.name).toBe(name);
  });

  it("can have every key that is commented out un-commented, alone or all together", () => {
    const text = initialConfig({ name: "coder" });
    const all = uncommented(text);
    expect(all).not.toMatch(/^ +# +[a-z_]+:/m);
    expect(parse(all).agents[0]).toMatchObject({
      model: "claude-sonnet-4-5",
      mcpServers: { docs: { command: "npx" } },
      limits: { costUsd: 20, durationMs: 28_800_000, turns: 500 },
    });
    for (const block of text.split("\n\n")) {
      expect(() => parse(text.replace(block, uncommented(block)))).not.toThrow();
    }
  });

  it("shows the defaults as they are", () => {
    const written = parse(uncommented(initialConfig({ name: "coder" }))).agents[0];
    const defaults = parse("agents: [{ name: coder }]").agents[0];
    expect(written?.session).toEqual(defaults?.session);
    expect(written?.handoff).toEqual(defaults?.handoff);
  });
});
