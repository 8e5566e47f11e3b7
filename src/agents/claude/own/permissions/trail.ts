import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fromJson, isFields } from "../../../../util/json.ts";
import type { ToolKind } from "../../../events.ts";
import { toolAction } from "../../tools.ts";
import { SYNTHETIC } from "../../transcript/line.ts";
import { TranscriptReader } from "../../transcript/reader.ts";

/** What a transcript tells of what a session may do. */
export interface Trail {
  /** That it asked for last. */
  model?: string;
  /** Its permission mode, when it was last told something. */
  mode?: string;
  /** False where it ran tools and nothing tells who allowed them: older versions of the program do not say. */
  tells: boolean;
  /** Calls that a person was asked about. What they allowed for good is a rule in a file by now, and not among them. */
  asked: { tool: string; kind: ToolKind }[];
  /** Rules that a person gave for as long as the session runs: they are in no file. */
  granted: string[];
  /** The modes in which it changed files unasked. */
  editedIn: string[];
}

/** Of a session and its subagents. */
export async function permissionTrail(transcript: string): Promise<Trail> {
  const found = new TrailCollector();
  for (const path of [transcript, ...(await ofSubagents(transcript))]) {
    for await (const line of new TranscriptReader(path).lines()) found.add(line);
  }
  return found.trail();
}

async function ofSubagents(transcript: string): Promise<string[]> {
  const folder = join(dirname(transcript), basename(transcript, ".jsonl"), "subagents");
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => name.endsWith(".jsonl")).map((name) => join(folder, name));
}

type Fields = Record<string, unknown>;

const MARK = /"permissionMode"|"permissionDecision"|"toolDenialKind"|"tool_use"|"tool_result"|"assistant"/;

export class TrailCollector {
  readonly #calls = new Map<string, { tool: string; input: unknown }>();
  readonly #asked: Trail["asked"] = [];
  readonly #granted = new Set<string>();
  readonly #editedIn = new Set<string>();
  #model: string | undefined;
  #mode: string | undefined;
  #hasRun = false;
  #hasDecided = false;

  add(line: string): void {
    const entry = MARK.test(line) ? fromJson(line) : undefined;
    if (!isFields(entry)) return;
    const isMain = entry.isSidechain !== true;
    if (isMain && typeof entry.permissionMode === "string") this.#mode = entry.permissionMode;
    if (!isFields(entry.message)) return;
    const { message } = entry;
    if (entry.type === "assistant") {
      if (isMain) this.#model = modelOf(entry, message) ?? this.#model;
      for (const { id, name, input } of blocksOf(message, "tool_use"))
        if (typeof id === "string" && typeof name === "string") this.#calls.set(id, { tool: name, input });
    }
    if (entry.type !== "user") return;
    for (const { tool_use_id: id } of blocksOf(message, "tool_result")) {
      this.#hasRun = true;
      const call = typeof id === "string" ? this.#calls.get(id) : undefined;
      if (call) this.#decided(call, entry);
    }
  }

  trail(): Trail {
    return {
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.#mode !== undefined && { mode: this.#mode }),
      tells: this.#hasDecided || !this.#hasRun,
      asked: this.#asked,
      granted: [...this.#granted],
      editedIn: [...this.#editedIn],
    };
  }

  #decided({ tool, input }: { tool: string; input: unknown }, entry: Fields): void {
    const action = toolAction(tool, input);
    const question = { tool, kind: action.kind };
    if (entry.toolDenialKind === "user-rejected") this.#asked.push(question);
    const { permissionDecision: decision } = entry;
    if (!isFields(decision)) return;
    this.#hasDecided = true;
    if (decision.source === "user_temporary") {
      // Whoever reads a file outside of the project can be allowed its folder.
      if (decision.grantScope === "session" && action.kind === "read")
        this.#granted.add(`Read(/${dirname(action.path)}/**)`);
      else this.#asked.push(question);
    } else if (action.kind === "write" && this.#mode !== undefined) {
      this.#editedIn.add(this.#mode);
    }
  }
}

function modelOf({ requestedModel }: Fields, { model }: Fields): string | undefined {
  if (typeof requestedModel === "string") return requestedModel;
  return typeof model === "string" && model !== SYNTHETIC ? model : undefined;
}

function blocksOf({ content }: Fields, type: string): Fields[] {
  return Array.isArray(content) ? content.filter((block) => isFields(block) && block.type === type) : [];
}
