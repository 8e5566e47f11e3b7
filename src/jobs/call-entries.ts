import { normalize } from "node:path";
import type { AgentEvent, ToolAction, ToolKind } from "../agents/events.ts";
import type { CallDigests, JobEvent } from "../job/events.ts";
import { summaryOf } from "../job/tool-summary.ts";
import { digest } from "../util/digest.ts";

type Call<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/** What is longer is no path of any system. */
const LONGEST_PATH = 4_096;

/** A call as it goes on record, once secrets are out of it. */
export function startEntry(
  session: string,
  { id, name, does, about, subagent }: Call<"tool:start">,
): JobEvent {
  const summary = summaryOf(about);
  const isCut = "path" in does && does.path !== summary && does.path.length <= LONGEST_PATH;
  return {
    type: "tool:start",
    session,
    id,
    name,
    does: does.kind,
    summary,
    ...(isCut && { path: does.path }),
    ...callDigests(does),
    ...(subagent !== undefined && { subagent }),
  };
}

/** `does`: of the main thread, as far as it is known. */
export function endEntry(
  session: string,
  { id, ok, output, interrupted, subagent }: Call<"tool:end">,
  call: { does: ToolKind | undefined; isDenied: boolean; pending: number | undefined },
): JobEvent {
  return {
    type: "tool:end",
    session,
    id,
    ok,
    output,
    ...(interrupted && { interrupted }),
    ...(call.isDenied && { denied: true as const }),
    ...(call.pending && { pending: call.pending }),
    ...(call.does === "command" && { digest: resultDigest(ok, output) }),
    ...(subagent !== undefined && { subagent }),
  };
}

export function deniedEntry(session: string, event: Call<"tool:denied">): JobEvent {
  const { id, name, about, message, allow, byPerson } = event;
  const how = { ...(allow && { allow }), ...(byPerson && { byPerson }) };
  return { type: "tool:denied", session, id, name, summary: summaryOf(about), message, ...how };
}

/** By what a call is recognised when it is made again. The texts themselves may be long, and are nobody else's business. */
function callDigests(does: ToolAction): CallDigests {
  switch (does.kind) {
    case "command":
      return { digest: digest(does.command.trim()) };
    case "read":
      return { digest: digest(normalize(does.path)) };
    case "write": {
      const path = normalize(does.path);
      const changes = does.changes ?? [];
      const of = (text: string | undefined) => (text ? [digest(path, text)] : []);
      return {
        digest: digest(path),
        removed: changes.flatMap(({ removed }) => of(removed)),
        added: changes.flatMap(({ added }) => of(added)),
      };
    }
    default:
      return {};
  }
}

/** Two runs of a command with the same one came to the same, however long they took and whenever they were. */
export function resultDigest(ok: boolean, output: string): string {
  return digest(String(ok), output.replace(CHANGES_BY_ITSELF, "?").trim());
}

/** Dates, times of day, durations and addresses in memory. A line and its column are none of them. */
const CHANGES_BY_ITSELF =
  /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)?|(?<![\w:])\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?\b|\b\d+(?:[.,]\d+)? ?(?:ns|[µu]s|ms|s|secs?|seconds?|min|minutes?)\b|\b0x[\da-f]{6,}\b/gi;
