import { expect, it } from "vitest";
import type { JobEvent, JournalEvent } from "../job/events.ts";
import { AgentWords } from "./agent-words.ts";

const inJournal = (event: JobEvent): JournalEvent => ({ seq: 1, at: "", job: "job-1", attempt: 1, ...event });
const text = (said: string) => inJournal({ type: "text", session: "s", text: said });
const tool = inJournal({ type: "tool:start", session: "s", id: "t", name: "Bash", summary: "ls" });
const committed = inJournal({ type: "workspace:committed", commit: "abc", files: 1 });
const completed = (result: string) => inJournal({ type: "job:completed", result });

const LONG = "a long text";
const words = () => new AgentWords((said) => said !== LONG);

it("shows a short text at once, and knows it for the result", () => {
  const screen = words();
  expect(screen.after(text("Done.\n"))).toEqual([text("Done.\n")]);
  expect(screen.after(completed("Done."))).toEqual([completed("Done.")]);
  expect(screen.hasShown("Done.")).toBe(true);
  expect(screen.hasShown("Other.")).toBe(false);
});

it("leaves a long result to the end, where it is shown whole", () => {
  const screen = words();
  expect(screen.after(text(LONG))).toEqual([]);
  expect(screen.after(committed)).toEqual([committed]);
  expect(screen.after(completed(LONG))).toEqual([completed(LONG)]);
  expect(screen.hasShown(LONG)).toBe(false);
  expect(screen.rest()).toEqual([]);
});

it("shows a long text before what comes after it", () => {
  const screen = words();
  screen.after(text(LONG));
  expect(screen.after(tool)).toEqual([text(LONG), tool]);
  screen.after(text(LONG));
  expect(screen.after(completed("Another."))).toEqual([text(LONG), completed("Another.")]);
  screen.after(text(LONG));
  expect(screen.rest()).toEqual([text(LONG)]);
});
