import { describe, expect, it } from "vitest";
import { program } from "../program.ts";
import { type Wanted, wanted } from "./wanted.ts";

const at = (...words: string[]) => wanted(program(), words);

function wordsOf({ values }: Wanted): string[] {
  return values.flatMap((value) => (value.kind === "words" ? value.words.map(({ word }) => word) : []));
}

const kindsOf = ({ values }: Wanted) => values.map(({ kind }) => kind);

describe("what can stand at the cursor", () => {
  it("is a command, and none that only programs call", () => {
    const words = wordsOf(at(""));
    expect(words).toEqual(expect.arrayContaining(["run", "handoff", "config", "completion"]));
    expect(words).not.toEqual(expect.arrayContaining(["internal"]));
    expect(words).not.toContain("hook");
  });

  it("is a command within a command, or what that command takes", () => {
    expect(wordsOf(at("config", ""))).toEqual(["check", "show", "schema"]);
    expect(wordsOf(at("handoff", ""))).toEqual(["show", "dismiss", "archive"]);
    expect(kindsOf(at("handoff", ""))).toEqual(["words", "jobs"]);
    expect(kindsOf(at("handoff", "3k7", ""))).toEqual([]);
  });

  it.each([
    [["show", ""], "jobs"],
    [["chat", "--resume", ""], "jobs"],
    [["handoff", "show", "1", "--job", ""], "jobs"],
    [["run", ""], "agents"],
    [["--json", "run", ""], "agents"],
    [["config", "show", ""], "agents"],
    [["handoff", "archive", "--agent", ""], "agents"],
    [["run", "--prompt-file", ""], "files"],
    [["restore", "3k7", "--to", ""], "folders"],
    [["continue", ""], "files"],
  ])("after %j is one of its %s", (words, kind) => {
    expect(kindsOf(at(...words))).toEqual([kind]);
  });

  it("is a job that the command can do something with", () => {
    expect(at("resume", "").values).toEqual([
      { kind: "jobs", statuses: ["queued", "paused", "failed", "cancelled", "interrupted"] },
    ]);
    expect(at("show", "").values).toEqual([{ kind: "jobs" }]);
  });

  it("is an option that is not there yet, the command's own first", () => {
    const words = wordsOf(at("jobs", "--json", "-"));
    expect(words[0]).toBe("--limit");
    expect(words).toContain("--config");
    expect(words).not.toContain("--json");
  });

  it("is the value of an option, however the shell splits it", () => {
    expect(at("run", "--prompt-file=no")).toMatchObject({ typed: "no", lead: "--prompt-file=" });
    expect(kindsOf(at("run", "--prompt-file=no"))).toEqual(["files"]);
    expect(at("run", "--prompt-file", "=", "no")).toMatchObject({ typed: "no", lead: "" });
    expect(kindsOf(at("run", "--prompt-file", "=", "no"))).toEqual(["files"]);
  });

  it("is the value of an option that can do without one, or what comes after it", () => {
    expect(kindsOf(at("chat", "--resume", "3"))).toEqual(["jobs"]);
    expect(wordsOf(at("chat", "--resume", "--"))).toContain("--json");
    expect(kindsOf(at("chat", "--resume", "--json", ""))).toEqual(["agents"]);
  });

  it("is one of the choices where there are some", () => {
    expect(wordsOf(at("completion", ""))).toEqual(["bash", "zsh", "fish"]);
  });

  it("is nothing of Baton's after --", () => {
    expect(at("run", "--", "")).toMatchObject({ values: [] });
    expect(at("simulate", "steady", "--", "npm", "te")).toMatchObject({ values: [] });
  });

  it("belongs to the project that the line names", () => {
    expect(at("--config", "other/baton.yaml", "show", "")).toMatchObject({ config: "other/baton.yaml" });
    expect(at("show", "--config=b.yaml", "")).toMatchObject({ config: "b.yaml" });
    expect(at("-C", "other", "show", "")).toMatchObject({ folder: "other" });
  });

  it("is a command whose help is wanted", () => {
    expect(wordsOf(at("help", ""))).toContain("run");
  });
});
