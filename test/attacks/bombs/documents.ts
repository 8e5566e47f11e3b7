import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../../../src/app/handoffs/document.ts";
import { documentInside } from "../../../src/app/handoffs/inside.ts";
import { markdown } from "../../../src/display/markdown.ts";
import { plain } from "../../../src/display/style.ts";
import { type Account, emptyAccount } from "../../../src/handoff/account.ts";
import { citedPaths, doneDespiteTests, unsaidSections } from "../../../src/handoff/checks.ts";
import { FactCollector } from "../../../src/handoff/collect.ts";
import { parseDocument } from "../../../src/handoff/document.ts";
import { noFacts } from "../../../src/handoff/facts.ts";
import { updateLivingDocument } from "../../../src/handoff/living/living.ts";
import { parseAccount, renderAccount, sectionNamed } from "../../../src/handoff/markdown.ts";
import { beginningOfDocument } from "../../../src/handoff/read-document.ts";
import { readTemplate } from "../../../src/handoff/template.ts";
import { isTestRun, testPassed } from "../../../src/handoff/test-runs.ts";
import { sectionsOf } from "../../../src/handoff/text/sections.ts";
import { redactor } from "../../../src/secrets/redact.ts";
import { atMost, type Bomb, filled, folder, is, KB, MB, pipe } from "./bomb.ts";

const GOAL = "## Goal\n\nWork.\n";

/** What becomes of a document in the folder of handoffs that an agent names. */
async function named(prepare: (path: string) => unknown): Promise<string> {
  const root = folder();
  prepare(join(root, "handoff.md"));
  const found = await documentInside({ root, handoffDir: root }, "handoff.md");
  return "refused" in found ? found.refused : "read";
}

const headOf = (front: string) => Object.keys(parseDocument(`---\n${front}\n---\n\n${GOAL}`).head).length;
const account = (some: Partial<Account>): Account => ({ ...emptyAccount(), ...some });
const done = (item: string) => account({ progress: { done: [item], inProgress: [], pending: [] } });

