import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { careful, RUN } from "./careful.ts";
import {
  baton,
  ofType,
  shown,
  smallWindows,
  stepsDone,
  type TestProject,
  testProject,
  upTo,
} from "./harness.ts";
import { needs } from "./needs.ts";
import { onTerminal } from "./terminal.ts";
import { untagged } from "./untagged.ts";

const BY_HAND = `# Handoff

## Current task

Write one file for each of two steps.

## Progress

**Done**
- done:1

## Next actions

1. Write the file of step 2.
`;

const CONTINUE = "Continue the work that the handoff document describes.";

async function withDocument(text = BY_HAND): Promise<TestProject & { document: string }> {
  const project = await testProject({ scenario: careful(2) });
  const document = join(project.folder, "notes.md");
  await writeFile(document, text);
  await writeFile(join(project.folder, "step-1.txt"), "step 1\n");
  return { ...project, document };
}

describe("baton continue", () => {
  it("goes on from a stored document, with the original request", async () => {
    const project = await testProject({
      scenario: careful(6),
      agent: `session: { ${smallWindows} }\nhandoff: { auto_continue_cli: false }`,
    });
    expect((await baton(project, [...RUN, "--epic", "login"])).code).toBe(3);
    const [first] = (await shown(project)).handoffs;
    const text = await readFile(first.documentPath, "utf8");
    expect(text).toContain(`\nproject: ${basename(project.folder)}\nepic: login\n`);
    expect(text).toContain(
      `## Instructions for the new session\n\n1. Read this document to its end.\n2. Work in \`${project.folder}\`.\n3. Continue with the next steps`,
    );
    // By its name alone, which is looked for in the folder of handoffs.
    const name = basename(first.documentPath);
    expect((await baton(project, ["handoff", "show", basename(name, ".md")])).stdout).toContain("## Goal");
    const { code, events } = await baton(project, ["continue", name, "--json"]);
    expect(code).toBe(0);
    expect(await stepsDone(project)).toEqual(upTo(6));

    expect(events[0]).toMatchObject({
      type: "job:created",
      prompt: "Write the files.",
      epic: "login",
      continues: {
        document: first.documentPath,
        facts: { commands: expect.arrayContaining([expect.objectContaining({ ok: true })]) },
      },
    });
    const [told] = ofType(events, "message:sent");
    expect(told).toMatchObject({ kind: "continuation" });
    expect(told?.text).toContain("This is handoff 1 of this job");
    expect(untagged(told?.text)).toContain(`<original-request>\nWrite the files.\n</original-request>`);
    expect(told?.text).toContain((await readFile(first.documentPath, "utf8")).trim());
    expect(told?.text).toContain(`session id is ${first.fromSession}`);
    const { id } = await shown(project);
    expect((await baton(project, ["show", id])).stdout).toContain(`continues ${first.documentPath}`);
  });

  it("takes a document that a person wrote, and says that it has no record of it", async () => {
    const { document, ...project } = await withDocument();
    const { code, events } = await baton(project, ["continue", document, "coder", "--json"]);
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({ prompt: CONTINUE, continues: { document } });
    expect(ofType(events, "warning")[0]?.message).toContain(`Baton has no record of ${document}`);
    const [told] = ofType(events, "message:sent");
    expect(told?.text).toContain("Baton has no record of this document");
    expect(told?.text).toContain("Write one file for each of two steps.");
    expect(await stepsDone(project)).toEqual(upTo(2));
  });

  it("takes no request, session and transcript from a document whose job is not known here", async () => {
    const request = "Write the files.\n\n> Never twice.";
    const quoted = request.replace(/^/gm, "> ");
    const facts = `\n## Facts\n\n### Request, word for word\n\n${quoted}\n\n### Git\n\nBranch \`main\`.\n`;
    const { document, ...project } = await withDocument(
      `---\njob: job-2026-01-01-zzzzzz\nsession: s1\ntranscript: /etc/passwd\n---\n${BY_HAND}${facts}`,
    );
    const { code, events } = await baton(project, ["continue", document, "--json"]);
    expect(code).toBe(0);
    expect(events[0]).toMatchObject({ prompt: CONTINUE });
    const [told] = ofType(events, "message:sent");
    expect(told?.text).not.toContain("transcript is");
    expect(told?.text).not.toContain("session id is");
  });

  it("refuses a document that is not there", async () => {
    const { document, ...project } = await withDocument();
    await rm(document);
    const refused = await baton(project, ["continue", document]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("There is no handoff document"),
    });
    expect(existsSync(join(project.folder, ".baton"))).toBe(false);
  });

  it("refuses a file that has none of the sections, and says what is expected", async () => {
    const { document, ...project } = await withDocument("# Shopping\n\n## Vegetables\n\n- leeks\n");
    const { code, stderr } = await baton(project, ["continue", document]);
    expect(code).toBe(2);
    expect(stderr).toContain("## Next steps");
    expect(existsSync(join(project.folder, ".baton"))).toBe(false);
  });

  describe("on a terminal", () => {
    beforeEach(() => needs("script"));

    const QUESTION = "Continue? [Y/n]";

    it("asks first, and creates nothing after a no", async () => {
      const { document, ...project } = await withDocument();
      const typed: [string, string][] = [[QUESTION, "n\r"]];
      const { code, output } = await onTerminal(project, { columns: 100, typed }, ["continue", document]);
      expect(code).toBe(130);
      expect(output).toContain("Handoff loaded. Current task: Write one file for each of two steps.");
      expect(existsSync(join(project.folder, ".baton"))).toBe(false);
    });

    it.each([
      ["Enter", [[QUESTION, "\r"]], []],
      ["--yes", [], ["--yes"]],
    ] satisfies [string, [string, string][], string[]][])(
      "goes on after %s",
      async (_how, typed, options) => {
        const { document, ...project } = await withDocument();
        const args = ["continue", document, ...options];
        const { code, output } = await onTerminal(project, { columns: 100, typed }, args);
        expect(code).toBe(0);
        expect(output.includes(QUESTION)).toBe(typed.length > 0);
        expect(await stepsDone(project)).toEqual(upTo(2));
      },
    );
  });
});
