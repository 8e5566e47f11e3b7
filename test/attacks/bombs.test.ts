import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { transcriptEvents } from "../../src/agents/claude/own/transcript.ts";
import { documentInside } from "../../src/app/handoffs/inside.ts";
import { loadConfigOf } from "../../src/config/load.ts";
import { parseDocument } from "../../src/handoff/document.ts";
import { readTemplate } from "../../src/handoff/template.ts";
import { figureOf } from "../../src/sessions/watch/figure.ts";
import { type Bomb, filled, folder, KB, MB } from "./bombs/bomb.ts";
import { CONFIGURATION_BOMBS } from "./bombs/configuration.ts";
import { DOCUMENT_BOMBS } from "./bombs/documents.ts";
import { PROGRAM_BOMBS } from "./bombs/programs.ts";
import { answerLine, SESSION_BOMBS } from "./bombs/sessions.ts";

const BOMBS = [...CONFIGURATION_BOMBS, ...DOCUMENT_BOMBS, ...SESSION_BOMBS, ...PROGRAM_BOMBS];

/** Old code took minutes for many of these, or for ever: the test's own time is the measure. */
const LONGEST_MS = 60_000;

describe("a resource bomb", () => {
  const tried = new Set<Bomb>();
  const wentOff: string[] = [];

  it.each(BOMBS.map((bomb) => [`${bomb.aims}: ${bomb.name}`, bomb] as const))(
    "ends in a refusal or a bounded result: %s",
    { timeout: LONGEST_MS },
    async (name, bomb) => {
      tried.add(bomb);
      const result = await outcome(bomb);
      if (!result.isGood) wentOff.push(name);
      expect(result).toMatchObject({ isGood: true });
    },
  );

  afterAll(() => {
    expect(tried.size).toBe(BOMBS.length);
    expect(BOMBS.length).toBeGreaterThanOrEqual(80);
    expect(wentOff).toEqual([]);
  });
});

async function outcome({ go, ends }: Bomb): Promise<{ isGood: boolean; result: unknown }> {
  try {
    const result: unknown = await go();
    return { isGood: typeof ends === "function" && ends(result), result };
  } catch (error) {
    // An overflowing stack is no refusal, whatever its words.
    const isGood = ends instanceof RegExp && !(error instanceof RangeError) && ends.test(String(error));
    return { isGood, result: String(error).slice(0, 2_000) };
  }
}

describe("the largest ordinary files are read", () => {
  it("a document of 3.9 MB", async () => {
    const root = folder();
    const steps = filled(
      3.9 * MB - 200,
      `- Run \`npm test\` in \`src/app\`, then **look** at (the) log: ${"x".repeat(20)}.\n`,
    );
    writeFileSync(join(root, "handoff.md"), `## Goal\n\nWork.\n\n## Next steps\n\n${steps}`);
    const found = await documentInside({ root, handoffDir: root }, "handoff.md");
    if ("refused" in found) throw new Error(found.refused);
    const { account } = parseDocument(found.text);
    expect(account.goal).toBe("Work.");
    expect(account.nextSteps).toHaveLength(steps.split("\n").length - 1);
  });

  it("a front matter of 60 kB", async () => {
    const root = folder();
    const front = `job: job-1\nnumber: 3\nchecks:\n${filled(60 * KB, "  complete: ok # a comment\n")}`;
    writeFileSync(join(root, "handoff.md"), `---\n${front}---\n\n## Goal\n\nWork.\n`);
    const found = await documentInside({ root, handoffDir: root }, "handoff.md");
    if ("refused" in found) throw new Error(found.refused);
    expect(parseDocument(found.text).head).toMatchObject({ job: "job-1", number: 3 });
  });

  it("a configuration of 300 agents, with hooks, variables and what they share", () => {
    const root = folder();
    const configPath = join(root, "baton.yaml");
    const agents = Array.from(
      { length: 300 },
      (_, index) =>
        `  - name: agent-${index}\n    model: "\${MODEL:-claude-sonnet-4-5}"\n    env: *shared\n    hooks:\n      after_run:\n        - { type: shell, command: "echo ${index}" }\n`,
    );
    writeFileSync(configPath, `defaults:\n  env: &shared { A: b }\nagents:\n${agents.join("")}`);
    const config = loadConfigOf({ root, configPath });
    expect(config.agents).toHaveLength(300);
    // The model, which is a variable, the environment and the hooks of each, and the environment of all.
    expect(config.acting).toHaveLength(901);
    expect(config.acting.at(-1)?.line).toBe(3 + 299 * 6 + 4);
  });

  it("a transcript of 3 MB, with lines of up to 400 kB", async () => {
    const transcript = join(folder(), "t.jsonl");
    const result = (bytes: number) => {
      const content = [{ type: "tool_result", tool_use_id: "a", content: filled(bytes, "out\n") }];
      return `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`;
    };
    const lines = Array.from({ length: 800 }, (_, index) => answerLine(1_000 + index) + result(3 * KB));
    writeFileSync(transcript, [result(400 * KB), ...lines].join(""));
    let responses = 0;
    for await (const event of transcriptEvents(transcript)) if (event.type === "response") responses += 1;
    expect(responses).toBe(800);
    expect(figureOf({ transcript, reading: null }).figure?.tokens).toBe(1_799 + 1);
  });

  it("a template of 100 sections", async () => {
    const path = join(folder(), "template.md");
    writeFileSync(path, Array.from({ length: 100 }, (_, index) => `## Part ${index}\n\nText.\n`).join("\n"));
    expect((await readTemplate({ templatePath: path })).order).toHaveLength(100);
  });
});
