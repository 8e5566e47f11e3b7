import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedIn, definitionsIn } from "./definitions.ts";

describe("what a text defines", () => {
  it.each([
    ["TypeScript", "export async function loadConfig(path: string) {", "loadConfig"],
    ["TypeScript", "export const LIMITS = {", "LIMITS"],
    ["TypeScript", "  async #store(text: string): Promise<void> {", "store"],
    ["TypeScript", "export interface WorkingSet {", "WorkingSet"],
    ["Go", "func (s *ManualCommitStrategy) PostCommit() error {", "PostCommit"],
    ["Go", "type SessionState struct {", "SessionState"],
    ["Python", "    async def fetch_all(self):", "fetch_all"],
    ["Python", "class Reader(Base):", "Reader"],
    ["Rust", "pub(crate) fn parse_line(input: &str) -> Result<Line> {", "parse_line"],
    ["Rust", "pub trait Visitor {", "Visitor"],
    ["Elixir", "  defp load_review_data(socket) do", "load_review_data"],
    ["Elixir", "defmodule SpotterWeb.ProjectReviewLive do", "SpotterWeb.ProjectReviewLive"],
    ["Ruby", "  def self.call(args)", "call"],
    ["Java", "    public static void main(String[] args) throws IOException {", "main"],
    ["C", "static int *find_node(struct tree *t, int key) {", "find_node"],
    ["Kotlin", "suspend fun refreshToken(id: Long): Token {", "refreshToken"],
    ["Swift", "final class PaneController: UIViewController {", "PaneController"],
    ["SQL", "CREATE TABLE IF NOT EXISTS handoffs (", "handoffs"],
    ["Protobuf", "message JobEvent {", "JobEvent"],
    ["a test", '  it("keeps what was said", async () => {', "keeps what was said"],
    ["a test", "test 'closes all annotations' do", "closes all annotations"],
    ["a route", '  live "/projects/:project_id/review", ProjectReviewLive', "/projects/:project_id/review"],
    ["a route", 'app.get("/api/jobs/:id", handler);', "/api/jobs/:id"],
  ])("in %s: %s", (_, line, name) => {
    expect(definitionsIn(line)).toEqual([name]);
  });

  it.each([
    "  if (isReady(x)) {",
    "  } else if (other) {",
    "  for (const x of y) {",
    "  return call(x);",
    "  const local = 1;",
    "  call(x, y);",
    "// a function of its own",
    "the class of all things",
  ])("is nothing in %s", (line) => {
    expect(definitionsIn(line, "a.ts")).toEqual([]);
  });

  it("is its keys where a file is made of them, and nothing in prose", () => {
    expect(definitionsIn('watch:\n  message: "x"\n', "baton.yaml")).toEqual(["watch", "message"]);
    expect(definitionsIn('  "scripts": {', "package.json")).toEqual(["scripts"]);
    expect(definitionsIn("def explained(x):", "README.md")).toEqual([]);
  });

  it("is told once, in lines that people write, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
        const found = definitionsIn(text);
        expect(new Set(found).size).toBe(found.length);
        for (const name of found) expect(text).toContain(name);
      }),
    );
  });
});

it("finds in a diff what was changed in which file, by its lines and by where its hunks are", () => {
  const diff = [
    "diff --git a/src/a.go b/src/a.go",
    "--- a/src/a.go",
    "+++ b/src/a.go",
    "@@ -10,3 +10,4 @@ func (s *Store) Load(id string) error {",
    "-\told := 1",
    "+\tnewer := 1",
    "@@ -40 +41,5 @@",
    "+func Save(id string) {",
    "+}",
    "--- a/gone.go",
    "+++ /dev/null",
    "@@ -1 +0,0 @@",
    "-func Gone() {",
  ].join("\n");
  expect(changedIn(diff)).toEqual(new Map([["src/a.go", ["Load", "Save"]]]));
});
