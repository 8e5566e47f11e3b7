import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import { allMessages } from "../src/store/messages.ts";
import { openStoreToRead } from "../src/store/store.ts";
import { bash } from "./careful.ts";
import { baton, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";

const waits = {
  name: "waits",
  summary: "Waits for a file, and says what it was told last",
  otherwise({ last, results }: { last: string; results: { text: string }[] }) {
    if (results.some(({ text }) => text.includes("went"))) return { say: `Heard: ${last}` };
    return { call: bash("until [ -e go ]; do sleep 0.02; done; echo went", "Wait") };
  },
};

async function waiting({ folder }: TestProject): Promise<string[]> {
  await using store = await openStoreToRead(join(folder, ".baton", "baton.db"));
  return (await allMessages(store)).map(({ text }) => text);
}

beforeEach(() => needs("script"));

it("sends what is typed while a job runs, brings it back with Up, and says what was not sent", async () => {
  const project = await testProject({ scenario: waits, env: { NO_COLOR: "1" } });
  const ended = onTerminal(
    project,
    {
      columns: 90,
      typed: [
        ["Bash until", "Paint it red"],
        ["› Paint it red▏", "\r"],
        ["⏎ 1, at its next boundary: Paint it red", "\u001b[A"],
        ["› Paint it red▏", "\u0017blue\r"],
        ["⏎ 2, at its next boundary: Paint it blue", "half a thought"],
      ],
    },
    ["run", "Go"],
  );
  await vi.waitFor(() => expect(waiting(project)).resolves.toEqual(["Paint it blue"]), 30_000);
  await writeFile(join(project.folder, "go"), "");
  const { code, output } = await ended;
  expect(code).toBe(0);
  expect(output).toContain("› Paint it blue");
  expect(output).toMatch(/Heard: [\s\S]*Paint it blue/);
  expect(output).toContain("Not sent: half a thought");
  const { stdout } = await baton(project, ["audit", "--json"]);
  const trail = stdout.trim().split("\n").reverse();
  expect(trail.map((line) => JSON.parse(line)).map(({ what, origin }) => [what, origin])).toEqual([
    ["run", "terminal"],
    ...Array(3).fill(["send", "terminal"]),
  ]);
  expect(stdout).not.toContain("Paint");
});

it("leaves what to type on the screen when Ctrl-C is pressed twice", async () => {
  const project = await testProject({ scenario: waits, env: { NO_COLOR: "1" } });
  const typed: [string, string][] = [
    ["Bash until", "\u0003"],
    ["Ending the agent", "\u0003"],
  ];
  const { output } = await onTerminal(project, { columns: 90, typed }, ["run", "Go"]);
  expect(output).toMatch(/Left without waiting\. Continue with: baton resume job-\S+/);
});
