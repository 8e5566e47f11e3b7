import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../src/agents/registry.ts";
import type { Abilities } from "../src/config/runtimes/abilities.ts";
import { ACP_PRESETS, isAcpPreset } from "../src/config/runtimes/acp.ts";
import { abilitiesOf, RUNTIMES, type Runtime } from "../src/config/runtimes/runtimes.ts";

const RUNTIME_NAMES = Object.keys(RUNTIMES) as Runtime[];
const MODES = 6;

const yes = (can: boolean) => (can ? "yes" : "no");

/** The rows of docs/agents.md, each from what the adapters declare. */
const ROWS: Record<string, (can: Abilities) => string> = {
  "a turn ends at a boundary": ({ boundary }) => boundary,
  "Baton's own tools": ({ ownTools }) => yes(ownTools),
  "usage is told": ({ usage }) => usage,
  cost: ({ cost }) => cost,
  "an ended session can be continued": ({ resume }) => yes(resume),
  "Baton chooses the id of a session": ({ mintedId }) => yes(mintedId),
  "`allowed_tools`, `denied_tools`": ({ toolRules }) =>
    typeof toolRules === "string" ? toolRules : yes(toolRules),
  "`permission_mode`": ({ permissionModes: modes }) =>
    modes.length === MODES ? "all" : modes.map((mode) => `\`${mode}\``).join(", ") || "no",
  "a person can be asked about a call": ({ permissionQuestions }) => yes(permissionQuestions),
  "`system_prompt`": ({ systemPrompt }) => yes(systemPrompt),
  "`max_turns`": ({ maxTurns }) => yes(maxTurns),
  "`mcp_servers`": ({ mcpServers }) => (typeof mcpServers === "string" ? mcpServers : yes(mcpServers)),
  "`session.auto_compact`": ({ compaction }) => yes(compaction),
  "usage limits": ({ limits }) => limits,
  "reads by itself, the first of": ({ instructions }) =>
    instructions.map((name) => `\`${name}\``).join(", ") || "nothing",
  "runs in a container": ({ containers }) => yes(containers),
  "subagents are counted apart": ({ subagents }) => yes(subagents),
  "commands in the background": ({ background }) => yes(background),
};

const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

describe("what each runtime can do", () => {
  it("is what its adapter declares", async () => {
    for (const name of RUNTIME_NAMES) expect((await adapters[name]()).abilities).toBe(RUNTIMES[name]);
  });

  it("is what docs/agents.md says", async () => {
    const docs = await readFile(join(import.meta.dirname, "..", "docs", "agents.md"), "utf8");
    const table = docs.split("\n").filter((line) => line.startsWith("|"));
    const from = table.findIndex((line) => cellsOf(line)[0] === "ability");
    expect(cellsOf(table[from] ?? "").slice(1)).toEqual(RUNTIME_NAMES.map((name) => `\`${name}\``));
    const rows = Object.keys(ROWS).length;
    const told = table.slice(from + 2, from + 2 + rows).map(cellsOf);
    expect(told).toEqual(
      Object.entries(ROWS).map(([row, of]) => [row, ...RUNTIME_NAMES.map((name) => of(RUNTIMES[name]))]),
    );
    for (const name of RUNTIME_NAMES) expect(docs).toContain(RUNTIMES[name].drives);
  });

  it("is more with some programs of the Agent Client Protocol, as docs/agents.md says", async () => {
    const docs = await readFile(join(import.meta.dirname, "..", "docs", "agents.md"), "utf8");
    const table = docs.split("\n").filter((line) => line.startsWith("|"));
    const names = Object.keys(ACP_PRESETS).filter(isAcpPreset);
    const abilities = names.map((name) => abilitiesOf("acp", ACP_PRESETS[name].command));
    const rows = Object.entries(ROWS).map(([row, of]) => [row, ...abilities.map(of)]);
    const others = rows.filter(([row = "", ...cells]) =>
      cells.some((cell) => cell !== ROWS[row]?.(RUNTIMES.acp)),
    );
    const from = table.findIndex((line) => cellsOf(line)[0] === "of `acp`");
    expect(cellsOf(table[from] ?? "").slice(1)).toEqual(names.map((name) => `\`${name}\``));
    expect(table.slice(from + 2, from + 2 + others.length).map(cellsOf)).toEqual(others);
    for (const name of names) {
      const { package: npm, abilities } = ACP_PRESETS[name];
      const installed = `\`npm install -g ${npm}\``;
      expect(table.map(cellsOf)).toContainEqual([`\`${name}\``, abilities.drives, installed]);
      expect((await adapters.acp({ command: ACP_PRESETS[name].command })).abilities).toBe(abilities);
    }
  });
});
