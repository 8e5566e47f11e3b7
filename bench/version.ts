import { type Measure, median, timed } from "./measure.ts";
import { baton, type Place, run } from "./programs.ts";

const ROUNDS = 25;
const WARM_UP_ROUNDS = 3;

/** How long a user waits for the least that `baton` can do, against the least that Node can do. */
export async function measureVersion(): Promise<Measure> {
  const here: Place = { folder: process.cwd(), env: { PATH: process.env.PATH ?? "" } };
  const nothing = { command: process.execPath, args: ["-e", "0"] };
  const ours: number[] = [];
  const nodes: number[] = [];
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    const nodeMs = await timed(() => run(nothing, here));
    const batonMs = await timed(() => run(baton("--version"), here));
    if (round < 0) continue;
    nodes.push(nodeMs);
    ours.push(batonMs);
  }
  return {
    name: "version",
    value: median(ours) / median(nodes),
    unit: "ratio",
    limit: 1.25,
    detail: {
      compared: "baton --version / node -e 0",
      batonMs: median(ours),
      nodeMs: median(nodes),
      rounds: ROUNDS,
    },
  };
}
