import { beforeEach, describe, expect, it } from "vitest";
import type { Scenario } from "../src/simulator/scenario.ts";
import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal, screens } from "./terminal.ts";

const COMMANDS = [
  "echo 'a long command that no narrow window can hold in one row' && sleep 0.3",
  "echo 日本語のとても長いコマンドです 🎉🎉 👩‍👩‍👧‍👦 && sleep 0.3",
  "printf '\u001b[2J\u001b]0;title\u0007' && sleep 0.3",
];

const scenario: Scenario = {
  name: "awkward",
  summary: "commands that are hard on a terminal",
  steps: COMMANDS.map((command) => ({ call: { tool: "Bash", input: { command, description: "Try" } } })),
  otherwise: { say: "# Done.\n\nAll of them were **tried**, one after the other, in one window." },
};

describe("on a terminal", () => {
  beforeEach(() => needs("script"));

  it.each([120, 60, 30])("shows one live line below the log, %d columns wide", async (columns) => {
    const { output } = await onTerminal(await testProject({ scenario }), { columns }, ["run", "Go"]);
    let live = 0;
    let last: string[] = [];
    for (const { rows, cursor } of screens(output, columns)) {
      const withBar = rows.flatMap((text, row) => (/[░█┃]/.test(text) ? [row] : []));
      if (withBar.length > 0) {
        live++;
        expect(withBar).toEqual([cursor]);
        expect(cursor).toBe(rows.length - 1);
      }
      last = rows;
    }
    expect(live).toBeGreaterThan(COMMANDS.length);
    const shown = last.join("\n");
    expect(shown).not.toMatch(/[░█┃]/);
    expect(last.join("")).toMatch(/job-\S+\s+completed/);
    // The result is there once, as a page and not as its source, and broken between words.
    expect(shown.split("Done.")).toHaveLength(2);
    expect(shown).toMatch(/^ +Done\.$/m);
    expect(shown).toMatch(/^ +All of them were tried, one\b/m);
  });

  it("shows the same line without colours for NO_COLOR", async () => {
    const project = await testProject({ scenario, env: { NO_COLOR: "1" } });
    const { output } = await onTerminal(project, { columns: 100 }, ["run", "Go"]);
    expect(output).toMatch(/coder · session 1 · █+░+┃░+ ~?\d+%(?: of 200k)? · Bash echo/);
    expect(output).toContain("were **tried**");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours must not be there
    expect(output).not.toMatch(/\u001b\[[\d;]*m/);
  });
});
