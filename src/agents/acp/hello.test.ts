import { expect, it, onTestFinished, vi } from "vitest";
import { hello } from "./hello.ts";
import { EndedError, RefusedError } from "./rpc.ts";

const answering = (answer: () => Promise<Record<string, unknown>>) => ({ ask: answer });

it("gives what the program says of itself", async () => {
  const agentInfo = { name: "agent", version: "1.2.3" };
  expect(
    await hello(
      answering(async () => ({ agentInfo })),
      "agent",
    ),
  ).toEqual({ agentInfo });
});

it("says in words that a program does not speak the protocol", async () => {
  const refuses = async () => {
    throw new RefusedError({ code: -32_601, message: "Method not found" });
  };
  await expect(hello(answering(refuses), "cat")).rejects.toThrow(
    /^cat does not speak the Agent Client Protocol \(it says: Method not found\)\. .*cat --acp\.$/,
  );
});

it("takes a program that does not answer for one that has ended, and says what may be wrong", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const greeted = hello(
    answering(() => new Promise(() => {})),
    "my-agent",
  ).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(120_000);
  const error = await greeted;
  expect(error).toBeInstanceOf(EndedError);
  expect(String(error)).toContain("my-agent has not answered within 120 seconds. See whether command starts");
});
