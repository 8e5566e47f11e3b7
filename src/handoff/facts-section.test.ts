import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emptyAccount } from "./account.ts";
import { type Facts, noFacts } from "./facts.ts";
import { type FactsSection, renderFacts, type ShownFacts } from "./facts-section.ts";
import { goalFromRequest } from "./from-facts.ts";
import { sectionsOf } from "./text/sections.ts";
import { noWorkingSet } from "./working/working-set.ts";

function shown(
  facts: Partial<Facts>,
  account = emptyAccount(),
  background: ShownFacts["background"] = { tasks: [], atRest: false },
  subagentsEnd = true,
): string {
  return section(facts, account, background, subagentsEnd).text;
}

function section(
  facts: Partial<Facts>,
  account = emptyAccount(),
  background: ShownFacts["background"] = { tasks: [], atRest: false },
  subagentsEnd = true,
): FactsSection {
  const workspace = { git: null, missing: ["gone.ts"] };
  return renderFacts({
    facts: { ...noFacts("Do it"), ...facts },
    account,
    workspace,
    transcript: null,
    background,
    subagentsEnd,
    appendixPath: () => "/kept/appendix.txt",
  });
}

function linesOf(text: string | null, from: number, to: number): string {
  return (text ?? "")
    .split("\n")
    .slice(from - 1, to)
    .join("\n");
}

