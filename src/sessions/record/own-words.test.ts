import { expect, it } from "vitest";
import { continueLine, isOwnWords } from "./own-words.ts";

it.each([
  ["the line that the next session begins with", continueLine("/p/.baton/handoffs/handoff-1.md")],
  [
    "the same as earlier versions typed it",
    "Go on with the work from the handoff document /p/h.md. Read it first.",
  ],
  ["a request for an account", "<handoff-request>\nYour work is about to be handed over"],
  ["the message of `baton watch`, however it is spaced", "  Is   all well?\n"],
])("knows what Baton typed itself: %s", (_what, text) => {
  expect(isOwnWords(text, "Is all well?")).toBe(true);
});

it.each(["Continue the work from yesterday.", "Go on with the work.", "Is all well"])(
  "takes what a person said for theirs: %s",
  (text) => {
    expect(isOwnWords(text, "Is all well?")).toBe(false);
  },
);
