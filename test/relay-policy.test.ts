import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, ofType, shown, smallWindows, testProject } from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];

it("tells of a tool call that was denied, counts it, and goes on", async () => {
  const project = await testProject({
    scenario: {
      name: "denied",
      summary: "",
      steps: [{ call: { tool: "Bash", input: { command: "touch made", description: "Make a file" } } }],
      otherwise: { say: "I may not do that." },
    },
    agent: "permission_mode: default",
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(ofType(events, "tool:denied")).toMatchObject([{ name: "Bash" }]);
  expect(await readdir(project.folder)).not.toContain("made");
  const { id } = await shown(project);
  const { stdout } = await baton(project, ["show", id]);
  expect(stdout).toMatch(/denied\s+1 tool call/);
});

it("keeps a secret that the agent prints out of the journal, the document and what is shown", async () => {
  const secret = "tok-1234567890abcdef";
  const beginning = secret.slice(0, 8);
  const work = steady({ steps: 6, factor: 5, outputCharacters: 8_000 });
  const tellsAll: Rule = {
    when: ({ kind }) => kind === "main",
    async reply(request) {
      if (request.turns === 0) {
        // Long enough for the secret to stand where Baton cuts a command short.
        const command = `: ${"x".repeat(100)}; echo ${secret}; echo "$MY_API_TOKEN"`;
        return { call: { tool: "Bash", input: { command, description: "Print the token" } } };
      }
      const reply = typeof work.otherwise === "function" ? await work.otherwise(request) : {};
      return { ...reply, say: `${reply.say}\nThe token is ${secret}.` };
    },
  };
  const project = await testProject({
    scenario: { ...work, rules: [tellsAll] },
    agent: `env: { MY_API_TOKEN: "${secret}" }\nsession: { ${smallWindows} }`,
  });
  const { code, events, stdout, stderr } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(ofType(events, "handoff:stored")).toMatchObject([{ source: "agent" }]);
  const printed = project.simulator.requests.flatMap(({ request }) => request.results);
  expect(printed.some(({ text }) => text.includes(`${secret}\n${secret}`))).toBe(true);

  const { id } = await shown(project);
  const seen = [await baton(project, ["logs", id]), await baton(project, ["show", id])];
  const told = [stdout, stderr, ...seen.map((output) => output.stdout)];
  const kept = await filesIn(join(project.folder, ".baton"));
  for (const text of [...told, ...kept.values()]) expect(text).not.toContain(beginning);
  const redacted = [...kept].filter(([, text]) => text.includes("[redacted: MY_API_TOKEN]"));
  const names = redacted.map(([name]) => name);
  expect(names).toContainEqual(expect.stringMatching(/^baton\.db/));
  expect(names).toContainEqual(expect.stringMatching(/^handoff-.*\.md$/));
});

async function filesIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(
        async ({ parentPath, name }) => [name, await readFile(join(parentPath, name), "latin1")] as const,
      ),
    ),
  );
}
