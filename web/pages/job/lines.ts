import type { EventHead } from "../../data/events.ts";

/** One line of the transcript: an event, or a call with how it ended. */
export interface Line {
  seq: number;
  at: string;
  kind: "says" | "person" | "tool" | "handoff" | "baton";
  tone: "plain" | "good" | "bad" | "caution" | "quiet";
  title: string;
  text: string;
  /** Of a call: when it ended; missing while it runs. */
  endedAt?: string;
  /** Where its output is, and how much that is. */
  output?: { seq: number; bytes: number };
  isRunning?: boolean;
  /** Of one that was stored: its number. */
  handoff?: number;
  /** A subagent's: of which one. */
  sub?: string;
  /** In the place of a subagent's lines: how many they are. */
  folds?: { lines: number; failed: number; isOpen: boolean };
  type: string;
  does?: string;
}

export const SHOWN = {
  all: "Everything",
  failed: "Failures",
  denied: "Denied calls",
  edits: "Edits",
  commands: "Commands",
  text: "What was said",
} as const;

export type Shown = keyof typeof SHOWN;

/** What people see of a job's events: calls with their ends in one line, and nothing that only programs need to know. New events are added to what is there. */
export class Lines {
  #first: number | undefined;
  #read = 0;
  #calls = new Map<string, Line>();
  #lines: Line[] = [];

  of(events: readonly EventHead[]): readonly Line[] {
    const isSame = events[0]?.seq === this.#first && events.length >= this.#read;
    if (!isSame) {
      this.#first = events[0]?.seq;
      this.#read = 0;
      this.#calls = new Map();
      this.#lines = [];
    }
    for (; this.#read < events.length; this.#read++) this.#take(events[this.#read]);
    return this.#lines;
  }

  #take(head: EventHead | undefined): void {
    if (head?.type === "tool:end") {
      const line = this.#calls.get(head.call ?? "");
      if (line) end(line, head);
      this.#calls.delete(head.call ?? "");
    } else if (head?.title !== undefined) {
      const line = lineOf(head);
      if (head.type === "tool:start") this.#calls.set(head.call ?? "", line);
      this.#lines.push(line);
    }
  }
}

/** What is wanted of them. Of all, each subagent's are one line until it is opened. */
export function shownOf(lines: readonly Line[], shown: Shown, open: ReadonlySet<string>): readonly Line[] {
  if (shown !== "all") return lines.filter((line) => isOf(line, shown));
  if (!lines.some(({ sub }) => sub !== undefined)) return lines;
  const heads = new Map<string, Line>();
  const result: Line[] = [];
  for (const line of lines) {
    if (line.sub === undefined) {
      result.push(line);
      continue;
    }
    const isOpen = open.has(line.sub);
    const head = heads.get(line.sub) ?? headOf(line, isOpen);
    if (!heads.has(line.sub)) {
      heads.set(line.sub, head);
      result.push(head);
    }
    count(head, line);
    if (isOpen) result.push(line);
  }
  return result;
}

/** Its number is that of the first line, below zero, so that both can be in one list. */
function headOf({ seq, at, sub = "" }: Line, isOpen: boolean): Line {
  const folds = { lines: 0, failed: 0, isOpen };
  return {
    seq: -seq,
    at,
    kind: "baton",
    tone: "plain",
    title: "subagent",
    text: "",
    type: "subagent",
    sub,
    folds,
  };
}

function count(head: Line, { tone, isRunning }: Line): void {
  const { folds } = head;
  if (!folds) return;
  folds.lines++;
  if (tone === "bad") folds.failed++;
  if (isRunning) head.isRunning = true;
  const calls = `${folds.lines} ${folds.lines === 1 ? "call" : "calls"}`;
  head.text = folds.failed === 0 ? calls : `${calls}, ${folds.failed} failed`;
}

function end(line: Line, head: EventHead): void {
  const { ok, denied, interrupted } = head.event?.type === "tool:end" ? head.event : {};
  line.endedAt = head.at;
  line.isRunning = false;
  line.output = { seq: head.seq, bytes: head.bytes };
  const failed = head.tone === "bad" || ok === false;
  if (denied || interrupted) line.tone = "caution";
  else if (failed) line.tone = "bad";
  if (failed && head.text) line.text = head.text;
}

function lineOf(head: EventHead): Line {
  const { type, seq, at, event, bytes } = head;
  return {
    seq,
    at,
    type,
    kind: kindOf(head),
    tone: (head.tone ?? "quiet") as Line["tone"],
    title: head.title ?? "",
    text: (event?.type === "text" ? event.text : head.text) ?? "",
    ...(head.subagent !== undefined && { sub: head.subagent }),
    ...(event?.type === "tool:start" && event.does !== undefined && { does: event.does }),
    ...(event?.type === "handoff:stored" && { handoff: event.handoffNumber }),
    ...(type === "tool:start" && { isRunning: true }),
    ...(type !== "tool:start" && !event && { output: { seq, bytes } }),
  };
}

function kindOf({ type }: EventHead): Line["kind"] {
  if (type === "text") return "says";
  if (type === "message:sent") return "person";
  if (type.startsWith("tool:")) return "tool";
  return type.includes("handoff") ? "handoff" : "baton";
}

function isOf(line: Line, shown: Shown): boolean {
  switch (shown) {
    case "failed":
      return line.tone === "bad";
    case "denied":
      return line.type === "tool:denied";
    case "edits":
      return line.does === "write";
    case "commands":
      return line.does === "command";
    case "text":
      return line.kind === "says" || line.kind === "person";
    default:
      return true;
  }
}
