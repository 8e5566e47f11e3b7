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
  /** A subagent's. */
  isSub: boolean;
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

/** What people see of a job's events: calls with their ends in one line, and nothing that only programs need to know. */
export function linesOf(events: readonly EventHead[], shown: Shown): Line[] {
  const calls = new Map<string, Line>();
  const lines: Line[] = [];
  for (const head of events) {
    const { type } = head;
    if (type === "tool:end") {
      const line = calls.get(head.call ?? "");
      if (line) end(line, head);
      continue;
    }
    if (head.title === undefined) continue;
    const line = lineOf(head);
    if (type === "tool:start") calls.set(head.call ?? "", line);
    lines.push(line);
  }
  return shown === "all" ? lines : lines.filter((line) => isOf(line, shown));
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
    isSub: event !== undefined && "subagent" in event,
    ...(event?.type === "tool:start" && event.does !== undefined && { does: event.does }),
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