export const DOCUMENT_BOMBS: Bomb[] = [
  {
    aims: "size",
    name: "a document of more than 4 MB",
    go: () => named((path) => writeFileSync(path, GOAL + filled(4 * MB, "filler\n"))),
    ends: is("too-large"),
  },
  {
    aims: "size",
    name: "a document of more than 4 MB that the user names",
    go: async () => {
      const path = join(folder(), "handoff.md");
      writeFileSync(path, GOAL + filled(4 * MB, "filler\n"));
      return readDocument(path);
    },
    ends: /handoff\.md is larger than 4 MB, and Baton reads no more of such a file\. Shorten it/,
  },
  {
    aims: "size",
    name: "a front matter of more than 64 kB",
    go: () => named((path) => writeFileSync(path, `---\n${filled(65 * KB, "a: b\n")}---\n${GOAL}`)),
    ends: is("front-too-long"),
  },
  {
    aims: "size",
    name: "a list of documents that are 4 MB each",
    go: () => {
      const path = join(folder(), "handoff.md");
      writeFileSync(path, filled(4 * MB, "filler\n"));
      return beginningOfDocument(path).length;
    },
    ends: atMost(256 * KB),
  },
  {
    aims: "quadratic",
    name: "a front matter with 9,000 keys",
    go: () => headOf(Array.from({ length: 9_000 }, (_, index) => `k${index}:`).join("\n")),
    ends: is(0),
  },
  {
    aims: "nesting",
    name: "a front matter of 60,000 brackets",
    go: () => headOf("[".repeat(60_000)),
    ends: is(0),
  },
  {
    aims: "aliases",
    name: "a front matter whose aliases multiply",
    go: () => headOf(`a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\njob: [*c,*c,*c,*c]`),
    ends: is(0),
  },
  {
    aims: "no file",
    name: "a pipe in place of a document",
    go: () => named(pipe),
    ends: is("not-a-file"),
  },
  {
    aims: "no file",
    name: "a folder in place of a document",
    go: () => named((path) => mkdirSync(path)),
    ends: is("not-a-file"),
  },
  {
    aims: "regex",
    name: "a heading with 1 MB of space in it",
    go: () => sectionsOf(`## a${filled(MB, " ")}b`).length,
    ends: is(1),
  },
  {
    aims: "regex",
    name: "a title of 1 MB of brackets",
    go: () => sectionNamed(filled(MB, "(")),
    ends: is(undefined),
  },
  {
    aims: "regex",
    name: "a path of 1 MB of backticks",
    go: () => parseAccount(`## Files changed\n\n- ${filled(MB, "`")}x`).filesChanged.length,
    ends: is(1),
  },
  {
    aims: "stack",
    name: "250,000 entries under Progress",
    go: () => parseAccount(`## Progress\n\n${filled(MB, "- a\n")}`).progress.done.length,
    ends: is(262_144),
  },
  {
    aims: "stack",
    name: "a path with half a million backticks apart, written out",
    go: () => renderAccount(account({ filesChanged: [{ path: filled(MB, "` "), change: "" }] })).length,
    ends: atMost(MB + KB),
  },
  {
    aims: "regex",
    name: "a decision with 1 MB of space in it",
    go: () =>
      renderAccount(account({ decisions: [{ decision: `a${filled(MB, " ")}b`, reason: "" }] })).length,
    ends: atMost(MB + KB),
  },
  {
    aims: "regex",
    name: "the word test 200,000 times, in what is done",
    go: () =>
      doneDespiteTests(done(filled(MB, "test ")), {
        ...noFacts("x"),
        lastTest: { command: "t", ok: false, output: "" },
      }).length,
    ends: is(0),
  },
  {
    aims: "regex",
    name: "a section of 1 MB of dots",
    go: () => unsaidSections(account({ extra: [{ title: "a", text: `${filled(MB, ".")}x` }] }), ["a"]).length,
    ends: is(0),
  },
  {
    aims: "regex",
    name: "a quoted path with half a million line numbers",
    go: () => citedPaths(account({ currentState: `\`${filled(MB, ":1")}x\`` })).length,
    ends: is(0),
  },
  {
    aims: "regex",
    name: "a test output of 1 MB of line breaks",
    go: () => testPassed(filled(MB, "\n")),
    ends: is(true),
  },
  {
    aims: "regex",
    name: "the word mvn 250,000 times",
    go: () => isTestRun(filled(MB, "mvn ")),
    ends: is(false),
  },
  {
    aims: "counts",
    name: "20,000 sentences that forbid something",
    go: () => {
      const facts = new FactCollector("/project", noFacts("Work."));
      const text = Array.from({ length: 20_000 }, (_, index) => `- Never do ${index}.`).join("\n");
      facts.add({ type: "user", text });
      return facts.facts().constraints.length;
    },
    ends: is(2_000),
  },
  {
    aims: "regex",
    name: "a line of backticks that no other closes, shown",
    go: () => {
      const line = Array.from({ length: 1_000 }, (_, run) => `${"`".repeat(run + 1)}a`).join(" ");
      return markdown(line, plain) === line;
    },
    ends: is(true),
  },
  {
    aims: "size",
    name: "a template of more than 1 MB",
    go: () => {
      const path = join(folder(), "template.md");
      writeFileSync(path, filled(MB + 10, "## Section\n") + "\n".repeat(20));
      return readTemplate({ templatePath: path });
    },
    ends: /template .*template\.md cannot be read: .* is larger than 1 MB/,
  },
  {
    aims: "counts",
    name: "a template of 101 sections",
    go: () => {
      const path = join(folder(), "template.md");
      writeFileSync(path, "## Section\n".repeat(101));
      return readTemplate({ templatePath: path });
    },
    ends: /it has 101 sections, and 100 is the most\. Remove some/,
  },
  {
    aims: "size",
    name: "a living document of more than 1 MB",
    go: async () => {
      const root = folder();
      writeFileSync(join(root, "HANDOFF.md"), filled(MB + 10, "filler\n") + "\n".repeat(20));
      const config = {
        path: "HANDOFF.md",
        templatePath: "template.md",
        archiveDir: "archive",
        sizeThreshold: 500,
        autoCommit: false,
        commitHooks: false,
      };
      const handoff = { ...parseDocument(GOAL), head: { created: "" } } as Parameters<
        typeof updateLivingDocument
      >[2];
      return updateLivingDocument(root, config, handoff, { now: new Date(), redact: redactor({}) });
    },
    ends: (result) =>
      /HANDOFF\.md could not be brought up to date: .* is larger than 1 MB/.test(String(result)),
  },
];
