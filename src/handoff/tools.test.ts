import { describe, expect, it, vi } from "vitest";
import { type Account, emptyAccount } from "./account.ts";
import { HandoffDesk } from "./desk.ts";

const input = { goal: " Ship it ", progress: { done: ["a"] }, current_state: "Half", next_steps: ["b"] };

function createDesk() {
  const desk = new HandoffDesk();
  const call = async (name: string, given: Record<string, unknown>) => {
    const found = (await desk.tools.load()).find((tool) => tool.name === name);
    return found?.call(given);
  };
  return { desk, call };
}

describe("submit_handoff", () => {
  it("takes an account when one is expected, with what was left out empty", async () => {
    const { desk, call } = createDesk();
    const came = vi.fn();
    desk.expect(came);
    expect(await call("submit_handoff", input)).toMatchObject({ ok: true });
    expect(came).toHaveBeenCalledOnce();
    expect(desk.collect()).toEqual({
      ...emptyAccount(),
      goal: "Ship it",
      progress: { done: ["a"], inProgress: [], pending: [] },
      currentState: "Half",
      nextSteps: ["b"],
    } satisfies Account);
  });

  it("is refused before it is asked for, and after", async () => {
    const { desk, call } = createDesk();
    const refusal = { ok: false, text: "Nobody has asked for a handoff. Go on with the work." };
    expect(await call("submit_handoff", input)).toEqual(refusal);
    desk.expect(() => {});
    expect(desk.collect()).toBeUndefined();
    expect(await call("submit_handoff", input)).toEqual(refusal);
    expect(desk.collect()).toBeUndefined();
  });

  it("counts as it was handed in last", async () => {
    const { desk, call } = createDesk();
    desk.expect(() => {});
    await call("submit_handoff", input);
    await call("submit_handoff", { ...input, goal: "Ship it soon" });
    expect(desk.collect()?.goal).toBe("Ship it soon");
  });
});

describe("request_handoff", () => {
  it("passes the reason on and answers with what will happen", async () => {
    const { desk, call } = createDesk();
    expect(await call("request_handoff", {})).toMatchObject({ ok: false });
    desk.onRequest((reason) => ({ ok: true, text: `Heard: ${reason}` }));
    expect(await call("request_handoff", { reason: "A large file" })).toEqual({
      ok: true,
      text: "Heard: A large file",
    });
  });
});

it("the tools are known by the names that they have", async () => {
  const { desk } = createDesk();
  expect((await desk.tools.load()).map(({ name }) => name)).toEqual(desk.tools.names);
});
