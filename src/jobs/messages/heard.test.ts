import { expect, it } from "vitest";
import { sentBefore, sentMeanwhile } from "../../handoff/continuation.ts";
import { notHeard } from "./heard.ts";

const sent = (...texts: string[]) =>
  texts.map((text, index) => ({ id: index + 1, text, moment: "boundary" as const, at: "", session: "s" }));
const missing = (messages: ReturnType<typeof sent>, transcript: string[]) =>
  notHeard(messages, transcript).map(({ id }) => id);

it("finds what was told alone, with others, and after words of Baton's", () => {
  const [one, two] = ["Use port 8080.", "Two lines\r\nof it."];
  expect(missing(sent(one, two), [])).toEqual([1, 2]);
  expect(missing(sent(one, two), [one, two])).toEqual([]);
  expect(missing(sent(one, two), [sentMeanwhile(`${one}\n\n${two}`)])).toEqual([]);
  expect(missing(sent(one, two), [sentBefore("You were interrupted.", one)])).toEqual([2]);
});

it("does not take a part of a sentence for a message", () => {
  expect(missing(sent("yes"), ["The user says yes to all of it."])).toEqual([1]);
});

it("wants what was sent twice to be there twice", () => {
  expect(missing(sent("go on", "go on"), ["go on"])).toEqual([1]);
  expect(missing(sent("go on", "go on"), ["go on\n\ngo on"])).toEqual([]);
});
