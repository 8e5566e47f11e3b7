import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sectionsOf } from "../src/handoff/text/sections.ts";
import { careful, RUN } from "./careful.ts";
import { baton, ofType, shown, smallWindows, stepsDone, testProject, upTo } from "./harness.ts";

const agent = (handoff: string) => `session: { ${smallWindows} }\nhandoff: { ${handoff} }`;

it("handoff.enabled: false leaves a full window to the agent itself", async () => {
  const project = await testProject({ scenario: careful(5), agent: agent("enabled: false") });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);
  expect(Math.max(...ofType(events, "response").map(({ context }) => context.tokens))).toBeGreaterThan(
    60_000,
  );
  expect(await shown(project)).toMatchObject({ handoffs: [], sessions: [{ endReason: "completed" }] });
  expect(await stepsDone(project)).toEqual(upTo(5));
});

it("handoff.auto_continue_cli: false pauses once the handoff is stored in handoff.dir, and a resume goes on", async () => {
  const project = await testProject({
    scenario: careful(5),
    agent: agent("auto_continue_cli: false, dir: .bmad/handoffs"),
  });
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(3);
  expect(events.at(-1)).toMatchObject({ type: "job:paused", code: "handed_off" });
  const paused = await shown(project);
  expect(paused.sessions).toHaveLength(1);
  const names = await readdir(join(project.folder, ".bmad", "handoffs"));
  expect(names).toEqual([expect.stringMatching(/^handoff-\d{4}-\d{2}-\d{2}-\d{6}\.md$/)]);
  expect(paused.handoffs).toMatchObject([
    { documentPath: join(project.folder, ".bmad", "handoffs", names[0] ?? "") },
  ]);

  expect((await baton(project, ["resume", paused.id, "--json"])).code).toBe(0);
  expect((await shown(project)).sessions).toMatchObject([
    { endReason: "handoff" },
    { endReason: "completed" },
  ]);
  expect(await stepsDone(project)).toEqual(upTo(5));
});

it("handoff.template_path gives the sections and their order, and handoff.budget how long a document may be", async () => {
  const work = careful(5);
  const wordy = "It is a long story.\n".repeat(500);
  const project = await testProject({
    scenario: {
      ...work,
      rules: [
        ...(work.rules ?? []),
        {
          when: ({ last }) => last.includes("<handoff-request>"),
          async reply(request) {
            const reply = typeof work.otherwise === "function" ? await work.otherwise(request) : {};
            const [call] = [reply.call ?? []].flat();
            if (!call) return reply;
            const extra = [{ title: "Lessons", text: "One step at a time." }];
            return { call: { ...call, input: { ...call.input, current_state: wordy, extra } } };
          },
        },
      ],
    },
    agent: agent("template_path: docs/template.md, budget: 1"),
  });
  await mkdir(join(project.folder, "docs"));
  await writeFile(join(project.folder, "docs/template.md"), "## Next steps\n\n## Lessons\n\n## Goal\n");
  const { code, events } = await baton(project, RUN);
  expect(code).toBe(0);

  const asked = project.simulator.requests.find(({ request }) => request.last.includes("<handoff-request>"));
  expect(asked?.request.last).toContain("## Lessons");
  const [stored] = ofType(events, "handoff:stored");
  expect(stored?.outcome).toBe("mended");
  expect(stored?.checks).toContainEqual(expect.objectContaining({ name: "budget", ok: false }));
  const document = await readFile(stored?.documentPath ?? "", "utf8");
  expect(
    sectionsOf(document)
      .slice(0, 3)
      .map(({ title }) => title),
  ).toEqual(["Next steps", "Lessons", "Goal"]);
  expect(document.length).toBeLessThan(wordy.length);
});

it("a handoff.template_path that is not there is refused before anything starts, with its line", async () => {
  const project = await testProject({
    scenario: careful(1),
    agent: "handoff: { template_path: docs/no.md }",
  });
  const { code, stderr } = await baton(project, ["run", "coder", "Write the files."]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/baton\.yaml:\d+:\d+ {2}template_path cannot be found: .*docs\/no\.md/);
  expect(existsSync(join(project.folder, ".baton"))).toBe(false);
});
