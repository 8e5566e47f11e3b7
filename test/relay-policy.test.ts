import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { baton, ofType, shown, smallWindows, testProject } from "./harness.ts";

const RUN = ["run", "coder", "Write the files.", "--json"];

const touch = { tool: "Bash", input: { command: "touch made", description: "Make a file" } };

it("tells of a tool call that was denied, goes on, and says at the end what would allow it", async () => {
  const project = await testProject({
    scenario: {
      name: "denied",
      summary: "",
      steps: [{ call: touch }, { call: touch }],
      otherwise: { say: "I may not do that." },
    },
    agent: "permission_mode: default\nallowed_tools: [WebFetch]",
  });
  const { code, stdout } = await baton(project, ["run", "coder", "Write the files."]);
  expect(code).toBe(4);
  expect(stdout).toContain("⚠ denied: Bash touch made. Allowed with allowed_tools: [Bash]");
  expect(stdout).not.toContain("failed: ");
  expect(stdout).toContain("⚠ completed, but 2 tool calls were denied");
  expect(stdout).toMatch(
    /write this for the agent "coder" in .*baton\.yaml:\n +allowed_tools: \[WebFetch, Bash\]\n/,
  );
  expect(await readdir(project.folder)).not.toContain("made");
  const { id, status, denied } = await shown(project);
  expect(status).toBe("completed");
  expect(denied).toEqual([
    { tool: "Bash", call: "touch made", times: 2, allow: { allowed_tools: ["Bash"] } },
  ]);
  expect((await baton(project, ["show", id])).stdout).toMatch(/denied +Bash touch made \(2 times\)/);
  expect((await baton(project, ["jobs"])).stdout).toContain("completed, 2 denied");
});

it("holds no denied call against a job that was then allowed it", async () => {
  const project = await testProject({
    scenario: {
      name: "allowed later",
      summary: "",
      steps: [{ call: touch }, { call: touch }],
      otherwise: { say: "Done." },
    },
    agent: "permission_mode: default\nlimits: { turns: 1 }",
  });
  const first = await baton(project, RUN);
  expect(first.code).toBe(3);
  expect(ofType(first.events, "tool:denied")).toMatchObject([{ summary: "touch made" }]);
  const { id, denied } = await shown(project);
  expect(denied).toHaveLength(1);
  const path = join(project.folder, "baton.yaml");
  const text = await readFile(path, "utf8");
  await writeFile(
    path,
    text.replace("permission_mode: default", "allowed_tools: [Bash]").replace("1 }", "9 }"),
  );
  await baton(project, ["trust", "--yes"]);
  const { code, events } = await baton(project, ["resume", id, "--json"]);
  expect(code).toBe(0);
  expect(events.at(-1)).toMatchObject({ type: "job:completed" });
  expect(events.at(-1)).not.toHaveProperty("denied");
  expect(await readdir(project.folder)).toContain("made");
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
