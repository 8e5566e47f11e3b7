import { describe, expect, it } from "vitest";
import { parseConfig } from "../layers/parse.ts";
import { expand } from "./variables.ts";

const ENV = { NAME: "value", EMPTY: "", TURNS: "30", WAIT: "45s", YES: "true", PART: "0.25", HOW: "pause" };

function agentWith(lines: string) {
  const text = `agents:\n  - name: coder\n${lines.replace(/^/gm, "    ")}`;
  return parseConfig(text, "/project/baton.yaml", "/home/someone", ENV).agents[0];
}

describe("a text with variables", () => {
  it.each([
    [`\${NAME}`, "value"],
    [`a \${NAME} and \${NAME}`, "a value and value"],
    [`\${NAME:-other}`, "value"],
    [`\${EMPTY}`, ""],
    [`\${EMPTY:-other}`, "other"],
    [`\${MISSING:-}`, ""],
    [`\${MISSING:-a b:c}`, "a b:c"],
    [`$\${NAME}`, `\${NAME}`],
    ["$NAME $ { $( ) }", "$NAME $ { $( ) }"],
    [`$\${NAME} is \${NAME}`, `\${NAME} is value`],
  ])("%s becomes %s", (text, value) => {
    expect(expand(text, ENV)).toMatchObject({ value });
    expect(expand(text, ENV)).not.toHaveProperty("unresolved");
  });

  it.each([
    [`\${MISSING}`, "needs the environment variable MISSING, which is not set"],
    [`\${constructor}`, "needs the environment variable constructor, which is not set"],
    [`\${}`, `has \${}, which is not the name of a variable`],
    [`\${NOT A NAME}`, `has \${NOT A NAME}, which is not the name of a variable`],
    [`\${NAME:?no}`, `has \${NAME:?no}, which is not the name of a variable`],
    [`\${NAME`, `has a \${ that is never closed`],
    [`\${MISSING:-\${NAME}}`, "has a variable within a variable"],
  ])("%s is refused", (text, message) => {
    expect(expand(text, ENV).unresolved?.message).toBe(message);
  });
});

describe("a variable", () => {
  it("can stand in any text, and for numbers, times and choices too", () => {
    const agent = agentWith(`
model: \${NAME}
max_turns: \${TURNS}
allowed_tools: ["\${NAME}", Bash]
env: { TOKEN: "\${NAME}" }
session:
  context_threshold: \${PART}
  stall_timeout: \${WAIT}
  on_limit: \${HOW}
  auto_compact: \${YES}
  retry_backoff: \${TURNS}
`);
    expect(agent).toMatchObject({
      model: "value",
      maxTurns: 30,
      allowedTools: ["value", "Bash"],
      env: { TOKEN: "value" },
      session: {
        threshold: { kind: "remaining", fraction: 0.25 },
        stallTimeoutMs: 45_000,
        onLimit: "pause",
        autoCompact: true,
        retryBackoffMs: 30,
      },
    });
  });

  it("that looks like a number stays text where text belongs", () => {
    expect(agentWith(`model: \${TURNS}\nsystem_prompt: \${YES}`)).toMatchObject({
      model: "30",
      systemPrompt: "true",
    });
  });

  it("is the shell's own in a shell command", () => {
    const agent = agentWith(`
hooks: { after_run: [{ type: shell, command: "echo \${MISSING} \${x:?y} $\${z}" }] }
workspace: { setup_command: "cd \${NAME}" }
`);
    expect(agent?.hooks.afterRun).toMatchObject([{ command: `echo \${MISSING} \${x:?y} $\${z}` }]);
    expect(agent?.workspace.setupCommand).toBe(`cd \${NAME}`);
  });

  it("in a key is left as it is", () => {
    expect(Object.keys(agentWith(`env: { "\${NAME}": 1 }`)?.env ?? {})).toEqual([`\${NAME}`]);
  });

  it("is told by its name to whoever records the configuration", () => {
    expect(
      agentWith(`model: \${NAME}\nhooks: { after_run: [{ type: shell, command: '\${NAME}' }] }`),
    ).toMatchObject({
      fromEnvironment: [{ value: "value", written: `\${NAME}` }],
    });
  });
});
