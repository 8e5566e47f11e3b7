import { startSimulator } from "../src/simulator/server.ts";
import { type Measure, median, timed } from "./measure.ts";
import { baton, run } from "./programs.ts";
import { freshProject } from "./project.ts";

const ROUNDS = 15;
const WARM_UP_ROUNDS = 2;
const LIMIT = 5;

/** Commands that only look, in a project in which a job has run, with an answer to print each. */
const COMMANDS = [
  "jobs",
  "jobs --json",
  "show",
  "logs",
  "handoffs",
  "handoffs --json",
  "worktrees",
  "checkpoints",
  "maintain --dry-run",
  "status",
  "config check",
  "config show coder",
  "config schema",
  "trust --list",
];

/** How long a user waits for a command that changes nothing, against the least that Node can do. */
export async function measureCommands(): Promise<Measure[]> {
  await using simulator = await startSimulator({ name: "one answer", summary: "It is done at once." });
  await using project = await freshProject(simulator);
  const said = await run(baton("run", "coder", "Say that it is done.", "--json"), project);
  const job = /"job":"(job-[^"]+)"/.exec(said)?.[1];
  if (job === undefined) throw new Error(`No job has run:\n${said}`);
  const commands = COMMANDS.map((words) => words.split(" ").concat(takesJob(words) ? [job] : []));
  const times = commands.map(() => [] as number[]);
  const nodes: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const nodeMs = await timed(() => run({ command: process.execPath, args: ["-e", "0"] }, project));
    if (round >= 0) nodes.push(nodeMs);
    for (const [index, words] of commands.entries()) {
      const ms = await timed(() => run(baton(...words), project));
      if (round >= 0) times[index]?.push(ms);
    }
  }
  return COMMANDS.map((words, index) => ({
    name: `command ${words}`,
    value: median(times[index] ?? []) / median(nodes),
    unit: "ratio",
    limit: LIMIT,
    detail: {
      compared: `baton ${words} / node -e 0`,
      batonMs: median(times[index] ?? []),
      nodeMs: median(nodes),
      rounds: ROUNDS,
    },
  }));
}

function takesJob(words: string): boolean {
  return ["show", "logs", "checkpoints"].includes(words);
}
