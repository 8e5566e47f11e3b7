import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton, shown, type TestProject, testProject } from "./harness.ts";

/** Counts tokens small, so that a megabyte fits in the window. */
const scenario = { name: "done", summary: "is done at once", factor: 0.1, otherwise: { say: "Done." } };

/** What the model was asked, and what the job says that it was asked. */
async function asked(project: TestProject, args: string[], input?: string) {
  const { code, stderr } = await baton(project, ["run", ...args], input);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { agent, prompt } = await shown(project);
  const request = await project.simulator.waitFor(({ request }) => request.kind === "main");
  expect(request.request.text).toContain(prompt.trim());
  return { agent, prompt };
}

it("takes a prompt alone for the first agent, as it was written", async () => {
  const prompt = '¿Qué? 日本語 👩‍👩‍👧‍👦 "quotes" and\nlines';
  expect(await asked(await testProject({ scenario }), [prompt])).toEqual({ agent: "coder", prompt });
});

it("takes a prompt that begins with a dash after --", async () => {
  const prompt = "-v prints nothing: fix it";
  expect(await asked(await testProject({ scenario }), ["coder", "--", prompt])).toEqual({
    agent: "coder",
    prompt,
  });
});

it("reads a prompt of a megabyte from a file, whole", async () => {
  const project = await testProject({ scenario });
  const prompt = `${"A long story. ".repeat(75_000)}The end.`;
  await writeFile(join(project.folder, "task.md"), prompt);
  expect((await asked(project, ["coder", "--prompt-file", "task.md"])).prompt).toBe(prompt);
});

it("reads the prompt from standard input for -", async () => {
  expect((await asked(await testProject({ scenario }), ["coder", "-"], "From a pipe.\n")).prompt).toBe(
    "From a pipe.\n",
  );
});

it("reads the prompt from standard input where none is given", async () => {
  expect((await asked(await testProject({ scenario }), [], "From a pipe.")).prompt).toBe("From a pipe.");
});
