import { expect, it } from "vitest";
import { currentEvent, EVENT_VERSION } from "./event-versions.ts";
import type { JobEvent } from "./events.ts";

const text = (said: string): JobEvent => ({ type: "text", session: "a", text: said });
const saying = (more: string) => (event: JobEvent) =>
  event.type === "text" ? { ...event, text: `${event.text}${more}` } : event;
const steps = [saying(" in version 2"), saying(" and 3")];

it.each([
  [1, "said in version 2 and 3"],
  [2, "said and 3"],
  [3, "said"],
  [4, "said"],
])("brings an event of version %i up by the steps that it has not seen", (version, said) => {
  expect(currentEvent(text("said"), version, steps)).toEqual(text(said));
});

it("leaves an event that is written today as it is", () => {
  expect(currentEvent(text("said"), EVENT_VERSION)).toEqual(text("said"));
});
