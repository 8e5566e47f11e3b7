import { isFields } from "../../../util/json.ts";
import type { AgentEvent } from "../../events.ts";
import type { Fields } from "../connection.ts";
import {
  type Call,
  calledBy,
  callsIn,
  type End,
  endByAnswer,
  endIn,
  PATCH,
  type Surroundings,
} from "./calls.ts";

interface Open {
  calls: Call[];
  /** The program tells of it as an item, which says best how it ends. */
  isItem: boolean;
  cwd?: string;
}

/**
 * The calls that run. Each is told of up to four times: as the model makes it, as an item that begins and ends, and as what the
 * model is answered. Which of these come differs by tool, and by whether the program runs or its transcript is read.
 */
export class CallBook {
  readonly #around: Surroundings;
  readonly #open = new Map<string, Open>();
  readonly #ended = new Set<string>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** By their ids, those whose end nobody has told. */
  get open(): ReadonlyMap<string, Pick<Open, "calls" | "cwd">> {
    return this.#open;
  }

  *called(item: Fields): Generator<AgentEvent> {
    const id = String(item.call_id);
    yield* this.#begin(id, { calls: calledBy(item, this.#around), isItem: false });
  }

  /** True where it is a call. */
  *started(item: Fields): Generator<AgentEvent, boolean> {
    const id = String(item.id);
    const calls = callsIn(item);
    if (calls.length === 0) return false;
    const cwd = typeof item.cwd === "string" ? { cwd: item.cwd } : {};
    const known = this.#open.get(id);
    if (known) this.#open.set(id, { ...known, ...cwd, isItem: true });
    else yield* this.#begin(id, { calls, isItem: true, ...cwd });
    return true;
  }

  /** True where it is a call. */
  *completed(item: Fields): Generator<AgentEvent, boolean> {
    const id = String(item.id);
    const end = endIn(item);
    if (!(yield* this.started(item)) || !end) return false;
    // Patches can come as commands.
    const files = callsIn(item).filter(({ does }) => does.kind === "write");
    const known = this.#open.get(id)?.calls ?? [];
    if (known.some(({ name }) => name !== PATCH)) {
      for (const { id: file, ...call } of files) {
        yield startOf({ id: `${file}/file`, ...call });
        yield endOf({ id: `${file}/file`, ...call }, withMade(end, item, call));
      }
    }
    yield* this.#finish(id, (call) => withMade(end, item, call));
    return true;
  }

  *answered(item: Fields): Generator<AgentEvent> {
    const id = String(item.call_id);
    const end = endByAnswer(item);
    if (end && !this.#open.get(id)?.isItem) yield* this.#finish(id, () => end);
  }

  /** All that runs has been ended with the turn. */
  *interrupted(): Generator<AgentEvent> {
    const end = { ok: false, output: "interrupted", interrupted: true } as const;
    for (const id of [...this.#open.keys()]) yield* this.#finish(id, () => end);
  }

  *#begin(id: string, open: Open): Generator<AgentEvent> {
    if (this.#open.has(id) || this.#ended.has(id) || open.calls.length === 0) return;
    this.#open.set(id, open);
    for (const call of open.calls) yield startOf(call);
  }

  *#finish(id: string, end: (call: Call) => End): Generator<AgentEvent> {
    const { calls } = this.#open.get(id) ?? { calls: [] };
    this.#open.delete(id);
    this.#ended.add(id);
    for (const call of calls) {
      const how = end(call);
      if (how.isDenied) yield deniedOf(call);
      yield endOf(call, how);
    }
  }
}

function startOf({ id, name, does, about, input }: Call): AgentEvent {
  return { type: "tool:start", id, name, does, about, input };
}

function endOf({ id }: Pick<Call, "id">, { ok, output, made, interrupted }: End): AgentEvent {
  return { type: "tool:end", id, ok, output, ...(made && { made }), ...(interrupted && { interrupted }) };
}

/** No rule for the call could allow it: there are none. */
function deniedOf({ id, name, does, about }: Call): AgentEvent {
  const mode = does.kind === "write" ? "acceptEdits" : "bypassPermissions";
  return {
    type: "tool:denied",
    id,
    name,
    about,
    message: "Its permissions do not allow it",
    allow: { mode },
  };
}

function withMade(end: End, { changes }: Fields, { does }: Pick<Call, "does">): End {
  if (!end.ok || does.kind !== "write") return end;
  const listed = Array.isArray(changes) ? changes.filter(isFields) : [];
  const change =
    listed.find(({ path }) => path === does.path)?.kind ??
    (isFields(changes) ? changes[does.path] : undefined);
  return isFields(change) && change.type === "add" ? { ...end, made: { kind: "file" } } : end;
}
