import { expect, it } from "vitest";
import type { AgentEvent } from "../events.ts";
import { StoppedTurns } from "./stopped-turns.ts";

const start = (id: string, about: string): AgentEvent => ({
  type: "tool:start",
  id,
  name: "execute",
  does: { kind: "command", command: about },
  about,
  input: {},
});

it("tells a forgotten turn again, in a frame, until the program has completed one", () => {
  const turns = new StoppedTurns();
  turns.begins("Build it.");
  turns.add({ type: "text", text: "I build it." });
  turns.add(start("one", "make"));
  turns.add(start("two", "make test"));
  turns.forgotten(new Map([["one", "built"]]));
  const [told = "", ...more] = turns.retold;
  expect(more).toEqual([]);
  const tag = /<message-(\w+)>/.exec(told)?.[1];
  expect(told).toContain(`<message-${tag}>\nBuild it.\n</message-${tag}>`);
  expect(told).toContain(
    `<stopped-turn-${tag}>\nI build it.\n\n[tool] execute: make\nbuilt\n\n[tool] execute: make test\n</stopped-turn-${tag}>`,
  );

  turns.begins("And test it.");
  turns.forgotten();
  expect(turns.retold).toHaveLength(2);
  turns.remembered();
  expect(turns.retold).toEqual([]);
});

it("keeps the beginning and the end of a long output, and the newest of a long turn", () => {
  const turns = new StoppedTurns();
  turns.begins("Go.");
  for (let step = 1; step <= 100; step++) turns.add(start(`call ${step}`, `step ${step}`));
  const long = `first ${"word ".repeat(5_000)} last`;
  turns.forgotten(new Map(Array.from({ length: 100 }, (_, at) => [`call ${at + 1}`, long])));
  const [told = ""] = turns.retold;
  expect(told.length).toBeLessThan(65_000);
  expect(told).toMatch(/step 100\nfirst [\s\S]* last\n/);
  expect(told).not.toContain("step 1\n");
});
