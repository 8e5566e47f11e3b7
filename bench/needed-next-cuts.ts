import { type CutSession, callsIn, compactedSession, cutSessions } from "./entries.ts";
import { documentFromFacts, factsIn } from "./from-facts.ts";
import type { Measure } from "./measure.ts";
import { foundIn, KINDS, type Kind, LEAST, namesUsed, neededNext, sum } from "./needed.ts";

/** A session has begun by then, and so many calls must follow. */
const CUTS = { first: 40, every: 10, least: 25 };

interface Cut {
  wanted: Record<Kind, number>;
  found: Record<Kind, number>;
  listed: number;
  used: number;
  characters: number;
}

/** What our document holds of what was used next, had each session handed off at many a moment. */
export async function measureCuts(files: readonly string[]): Promise<Measure[]> {
  const cuts: Cut[] = [];
  for (const file of files) {
    for (const session of await cutsOf(file)) {
      const { cwd, linesBefore } = session;
      const { document } = await documentFromFacts(factsIn(linesBefore, cwd));
      const needed = neededNext(session);
      cuts.push({
        wanted: {
          paths: needed.paths.size,
          commands: needed.commands.size,
          identifiers: needed.identifiers.size,
        },
        found: foundIn(document, needed, cwd),
        ...namesUsed(document, session),
        characters: document.length,
      });
    }
  }
  const shares = KINDS.map(
    (kind): Measure => ({
      name: `needed-next-cuts-${kind}`,
      value: sum(cuts.map(({ found }) => found[kind])) / sum(cuts.map(({ wanted }) => wanted[kind])),
      unit: "share",
      least: LEAST[kind],
      detail: { cuts: cuts.length, wanted: sum(cuts.map(({ wanted }) => wanted[kind])) },
    }),
  );
  return [
    ...shares,
    {
      name: "needed-next-cuts-names-used",
      value: sum(cuts.map(({ used }) => used)) / sum(cuts.map(({ listed }) => listed)),
      unit: "share",
      least: 0.25,
      detail: {
        compared: "names listed as in hand that the next calls used / all that are listed",
        most_listed: Math.max(...cuts.map(({ listed }) => listed)),
        largest: Math.max(...cuts.map(({ characters }) => characters)),
      },
    },
  ];
}

/** After its fortieth call and every tenth from there, and where it compacted. */
async function cutsOf(file: string): Promise<CutSession[]> {
  const cuts = await cutSessions(file, CUTS);
  const compacted = await compactedSession(file);
  const callsBefore = ({ before }: CutSession) => callsIn(before).length;
  const isNew = compacted && !cuts.some((cut) => callsBefore(cut) === callsBefore(compacted));
  return isNew ? [...cuts, compacted] : cuts;
}
