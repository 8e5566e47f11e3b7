import { basename } from "node:path";
import {
  type Block,
  type Call,
  type CompactedSession,
  callsIn,
  compactedSession,
  wordsIn,
} from "./entries.ts";
import { documentAfterChain, documentFromFacts, factsIn } from "./from-facts.ts";
import { type Measure, median } from "./measure.ts";
import { transcriptsIn } from "./transcripts.ts";

/** How many calls of the session that followed count. */
const NEXT_CALLS = 40;

const KINDS = ["paths", "commands", "identifiers"] as const;
type Kind = (typeof KINDS)[number];

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

/** On transcripts that compacted on their own: how much of what was used next stands in our document and in Claude Code's summary. */
export async function measureNeededNext(folder?: string): Promise<Measure[]> {
  const sessions: Scored[] = [];
  for (const file of (await transcriptsIn(folder)).files) {
    const session = await compactedSession(file);
    if (session) sessions.push(await scored(basename(file, ".jsonl"), session));
  }
  return [...sessions.map(each), ...overall(sessions)];
}

async function scored(name: string, session: CompactedSession): Promise<Scored> {
  const { cwd, linesBefore, summary } = session;
  const { document: ours } = await documentFromFacts(factsIn(linesBefore, cwd));
  const { document: last } = await documentAfterChain(linesBefore, cwd);
  const needed = neededNext(session);
  let afterChain = 0;
  const of = (kind: Kind, has: (text: string) => (item: string) => boolean): Score => {
    const [inOurs, inSummary] = [has(ours), has(summary)];
    const wanted = [...needed[kind]];
    afterChain += wanted.filter(has(last)).length;
    return {
      wanted: wanted.length,
      ours: wanted.filter(inOurs).length,
      summary: wanted.filter(inSummary).length,
    };
  };
  const listed = namesListed(ours);
  const next = nextCalls(session)
    .flatMap(({ input }) => texts(input))
    .join("\n");
  const scores = {
    paths: of("paths", (text) => (path) => hasPath(text, path, cwd)),
    commands: of("commands", (text) => {
      const flat = oneSpace(text);
      return (command) => flat.includes(oneSpace(command));
    }),
    identifiers: of("identifiers", (text) => {
      const known = new Set(identifiersIn(text));
      return (identifier) => known.has(identifier);
    }),
  };
  return {
    name,
    listed: listed.length,
    used: listed.filter((name) => hasWord(next, name)).length,
    of: scores,
    ours: ours.length,
    summary: summary.length,
    afterChain,
    charactersAfterChain: last.length,
  };
}

/** What the first calls after the boundary used, as far as it had occurred before. */
function neededNext({ cwd, before, after }: CompactedSession): Record<Kind, Set<string>> {
  const earlier = callsIn(before);
  const known = [
    ...earlier.flatMap(({ input, output }) => [...texts(input), output]),
    ...wordsIn(before),
  ].join("\n");
  const knownIdentifiers = new Set(identifiersIn(known));
  const commands = new Set(earlier.flatMap(commandOf));
  const next = nextCalls({ after });
  return {
    paths: new Set(next.flatMap(pathOf).filter((path) => hasPath(known, path, cwd))),
    commands: new Set(next.flatMap(commandOf).filter((command) => commands.has(command))),
    identifiers: new Set(next.flatMap(identifiersOf).filter((name) => knownIdentifiers.has(name))),
  };
}

function nextCalls({ after }: Pick<CompactedSession, "after">): Call[] {
  return callsIn(after).slice(0, NEXT_CALLS);
}

/** Every name that our document lists as in hand: those of files, without the files themselves, and those of tests. */
function namesListed(document: string): string[] {
  const [, section = ""] = /^### Working set\n([\s\S]*?)(?=^#{2,3} |(?![\s\S]))/m.exec(document) ?? [];
  const spans = section.split("\n").flatMap((line) => {
    if (!line.startsWith("- ") || /^- (?:Searched for|Named in)/.test(line)) return [];
    const found = [...line.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span);
    return line.startsWith("- `") ? found.slice(1) : found;
  });
  return [...new Set(spans)];
}

function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const around = `${text.charAt(at - 1)} ${text.charAt(at + name.length)}`;
    if (!/[\p{L}\p{N}_$]/u.test(around)) return true;
  }
  return false;
}

const IDENTIFIER = /[\p{L}_$][\p{L}\p{N}_$]{7,}/gu;

function identifiersIn(text: string): string[] {
  return text.match(IDENTIFIER) ?? [];
}

/** Of edits, searches and commands. */
function identifiersOf({ input }: Call): string[] {
  const { edits } = input;
  const single = [input.old_string, input.new_string, input.content, input.new_source];
  const searched = [input.pattern, input.glob];
  const several = Array.isArray(edits)
    ? edits.flatMap((edit: Block) => [edit.old_string, edit.new_string])
    : [];
  return [...single, ...several, ...searched, input.command].flatMap((text) =>
    typeof text === "string" ? identifiersIn(text) : [],
  );
}

function commandOf({ name, input }: Call): string[] {
  return name === "Bash" && typeof input.command === "string" ? [input.command] : [];
}

/** A search is mostly told a folder: that counts where it is a file. */
function pathOf({ input }: Call): string[] {
  const named = [input.file_path, input.notebook_path, input.path];
  return named.flatMap((path) => (typeof path === "string" && /\.\w{1,8}$/.test(path) ? [path] : []));
}

function texts(input: Block): string[] {
  return Object.values(input).map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function hasPath(text: string, path: string, cwd: string): boolean {
  return text.includes(path) || text.includes(path.replace(`${cwd}/`, ""));
}

/** Without what a document puts at the beginning of a quoted line, and with one space between words. */
function oneSpace(text: string): string {
  return text
    .replace(/^[\s>]+/gm, "")
    .replace(/\s+/g, " ")
    .trim();
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

const LEAST: Record<Kind, number> = { paths: 0.95, commands: 0.7, identifiers: 0.55 };

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
const sum = (values: number[]) => values.reduce((all, value) => all + value, 0);
