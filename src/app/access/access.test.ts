import { afterEach, expect, it, vi } from "vitest";
import { DAY_MS, HOUR_MS } from "../../util/time.ts";
import { Access } from "./access.ts";
import type { Principal } from "./principal.ts";

afterEach(() => void vi.useRealTimers());

const SOMEBODY: Principal = {
  ...{ id: "a-token", kind: "token", name: "ci", scopes: ["start"], projects: null, hook: null },
  ...{ maxJobs: null, maxCostUsd: null, expiresAt: null },
};
const CALL = { hook: "coder/deploy", key: "d-1", request: "{}", job: "job-1", until: null };

it("knows what was sent before for a day, however long the server runs", () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "Date"] });
  using access = Access.open();
  const begin = () => access.begin(SOMEBODY, "once", "a request");
  const call = (until: Date | null) =>
    access.beginDelivery({ ...CALL, key: until ? "d-1" : "signed", until });
  expect(begin()).toBeUndefined();
  access.end(SOMEBODY, "once", { status: 201, body: "{}" });
  const until = new Date(Date.now() + DAY_MS);
  expect([call(until), call(null)]).toEqual([undefined, undefined]);

  vi.advanceTimersByTime(DAY_MS - HOUR_MS);
  expect(begin()).toMatchObject({ status: 201 });
  expect(call(until)).toMatchObject({ job: "job-1" });

  vi.advanceTimersByTime(2 * HOUR_MS);
  expect(begin()).toBeUndefined();
  expect(call(until)).toBeUndefined();
  // What is signed without a time can come again at any time.
  expect(call(null)).toMatchObject({ job: "job-1" });
});
