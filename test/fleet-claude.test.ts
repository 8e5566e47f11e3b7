import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { comesTo, counts, go, jobsIn, waits } from "./fleet-jobs.ts";
import { Baton, baton, testProject } from "./harness.ts";

const SIX = 6;

it("continues six jobs of Claude Code, each in its session, after the fleet was killed", {
  tags: ["claude"],
  timeout: 180_000,
}, async () => {
  const where = await testProject({ scenario: waits, agent: `instances: { max_concurrent: ${SIX} }` });
  await appendFile(join(where.folder, "baton.yaml"), `fleet: { max_concurrent: ${SIX} }\n`);
  for (let job = 1; job <= SIX; job++) await baton(where, ["run", "--queue", `Job ${job}`]);
  const first = new Baton(where, ["start"]);
  const asked = (times: number) =>
    where.simulator.waitFor(
      () => where.simulator.requests.filter(({ reply }) => reply?.call !== undefined).length >= times,
    );
  await asked(SIX);
  await comesTo(where, { running: SIX });
  const before = await jobsIn(where);
  await first.kill();
  expect(await counts(where)).toEqual({ queued: SIX });

  const second = new Baton(where, ["start"]);
  await asked(2 * SIX);
  await comesTo(where, { running: SIX });
  await go(where);
  await comesTo(where, { completed: SIX });
  const after = await jobsIn(where);
  expect(after.map(({ sessions }) => sessions.map(({ id }) => id))).toEqual(
    before.map(({ sessions }) => sessions.map(({ id }) => id)),
  );
  expect(after.map(({ sessions }) => sessions.map(({ mode }) => mode))).toEqual(
    Array.from({ length: SIX }, () => ["resumed"]),
  );
  expect(after.map(({ result }) => result)).toEqual(
    Array.from({ length: SIX }, () => expect.stringContaining("Done")),
  );
  await baton(where, ["stop"]);
  await second.exit;
});
