import { expect, it } from "vitest";
import { startAhead } from "../src/app/jobs/start-ahead.ts";
import { resolveAgent } from "../src/config/layers/resolve.ts";
import { markedProcesses, sessionMark } from "../src/processes/marks.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { testProject } from "./harness.ts";

it("a program that was started ahead ends with its scope, also when the job never began", async () => {
  const { folder, env, simulator } = await testProject({ scenario: steady({ steps: 1 }) });
  const agent = resolveAgent("coder", { env }, { root: folder, home: folder });
  let mark = sessionMark("");
  {
    await using ahead = await startAhead(agent, "job-1");
    const { session } = ahead.prestarted;
    mark = sessionMark(session.id);
    expect(await session.contextUsage()).toMatchObject({ window: expect.any(Number) });
    expect(await markedProcesses(mark)).not.toEqual([]);
  }
  expect(await markedProcesses(mark)).toEqual([]);
  expect(simulator.requests).toEqual([]);
});
