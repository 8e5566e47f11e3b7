import { expect, it } from "vitest";
import type { SimulatedRequest } from "../request.ts";
import type { Reply } from "../scenario.ts";
import { DEMO_REQUEST } from "./demo.ts";
import { fleet } from "./fleet.ts";

const asked = (text: string, done = 0) =>
  ({
    text,
    last: text,
    tools: [],
    results: Array.from({ length: done }, () => ({ toolUseId: "", text: "step is done", isError: false })),
  }) as unknown as SimulatedRequest;

it("does the job of the demo for one agent, short steps for the others, and meets a limit that passes", () => {
  let at = 10_000;
  const { otherwise } = fleet(() => at);
  const reply = (text: string, done?: number) => {
    if (typeof otherwise !== "function") throw new Error("it answers all alike");
    return otherwise(asked(text, done)) as Reply;
  };
  expect(reply(DEMO_REQUEST).say).toBe("Next: length, with its tests.");
  expect(reply("Review the last commit.")).toMatchObject({ say: "Step 1 of 3.", call: { tool: "Bash" } });
  expect(reply("Review the last commit.", 3)).toEqual({ say: "All 3 steps are done." });
  const triage = "Triage the new issues, up to a usage limit.";
  expect(reply(triage, 1)).toEqual({ fault: { kind: "usage-limit", resetsAt: 16 } });
  at = 16_000;
  expect(reply(triage, 1)).toMatchObject({ say: "Step 2 of 3." });
});
