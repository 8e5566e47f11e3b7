import { describe, expect, it } from "vitest";
import { emptyAccount } from "./account.ts";
import { type Facts, noFacts } from "./facts.ts";
import { renderFacts, type ShownFacts } from "./facts-section.ts";
import { sectionsOf } from "./text/sections.ts";
import { noWorkingSet } from "./working/working-set.ts";

function shown(
  facts: Partial<Facts>,
  account = emptyAccount(),
  background: ShownFacts["background"] = { tasks: [], atRest: false },
  subagentsEnd = true,
): string {
  const workspace = { git: null, missing: ["gone.ts"] };
  return renderFacts({
    facts: { ...noFacts("Do it"), ...facts },
    account,
    workspace,
    transcript: null,
    background,
    subagentsEnd,
  });
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
    expect(shown({ files }, account)).toContain("### Files changed\n\n- `a.ts` edited\n- `gone.ts` deleted");
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

  it("say how many of a long list they leave out", () => {
    const files = Array.from({ length: 65 }, (_, index) => ({
      path: `f${index}.ts`,
      change: null,
      read: true,
    }));
    expect(shown({ files })).toContain("- f59.ts\n- … 5 more");
  });
});
