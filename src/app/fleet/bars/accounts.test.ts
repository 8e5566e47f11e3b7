import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../../../../test/job-worktree.ts";
import { parseConfig } from "../../../config/layers/parse.ts";
import { thisProcess } from "../../../processes/owner.ts";
import { recordLimit, takeTurn } from "../../../store/fleet/accounts.ts";
import { type FleetState, openFleetState } from "../../../store/sqlite/fleet-state.ts";
import { openStore } from "../../../store/store.ts";
import { barOfAccounts } from "./accounts.ts";

const RESET = new Date(2026, 10, 18, 3, 0);
const at = (minutes: number) => new Date(RESET.getTime() + minutes * 60_000);
const CONFIG = `agents:
  - { name: coder, account: work }
  - { name: careful, account: work, session: { not_after: "02:00" } }
  - { name: other, account: spare }
  - { name: nimble, account: work, session: { on_limit: switch, fallback: [other] } }
`;

let state: FleetState;
let bar: (agent: string, now: Date, queuedAt?: Date) => Promise<string | undefined>;

beforeEach(async () => {
  const root = await temporaryFolder();
  vi.stubEnv("XDG_STATE_HOME", root);
  state = openFleetState();
  const config = parseConfig(CONFIG, `${root}/baton.yaml`, root);
  const store = await openStore(join(root, "baton.db"));
  onTestFinished(() => store.close());
  bar = async (agent, now, queuedAt = at(-60)) => {
    const barred = await barOfAccounts({ state, projects: [{ project: { root }, config, store }], now });
    const next = { job: "next", priority: 0, place: 1, after: [], queuedAt: queuedAt.toISOString() };
    return barred({ project: root, agent, ...next })?.text;
  };
});
afterEach(() => {
  state[Symbol.dispose]();
  vi.unstubAllEnvs();
});

describe("an account at its usage limit", () => {
  beforeEach(() =>
    recordLimit(state, {
      account: "name:work",
      label: "work",
      until: RESET.getTime(),
      message: "",
      isKnown: true,
    }),
  );

  it("holds its agents with the time of the reset, and counts down", async () => {
    expect(await bar("coder", at(-42))).toBe("work is at its usage limit, which resets at 03:00, in 42 min");
    expect(await bar("other", at(-42))).toBeUndefined();
    expect(await bar("coder", at(0))).toBeUndefined();
  });

  it("lets one go after the reset, and says to the others for whom they wait", async () => {
    takeTurn(state, "name:work", { job: "first", owner: thisProcess() }, at(0));
    expect(await bar("coder", at(1))).toBe(
      "the limit of work has reset, and jobs start one by one: first is tried first",
    );
  });

  it("holds what waited for it until the morning where that is wanted, and nothing that came later", async () => {
    expect(await bar("careful", at(-42))).toBe(
      "work is at its usage limit, which resets at 03:00, in 42 min, and what waits starts at 07:00 (session.not_after)",
    );
    expect(await bar("careful", at(60))).toBe(
      "the limit of work has reset, and what waited for it starts at 07:00 (session.not_after)",
    );
    expect(await bar("careful", at(60), at(30))).toBeUndefined();
    expect(await bar("careful", at(240))).toBeUndefined();
  });

  it("holds no agent for which another one can begin", async () => {
    expect(await bar("nimble", at(-42))).toBeUndefined();
    recordLimit(state, {
      account: "name:spare",
      label: "spare",
      until: RESET.getTime(),
      message: "",
      isKnown: true,
    });
    expect(await bar("nimble", at(-42))).toContain("work is at its usage limit");
  });
});
