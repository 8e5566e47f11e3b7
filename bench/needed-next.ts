import { basename } from "node:path";
import { type CompactedSession, compactedSession } from "./entries.ts";
import { documentAfterChain, documentFromFacts, factsIn } from "./from-facts.ts";
import { type Measure, median } from "./measure.ts";
import { foundIn, KINDS, type Kind, LEAST, namesUsed, neededNext, sum } from "./needed.ts";
import { measureCuts } from "./needed-next-cuts.ts";
import { transcriptsIn } from "./transcripts.ts";

/** What the session that followed used of what the one before it knew, and what of that a text about it holds. */
interface Score {
  wanted: number;
  ours: number;
  summary: number;
}

interface Scored {
  name: string;
  of: Record<Kind, Score>;
  /** Names in our list of what was in hand, and those of them that the next calls used. */
  listed: number;
  used: number;
  ours: number;
  summary: number;
  /** Of all that is wanted: what our document holds after ten handoffs, and its characters then. */
  afterChain: number;
  charactersAfterChain: number;
}

/**
 * On transcripts that compacted on their own: how much of what was used next stands in our document and in Claude Code's
 * summary. With `cuts`: at many other moments of the same sessions, too, where there is no summary.
 */
export async function measureNeededNext(folder?: string, { cuts = false } = {}): Promise<Measure[]> {
  const { files } = await transcriptsIn(folder);
  const sessions: Scored[] = [];
  for (const file of files) {
    const session = await compactedSession(file);
    if (session) sessions.push(await scored(basename(file, ".jsonl"), session));
  }
  return [...sessions.map(each), ...overall(sessions), ...(cuts ? await measureCuts(files) : [])];
}

async function scored(name: string, session: CompactedSession): Promise<Scored> {
  const { cwd, linesBefore, summary } = session;
  const { document: ours } = await documentFromFacts(factsIn(linesBefore, cwd));
  const { document: last } = await documentAfterChain(linesBefore, cwd);
  const needed = neededNext(session);
  const [inOurs, inSummary, inLast] = [ours, summary, last].map((text) => foundIn(text, needed, cwd));
  const of = Object.fromEntries(
    KINDS.map((kind) => [
      kind,
      { wanted: needed[kind].size, ours: inOurs?.[kind] ?? 0, summary: inSummary?.[kind] ?? 0 },
    ]),
  ) as Record<Kind, Score>;
  return {
    name,
    of,
    ...namesUsed(ours, session),
    ours: ours.length,
    summary: summary.length,
    afterChain: sum(KINDS.map((kind) => inLast?.[kind] ?? 0)),
    charactersAfterChain: last.length,
  };
}

function each({ name, of, ours, summary, listed, used }: Scored): Measure {
  return {
    name: `needed-next-${name}`,
    value: ours / summary,
    unit: "ratio",
    detail: {
      compared: "characters of our document / of the summary",
      ...Object.fromEntries(KINDS.flatMap((kind) => inWords(kind, of[kind]))),
      names_used: `${used} of ${listed}`,
      ours_characters: ours,
      summary_characters: summary,
    },
  };
}

function inWords(kind: Kind, { wanted, ours, summary }: Score): [string, string][] {
  return [
    [`${kind}_ours`, `${ours} of ${wanted}`],
    [`${kind}_summary`, `${summary} of ${wanted}`],
  ];
}

/** All sessions together, and each half of them by itself. */
function overall(sessions: readonly Scored[]): Measure[] {
  const halves = [0, 1].map((odd) => sessions.filter((_, index) => index % 2 === odd));
  const found = (kind: Kind, by: "ours" | "summary", of: readonly Scored[]) =>
    sum(of.map((session) => session.of[kind][by])) / sum(of.map((session) => session.of[kind].wanted));
  const used = (of: readonly Scored[]) =>
    sum(of.map((session) => session.used)) / sum(of.map((session) => session.listed));
  const ratio = (of: readonly Scored[]) => median(of.map(({ ours, summary }) => ours / summary));
  const shares = KINDS.map(
    (kind): Measure => ({
      name: `needed-next-${kind}`,
      value: found(kind, "ours", sessions),
      unit: "share",
      least: LEAST[kind],
      detail: {
        summary: found(kind, "summary", sessions),
        half: found(kind, "ours", halves[0] ?? []),
        other_half: found(kind, "ours", halves[1] ?? []),
        wanted: sum(sessions.map(({ of }) => of[kind].wanted)),
      },
    }),
  );
  return [
    ...shares,
    {
      name: "needed-next-names-used",
      value: used(sessions),
      unit: "share",
      least: 0.25,
      detail: {
        compared: "names listed as in hand that the next calls used / all that are listed",
        half: used(halves[0] ?? []),
        other_half: used(halves[1] ?? []),
        most_listed: Math.max(...sessions.map(({ listed }) => listed)),
      },
    },
    {
      name: "needed-next-size",
      value: ratio(sessions),
      unit: "ratio",
      limit: 0.8,
      detail: {
        compared: "characters of our document / of the summary, median",
        half: ratio(halves[0] ?? []),
        other_half: ratio(halves[1] ?? []),
        largest: Math.max(...sessions.map(({ ours }) => ours)),
      },
    },
    {
      name: "needed-next-chain",
      value: sum(sessions.map(({ afterChain }) => afterChain)) / sum(sessions.map(foundAtOnce)),
      unit: "ratio",
      least: 1,
      detail: {
        compared: "what is found after ten handoffs / after one, of the same work",
        characters:
          sum(sessions.map(({ charactersAfterChain }) => charactersAfterChain)) /
          sum(sessions.map(({ ours }) => ours)),
      },
    },
  ];
}

const foundAtOnce = ({ of }: Scored) => sum(KINDS.map((kind) => of[kind].ours));
