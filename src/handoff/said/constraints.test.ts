import { describe, expect, it } from "vitest";
import { constraintsIn } from "./constraints.ts";

describe("the constraints in what a user says", () => {
  it("are its binding sentences, word for word", () => {
    const text =
      "Add a login page. Use the existing form component, do not add dependencies. The copy must stay in German.";
    expect(constraintsIn(text)).toEqual([
      "Use the existing form component, do not add dependencies.",
      "The copy must stay in German.",
    ]);
  });

  it("are found in lists too, one by one", () => {
    const text = "Refactor it:\n- Never touch the migrations\n- Rename freely\n- Keep the public API\n";
    expect(constraintsIn(text)).toEqual(["Never touch the migrations", "Keep the public API"]);
  });

  it("are whole where their lines are wrapped", () => {
    const text =
      "Build the importer.\nDo not add a library for dates\n  (not even a small one), and do not\nuse Moment.";
    expect(constraintsIn(text)).toEqual([
      "Do not add a library for dates (not even a small one), and do not use Moment.",
    ]);
  });

  it("are not looked for in code, nor in what the user quotes", () => {
    expect(constraintsIn("Fix this:\n```\nif (!must) return never;\n```\n")).toEqual([]);
    expect(constraintsIn("> You must never do this.\n\n| never | always |\n\nA reviewer said that.")).toEqual(
      [],
    );
  });

  it.each([
    "Never commit a module whose tests fail.",
    "Please don't push to main",
    "don’t change the public API!",
    "Do not touch this file.",
    "Also: do not touch the tests.",
    "No, don't ever use the old client.",
    "Don't do that again.",
    "Do not deploy yet.",
    "Let's never mock the database.",
    "let's not leave all the tests to the very end...",
    "Always run the linter before you commit.",
    "Only touch files below src/.",
    "Only ASCII in file names: no ß.",
    "Use only the standard library.",
    "Work only in the billing package.",
    "Write a small library that converts units, in plain JavaScript with no dependencies.",
    "Use pnpm instead of npm.",
    "Write a small parser, in plain JavaScript with no dependencies.",
    "Port it to ESM without breaking the CommonJS build.",
    "No new dependencies.",
    "No tabs.",
    "The copy must stay in German.",
    "You must not rename exported functions.",
    "The schema may not change.",
    "All endpoints have to keep supporting version 1.",
    "The API should not change.",
    "Commits should always be signed.",
    "Keep every line under 80 characters.",
    "Keep it under 100 lines.",
    "Rename freely but keep the public API.",
    "Leave the generated files alone.",
    "Stay within the billing package.",
    "Make sure that all tests still pass.",
    "Ensure no secrets end up in the log.",
    "Every function at most 40 lines.",
    "I prefer tabs.",
    "I don't want any new files in the root folder.",
    "We never use default exports.",
    "From now on, name branches after their ticket.",
    "The vendor folder is off limits.",
    "Could you please not reformat files?",
  ])("count this one: %s", (sentence) => {
    expect(constraintsIn(`Hello.\n\n${sentence}`)).toEqual([sentence]);
  });

  it.each([
    "I don't know why.",
    "Fix the login bug",
    "It does not work on my machine.",
    "We don't have tests for this yet.",
    "This is not what I meant.",
    "That doesn't look right.",
    "I only see it on the second run.",
    "It always fails on Mondays.",
    "Always fails on Mondays.",
    "Never seen that before.",
    "I tried it twice and never got an answer.",
    "They parse the file and never close it.",
    "Don't worry about the warning.",
    "Never mind.",
    "Don't know, have a look.",
    "No idea.",
    "No, that was somebody else.",
    "no revert those changes, it was right before",
    "no don't set it, let's see what happens",
    "No configuration found in /tmp/build",
    "No errors were found.",
    "Only the second one fails.",
    "Should we also log a warning there?",
    "Shouldn't the cache have been warm?",
    "Do we not have logging for that?",
    "Can we change it so that it always uses the newest build?",
    "That should be the one.",
    "It should have been a single operation.",
    "That shouldn't happen.",
    "It must be the cache.",
    "I must have missed it.",
    "There must be a way to see that.",
    "Instead of lines 235-236:",
    "Without this conversion, the counts are lost.",
    "While it is consistent, UTC would be better and avoid trouble with time zones.",
    "Keep going.",
    "Keep me posted.",
    "Let's not jump to conclusions just yet.",
    "Make sure you look at it first.",
    "The program requires a token.",
    "error: cannot find main module, but found .git/config",
    "yes, but we don't need to commit",
    "What we should do is to make a first commit.",
    "I think it's not a problem at all.",
    "Continue until all are done.",
    "Rather slow, isn't it.",
    "Fix the test that only fails on Mondays.",
    "Fix the export, it only works once.",
    "Fix the parser, which returns null instead of undefined.",
    "Add a retry: it fails without using one.",
  ])("do not count this one: %s", (sentence) => {
    expect(constraintsIn(`Hello.\n\n${sentence}`)).toEqual([]);
  });

  it("of a long specification are what it forbids: nobody repeats all that it demands", () => {
    const demands = Array.from(
      { length: 60 },
      (_, n) => `- Field ${n} must hold the number of its row, as text.`,
    );
    const text = ["Implement this:", ...demands, "- Never write to the old table."].join("\n");
    expect(constraintsIn(text)).toEqual(["Never write to the old table."]);
  });
});