describe("the facts in a document", () => {
  it("quote what the user said byte for byte", () => {
    const request = "One\r\n\r\n  two\u2028three\n\n# Four  ";
    const text = shown({ request, messages: ["And\nfive"] });
    expect(text).toContain(
      "### Request, word for word\n\n> One\r\n> \r\n>   two\u2028three\n> \n> # Four  \n\n",
    );
    expect(text).toContain("> And\n> five");
  });

  it("name a changed file unless the account does, and say when it is gone", () => {
    const files = ["a.ts", "gone.ts", "b.ts"].map((path) => ({
      path,
      change: "edited" as const,
      read: false,
    }));
    const account = { ...emptyAccount(), filesChanged: [{ path: "b.ts", change: "" }] };
    expect(shown({ files }, account)).toContain("### Files changed\n\n- `gone.ts` deleted\n- `a.ts` edited");
    expect(shown({ files }, account)).not.toContain("b.ts");
  });

  it("carry a constraint that the account does not", () => {
    const constraints = ["Never push.", "No tabs."];
    const account = { ...emptyAccount(), constraints: ["Never push."] };
    expect(shown({ constraints }, account)).toContain("### Constraints of the user\n\n- No tabs.");
    expect(shown({ constraints }, account)).not.toContain("Never push.");
  });

  it("say how to start again what was left running, in full however long it is", () => {
    const server = {
      id: "1",
      kind: "local_bash",
      description: "Dev server",
      command: "npm run dev",
      cwd: "/home/you/web",
    };
    const long = { ...server, command: `npx serve ${"--header x ".repeat(40)}\n--port 1` };
    const running = (...tasks: (typeof server)[]) => shown({}, emptyAccount(), { tasks, atRest: true });
    expect(running(server)).toContain("- local_bash: Dev server: `npm run dev` in `/home/you/web`");
    expect(running(long)).toContain(long.command.replace("\n", "\n  "));
    expect(running()).not.toContain("keep running");
  });

  it("stay one section, whatever a program has printed", () => {
    const lastError = "```\n## Goal\n````\nboom";
    const text = `## Facts\n\n${shown({ lastError })}\n\n## After`;
    expect(sectionsOf(text).map(({ title }) => title)).toEqual(["Facts", "After"]);
    expect(text).toContain(lastError);
  });

  it("name the newest commands, older ones that were run again, and long ones only while they are new", () => {
    const run = (command: string, runs = 1) => ({ command, ok: true, runs });
    const long = `echo ${"x".repeat(300)}`;
    const commands = [
      run("make lint", 3),
      run("ls old"),
      ...Array.from({ length: 18 }, (_, index) => run(`ls ${index}`)),
      run(long),
    ];
    const [, section = ""] = /### Commands\n\n([^#]*)/.exec(shown({ commands })) ?? [];
    const lines = section.trim().split("\n");
    expect(lines[0]).toMatch(/^- `echo x+…` \(ok\)$/);
    expect(lines[1]).toBe("- `ls 17` (ok)");
    expect(lines.at(-1)).toBe("- `make lint` (ok, run 3 times)");
    expect(section).not.toContain("old");
    expect(shown({ commands: [run(long), ...commands.slice(0, -1)] })).not.toContain("echo");
  });

  it("keep a long command whole that was run again, to be copied", () => {
    const long = `docker run --rm ${"-e NAME=value ".repeat(30)}node:24\\\n  npm test`;
    const others = Array.from({ length: 9 }, (_, index) => ({ command: `ls ${index}`, ok: true, runs: 1 }));
    const text = shown({ commands: [{ command: long, ok: false, runs: 4 }, ...others] });
    expect(text).toContain(`- failed, run 4 times:`);
    expect(text.replace(/^ {2}/gm, "")).toContain(`\`\`\`\n${long}\n\`\`\``);
  });

  it("show what was in hand, without the names that stand elsewhere, and name no file twice that was only read", () => {
    const at = { at: 1, window: 0 };
    const named = (name: string) => ({ name, weight: 1, code: true, file: "src/a.ts", ...at });
    const working = {
      ...noWorkingSet(),
      calls: 1,
      files: [{ path: "src/a.ts", ...at }],
      names: [named("loadState"), named("saveState")],
    };
    const files = ["src/a.ts", "src/b.ts"].map((path) => ({ path, change: null, read: true }));
    const text = shown({ working, files, messages: ["What is saveState for?"] });
    expect(text).toContain("### Files read\n\n- src/b.ts\n\n### Working set\n\n");
    expect(text).toContain("\n- `src/a.ts`: with `loadState`");
  });

  it("tell of subagents when they started, and which of them the end of the session ended", () => {
    const startedAt = "2026-01-21T14:15:20.000Z";
    const subagents: Facts["subagents"] = [
      { id: "a1", task: "Explore", state: "running", startedAt },
      { id: "a2", task: "Count", state: "failed" },
    ];
    expect(shown({ subagents })).toContain(
      "### Subagents\n\n- a1: Explore (started 2026-01-21 14:15 UTC) (ran until the session ended)\n- a2: Count (failed)",
    );
    expect(shown({ subagents }, emptyAccount(), undefined, false)).toContain("14:15 UTC) (running)");
  });

  it("tell a long message by its head, its tail and where all of it is", () => {
    const long = `First words.\n\n# A heading\n\n${"A line of a log in src/logged.ts\n".repeat(300)}Last words.`;
    const { text, appendix } = section({ messages: ["Before", long, "After"] });
    expect(text).toContain("> Before\n\n> First words.\n> \n> # A heading\n");
    expect(text).toMatch(/> \[… [\d,]+ characters left out …\]\n> \n[\s\S]*> Last words\.\n\nAll of it/);
    const [, from, to] =
      /All of it, [\d,]+ characters: `\/kept\/appendix\.txt`, lines (\d+)–(\d+)/.exec(text) ?? [];
    expect(linesOf(appendix, Number(from), Number(to))).toBe(long);
    expect(text).toContain("It names `src/logged.ts`.");
    expect(text.length).toBeLessThan(3_000);
    expect(text.match(/^#{1,2} /gm)).toBeNull();
  });

  it("do not repeat the request where it is the goal, and say where all of a long one is", () => {
    const request = "# Plan\n\nWrite it.";
    const account = { ...emptyAccount(), goal: goalFromRequest(request) };
    const text = shown({ request }, account);
    expect(text).toContain("The goal above is the request of the user, word for word.");
    expect(text).not.toContain("Write it.");
    const long = `${request}\n${"word ".repeat(1_000)}`;
    const told = section({ request: long }, { ...emptyAccount(), goal: goalFromRequest(long) });
    expect(told.text).toContain("All of it, 5,018 characters: `/kept/appendix.txt`, lines 5–8");
    expect(linesOf(told.appendix, 5, 8)).toBe(long);
  });

  it("name what was refused, newest first, and by whom", () => {
    const text = shown({
      refused: [
        { call: "git push", by: "rules" },
        { call: "rm -rf build", by: "user" },
      ],
    });
    expect(text).toContain(
      "### Refused, and not done\n\n- `rm -rf build` (by the user)\n- `git push` (not allowed here)",
    );
  });

  it("show an error once, without the middle of lines that nobody reads", () => {
    const output = `${"x".repeat(900)}\nAssertionError: boom`.padStart(2_000, "a line\n");
    const test = { command: "npm test", ok: false, output };
    const text = shown({ lastTest: test, lastError: `Exit code 1\n${output}` });
    expect(text).toContain("`npm test` (failed). It printed the last error, below.");
    expect(text.match(/AssertionError: boom/g)).toHaveLength(1);
    expect(text).not.toContain("x".repeat(700));
  });

  it("stay within their room whatever was said and done, and lose no word of the user", () => {
    const message = fc.string({ unit: "grapheme", maxLength: 3_000 }).map((text) => text.trim());
    const long = fc.nat({ max: 30_000 }).map((length) => "some words of a log\n".repeat(length / 20));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(message, long), { maxLength: 60 }),
        fc.nat({ max: 300 }),
        fc.nat({ max: 9_000 }),
        (messages, files, error) => {
          const { text, appendix } = section({
            messages,
            files: Array.from({ length: files }, (_, n) => ({
              path: `src/some/deep/folder/file-${n}.ts`,
              change: n % 2 === 0 ? "edited" : null,
              read: true,
            })),
            lastError: "e".repeat(error),
            commands: Array.from({ length: 60 }, (_, n) => ({
              command: `ls ${"d/".repeat(n)}`,
              ok: true,
              runs: 2,
            })),
          });
          expect(text.length).toBeLessThan(18_500);
          const whole = `${text.replace(/^> ?/gm, "")}\n${appendix}`;
          for (const said of messages) expect(whole.includes(said)).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("say how many of a long list they leave out", () => {
    const files = Array.from({ length: 65 }, (_, index) => ({
      path: `f${index}.ts`,
      change: null,
      read: true,
    }));
    const { text, appendix } = section({ files });
    expect(text).toContain("- f64.ts\n- f63.ts");
    expect(text).toContain("- f5.ts\n- … 5 more. All of them: `/kept/appendix.txt`, lines 5–69");
    expect(linesOf(appendix, 5, 69)).toMatch(/^- f64\.ts\n[\s\S]*- f0\.ts$/);
  });
});
