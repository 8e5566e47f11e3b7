import { describe, expect, it, vi } from "vitest";
import { type Account, emptyAccount } from "./account.ts";
import { AccountInbox } from "./account-inbox.ts";

const input = { goal: " Ship it ", progress: { done: ["a"] }, current_state: "Half", next_steps: ["b"] };

function createInbox() {
  const inbox = new AccountInbox();
  const call = async (name: string, given: Record<string, unknown>) => {
    const found = (await inbox.tools.load()).find((tool) => tool.name === name);
    return found?.call(given);
  };
  return { inbox, call };
}

describe("submit_handoff", () => {
  it("takes an account when one is expected, with what was left out empty", async () => {
    const { inbox, call } = createInbox();
    const came = vi.fn();
    inbox.expect(came);
    expect(await call("submit_handoff", input)).toMatchObject({ ok: true });
    expect(came).toHaveBeenCalledOnce();
    expect(inbox.collect()).toEqual({
      ...emptyAccount(),
      goal: "Ship it",
      progress: { done: ["a"], inProgress: [], pending: [] },
      currentState: "Half",
      nextSteps: ["b"],
    } satisfies Account);
  });

  it("is refused before it is asked for, and after", async () => {
    const { inbox, call } = createInbox();
    const refusal = { ok: false, text: "Nobody has asked for a handoff. Continue the work." };
    expect(await call("submit_handoff", input)).toEqual(refusal);
    inbox.expect(() => {});
    expect(inbox.collect()).toBeUndefined();
    expect(await call("submit_handoff", input)).toEqual(refusal);
    expect(inbox.collect()).toBeUndefined();
  });

  it("counts as it was handed in last", async () => {
    const { inbox, call } = createInbox();
    inbox.expect(() => {});
    await call("submit_handoff", input);
    await call("submit_handoff", { ...input, goal: "Ship it soon" });
    expect(inbox.collect()?.goal).toBe("Ship it soon");
  });
});

describe("request_handoff", () => {
  it("passes the reason on and answers with what will happen", async () => {
    const { inbox, call } = createInbox();
    expect(await call("request_handoff", {})).toMatchObject({ ok: false });
    inbox.onRequest((reason) => ({ ok: true, text: `Heard: ${reason}` }));
    expect(await call("request_handoff", { reason: "A large file" })).toEqual({
      ok: true,
      text: "Heard: A large file",
    });
  });
});

it("the tools are known by the names that they have", async () => {
  const { inbox } = createInbox();
  expect((await inbox.tools.load()).map(({ name }) => name)).toEqual(inbox.tools.names);
});
