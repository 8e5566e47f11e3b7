import { describe, expect, it } from "vitest";
import type { ToolAction } from "../agents/events.ts";
import { resultDigest, startEntry } from "./call-entries.ts";

const entry = (does: ToolAction, about = "") => {
  const made = startEntry("s", { type: "tool:start", id: "1", name: "Tool", does, about, input: {} });
  if (made.type !== "tool:start") throw new Error(made.type);
  return made;
};

describe("a call on record", () => {
  it("is known again by the whole of its command, and holds no more of it than a line", () => {
    const long = `echo ${"x".repeat(500)}`;
    const [one, other, same] = [`${long} one`, `${long} other`, `${long} one\n`].map((command) =>
      entry({ kind: "command", command }, command),
    );
    expect(one?.summary).toBe(other?.summary);
    expect(one?.digest).not.toBe(other?.digest);
    expect(one?.digest).toBe(same?.digest);
    expect(one?.digest).toMatch(/^[\w-]{8}$/);
  });

  it("is known again by its file, however the path is put, and keeps a path that is too long for a line", () => {
    const read = (path: string) => entry({ kind: "read", path }, path);
    expect(read("/a/./b.ts").digest).toBe(read("/a/b.ts").digest);
    expect(read("/a/b.ts").digest).toBe(entry({ kind: "write", path: "/a/b.ts" }).digest);
    expect(read("/a/b.ts").path).toBeUndefined();
    const long = `/${"deep/".repeat(40)}b.ts`;
    expect(read(long)).toMatchObject({ path: long, summary: expect.stringMatching(/…$/) });
    expect(read("x".repeat(5_000)).path).toBeUndefined();
  });

  it("tells what an edit took out and put in without a word of it, file by file", () => {
    const edit = (path: string, removed: string, added: string) =>
      entry({ kind: "write", path, changes: [{ removed, added }] }, path);
    const there = edit("/a.ts", "one secret", "two");
    const back = edit("/a.ts", "two", "one secret");
    expect(there.added).toEqual(back.removed);
    expect(there.removed).toEqual(back.added);
    expect(there.added).not.toEqual(edit("/b.ts", "one secret", "two").added);
    expect(JSON.stringify(there)).not.toContain("secret");
    // What takes nothing out of a file, or puts nothing in, is like any other of the kind.
    expect(edit("/a.ts", "", "two").removed).toEqual([]);
  });

  it("of another kind is not compared", () => {
    expect(entry({ kind: "other" }, "search")).toEqual({
      type: "tool:start",
      session: "s",
      id: "1",
      name: "Tool",
      does: "other",
      summary: "search",
    });
  });
});

describe("what a command came to", () => {
  it.each([
    ["Tests 3 passed (3)\n Duration  1.20s", "Tests 3 passed (3)\n Duration  980ms", true],
    ["ok pkg/a 0.004s", "ok pkg/a 1.2s", true],
    ["Start at 10:02:11", "Start at 23:59:59", true],
    ["built 2026-01-21T10:00:00.123Z", "built 2026-01-22T08:00:00Z", true],
    ["<A at 0x7f3a2b1c>", "<A at 0x7f3a2b9d>", true],
    ["Tests 3 passed (3)", "Tests 4 passed (4)", false],
    ["a.ts:3: error", "a.ts:7: error", false],
    ["a.ts:10:25 error", "a.ts:10:31 error", false],
  ])("is the same but for times: %j and %j", (one, other, isSame) => {
    expect(resultDigest(true, one) === resultDigest(true, other)).toBe(isSame);
    expect(resultDigest(true, one)).not.toBe(resultDigest(false, one));
  });
});
