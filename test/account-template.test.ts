import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { TestProject } from "./harness.ts";
import { ofType } from "./harness.ts";
import {
  continuation,
  failedChecks,
  handedOver,
  handoffRequests,
  handsIn,
  oneHandoff,
  writesNotes,
} from "./one-handoff.ts";

const TEMPLATE =
  "# Our handoff\n\n## Next actions\n\n## Deployment\n\n<!-- which stage -->\n\n## Current task\n";
const agent = "handoff: { template_path: template.md }";
const prepare = ({ folder }: TestProject) => writeFile(join(folder, "template.md"), TEMPLATE);

it("a document has the sections of the user's template, in its order and under its names", async () => {
  const account = handsIn({ extra: [{ title: "Deployment", text: "Staging runs version 3." }] });
  const { project, stored, text, document } = await handedOver(oneHandoff([writesNotes], account), {
    agent,
    prepare,
  });
  expect(handoffRequests(project)[0]).toContain("## Deployment");
  expect(stored.outcome).toBe("written");
  expect(failedChecks(stored)).toEqual([]);
  expect(text.match(/^## .*/gm)?.slice(0, 4)).toEqual([
    "## Next actions",
    "## Deployment",
    "## Current task",
    "## Constraints and preferences",
  ]);
  expect(document.account).toMatchObject({ goal: "Write notes.txt.", nextSteps: ["Write the second line."] });
  expect(continuation(project)).toContain("## Deployment\n\nStaging runs version 3.");
});

it("a section of the user's template that is missing is asked for again, by its name", async () => {
  const { asked, stored, text } = await handedOver(oneHandoff([writesNotes], handsIn({}), handsIn({})), {
    agent,
    prepare,
  });
  expect(asked).toEqual([[], [expect.stringContaining('the section "Deployment" is missing')]]);
  expect(stored.outcome).toBe("mended");
  expect(text).toContain("## Deployment\n\nNot known (from facts)");
});

it("a template that went missing during the work does not stop it", async () => {
  const removes = { tool: "Bash", input: { command: "rm template.md", description: "Remove it" } };
  const { events, stored } = await handedOver(oneHandoff([writesNotes, removes], handsIn({})), {
    agent,
    prepare,
  });
  expect(stored.outcome).toBe("written");
  expect(ofType(events, "warning").map(({ message }) => message)).toEqual([
    expect.stringContaining("template.md"),
  ]);
});
