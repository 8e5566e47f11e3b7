import type { JournalEvent } from "../src/job/events.ts";
import type { RecordedRequest } from "../src/simulator/log.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { startSimulator } from "../src/simulator/server.ts";
import { type Measure, median } from "./measure.ts";
import { baton, headlessClaude, jsonLines, run } from "./programs.ts";
import { freshProject } from "./project.ts";

const ROUNDS = 4;
const HANDOFFS_PER_JOB = 2;
/** A real model writes for longer. The next program has this long to warm up. */
const DOCUMENT_MS = 2_500;

/** The gap that a handoff leaves, against starting the agent from nothing: both end with the model's first request. */
export async function measureHandoff(): Promise<Measure> {
  const gaps: number[] = [];
  const coldStarts: number[] = [];
  for (let round = -1; round < ROUNDS; round++) {
    const handoffs = await handoffGaps();
    const cold = [];
    while (cold.length < handoffs.length) cold.push(await coldStart());
    if (round < 0) continue;
    gaps.push(...handoffs);
    coldStarts.push(...cold);
  }
  return {
    name: "handoff",
    value: median(gaps) / median(coldStarts),
    unit: "ratio",
    limit: 0.25,
    detail: {
      compared:
        "document stored to the next session's first request / start of claude -p to its first request",
      handoffMs: median(gaps),
      coldStartMs: median(coldStarts),
      documentMs: DOCUMENT_MS,
      handoffs: gaps.length,
    },
  };
}

/** From each stored document to what its successor asks first. The journal's and the simulator's clock are the same. */
async function handoffGaps(): Promise<number[]> {
  const filling = steady({ steps: 14, factor: 20, outputCharacters: 4_000 });
  await using simulator = await startSimulator({
    ...filling,
    rules: [
      {
        when: ({ last }) => last.includes("<handoff-request>"),
        async reply(request) {
          const { otherwise } = filling;
          const document = typeof otherwise === "function" ? await otherwise(request) : otherwise;
          return { ...document, delayMs: DOCUMENT_MS };
        },
      },
    ],
  });
  await using project = await freshProject(simulator);
  const events = jsonLines<JournalEvent>(
    await run(baton("run", "coder", "Do the steps.", "--json"), project),
  );
  const gaps = events
    .filter((event) => event.type === "context:handoff:complete")
    .map(({ newSessionId, handoffNumber }) => {
      const stored = events.find(
        (event) => event.type === "handoff:stored" && event.handoffNumber === handoffNumber,
      );
      const first = firstOf(simulator.requests, (request) => request.sessionId === newSessionId);
      return first.startedAt - Date.parse(stored?.at ?? "");
    });
  if (gaps.length < HANDOFFS_PER_JOB) throw new Error(`The job had only ${gaps.length} handoffs.`);
  return gaps;
}

async function coldStart(): Promise<number> {
  await using simulator = await startSimulator({ name: "one answer", summary: "It is done at once." });
  await using project = await freshProject(simulator);
  const start = performance.timeOrigin + performance.now();
  await run(headlessClaude("Say that it is done."), project);
  return firstOf(simulator.requests, () => true).startedAt - start;
}

function firstOf(
  requests: readonly RecordedRequest[],
  matches: (request: RecordedRequest["request"]) => boolean,
): RecordedRequest {
  const found = requests.find(({ request }) => request.kind === "main" && matches(request));
  if (!found) throw new Error("The agent asked the model nothing.");
  return found;
}
