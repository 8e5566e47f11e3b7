import { expect, it } from "vitest";
import type { AgentEvent } from "../../agents/events.ts";
import { type About, NOTHING_TOLD, told } from "./about.ts";

function about(...events: AgentEvent[]): About {
  return events.reduce((known, event) => told(known, event, "Check on your workers."), NOTHING_TOLD);
}

const title = (text: string, byPerson = false): AgentEvent => ({ type: "title", title: text, byPerson });
const user = (text: string): AgentEvent => ({ type: "user", text });

it("keeps the title that a person chose, whatever the program calls it afterwards", () => {
  expect(about(title("One"), title("Two")).title).toBe("Two");
  expect(about(title("One"), title("Mine", true), title("Two")).title).toBe("Mine");
});

it("keeps what the person said last, and nothing that Baton typed", () => {
  const typed = [
    "Continue the work from the handoff document /d.md. Read it first if it is not in your context yet.",
    "Check on your workers.",
  ].map(user);
  expect(about(user("Build it."), user("Paint it."), ...typed).prompt).toBe("Paint it.");
});

it("stays small, and ends a long text between two words: half a word may be half a secret", () => {
  const { prompt = "" } = about(user(`${"word ".repeat(200)}`));
  expect(prompt.length).toBeLessThan(310);
  expect(prompt).toMatch(/word word…$/);
  expect(about(user("x".repeat(1_000))).prompt).toBe("…");
  const todos = Array.from({ length: 500 }, () => ({ text: "t".repeat(1_000), status: "pending" }));
  const list: AgentEvent = {
    type: "tool:start",
    id: "a",
    name: "TodoWrite",
    does: { kind: "todo", change: "list", todos },
    about: "",
    input: {},
  };
  expect(JSON.stringify(about(list)).length).toBeLessThan(20_000);
});
