import {
  closeSync,
  createReadStream,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { exists } from "../../../files/exists.ts";
import { stateFolder } from "../../../files/state-folder.ts";
import { type Redact, redactor } from "../../../secrets/redact.ts";
import { fromJson, isFields } from "../../../util/json.ts";
import { textField } from "../../call-input.ts";
import type { AgentEvent, WindowFill } from "../../events.ts";
import { Lines } from "../../process/output.ts";
import type { Fields } from "../rpc.ts";
import { fieldsIn, numberIn } from "../told/tools.ts";

const ENDING = ".jsonl";
/** As long as Claude Code keeps its own. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;

/** What later runs need to know of a session. */
export interface Earlier {
  /** What the program calls the session. */
  programSession: string;
  /** How full the window was, where a response has said so. */
  window?: WindowFill;
  /** In US dollars, as the program counted it in all its runs. */
  costUsd?: number;
}

const folderIn = (env: Record<string, string>) => join(stateFolder(env), "acp");

/** What a session is on record as: a session id holds no path. */
function pathOf(env: Record<string, string>, sessionId: string): string {
  return join(folderIn(env), `${encodeURIComponent(sessionId)}${ENDING}`);
}

/**
 * A transcript of Baton's own: the protocol has none, and the programs keep theirs in as many ways as there are programs. What
 * passed through Baton is written down before anybody hears it, so that it is there after a SIGKILL. Secrets are taken out.
 */
export class Transcript {
  readonly #file: number;
  readonly #redact: Redact;
  #isOpen = true;

  constructor(env: Record<string, string>, sessionId: string) {
    const folder = folderIn(env);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    removeOld(folder);
    this.#file = openSync(pathOf(env, sessionId), "a", 0o600);
    this.#redact = redactor(env);
  }

  /** What the program calls the session: on disk before it is told anything. */
  begin(programSession: string): void {
    this.#write({ type: "session", programSession });
    fsyncSync(this.#file);
  }

  add(event: AgentEvent): void {
    if (isKept(event))
      this.#write(this.#redact({ ...event, ...(event.type === "response" && { at: now() }) }));
  }

  cost(costUsd: number): void {
    this.#write({ type: "cost", costUsd });
  }

  /** The program does not know the session any more: it cannot be continued. */
  lost(): void {
    this.#write({ type: "lost" });
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #write(line: Fields): void {
    if (this.#isOpen) writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}

const now = () => new Date().toISOString();

function isKept({ type }: AgentEvent): boolean {
  return type !== "text:delta" && type !== "activity" && type !== "idle" && type !== "context";
}

function removeOld(folder: string): void {
  const oldest = Date.now() - KEPT_MS;
  for (const name of readdirSync(folder).filter((each) => each.endsWith(ENDING))) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < oldest) rmSync(path, { force: true });
  }
}

interface Session {
  sessionId: string;
  env: Record<string, string>;
}

/** Undefined where there is none, or where the program has lost the session. */
export async function findTranscript(session: Session): Promise<string | undefined> {
  const path = pathOf(session.env, session.sessionId);
  if (!(await exists(path))) return undefined;
  for await (const { type } of linesOf(path)) if (type === "lost") return undefined;
  return path;
}

export async function* readTranscript({ sessionId, env }: Session): AsyncGenerator<AgentEvent> {
  for await (const line of linesOf(pathOf(env, sessionId))) {
    if (!OWN.has(String(line.type))) yield line as unknown as AgentEvent;
  }
}

/** Lines that are no events. */
const OWN: ReadonlySet<string> = new Set(["session", "cost", "lost"]);

/** Undefined where no program has begun it. */
export async function earlierRuns({ sessionId, env }: Session): Promise<Earlier | undefined> {
  let earlier: Earlier | undefined;
  for await (const line of linesOf(pathOf(env, sessionId))) {
    const programSession = textField(line, "programSession");
    if (programSession !== undefined) earlier = { ...earlier, programSession };
    if (!earlier) continue;
    const tokens = numberIn(line.window, "tokens");
    if (tokens !== undefined) {
      earlier.window = { tokens, ...(fieldsIn(line.window).isEstimate === true && { isEstimate: true }) };
    }
    if (line.type === "cost") earlier.costUsd = Number(line.costUsd);
  }
  return earlier;
}

/** The last of them may be cut off: whoever wrote it was killed. */
async function* linesOf(path: string): AsyncGenerator<Fields> {
  const found: Fields[] = [];
  const lines = new Lines((line) => {
    const fields = fromJson(line);
    if (isFields(fields) && typeof fields.type === "string") found.push(fields);
  });
  try {
    for await (const text of createReadStream(path, "utf8")) {
      lines.push(String(text));
      yield* found.splice(0);
    }
  } catch {
    // It is not there.
  }
}
