import { isDeep, isFields } from "../../../util/json.ts";
import { tellingPart } from "../../call-input.ts";
import type { Made, ToolAction } from "../../events.ts";
import type { Fields } from "../connection.ts";
import { commandAction, inShell } from "./commands.ts";
import { changesIn, changesInPatch, type FileChange } from "./patches.ts";
import { pathOf } from "./paths.ts";
import { shellWords } from "./shell-words.ts";

/** A tool call. A patch of several files is one for each. */
export interface Call {
  id: string;
  name: string;
  does: ToolAction;
  about: string;
  input: unknown;
}

/** How one has ended. */
export interface End {
  ok: boolean;
  output: string;
  made?: Made;
  isDenied?: true;
  interrupted?: true;
}

/** What the program calls its tools. */
export const SHELL = "exec_command";
export const PATCH = "apply_patch";

/** Where calls are made, and which tools are Baton's own. */
export interface Surroundings {
  cwd: string;
  ownTools: readonly string[];
}

/** A call as the model makes it. */
export function calledBy(item: Fields, { cwd, ownTools }: Surroundings): Call[] {
  const id = String(item.call_id);
  const name = String(item.name);
  const input = typeof item.arguments === "string" ? argumentsIn(item.arguments) : {};
  const call = (does: ToolAction, about: string): Call[] => [{ id, name, does, about, input }];
  switch (name) {
    case SHELL: {
      const command = String(input.cmd);
      return call(commandAction(command, pathOf(input.workdir) ?? cwd), command);
    }
    case PATCH:
      return patchCalls(id, changesInPatch(String(item.input), cwd));
    case "update_plan":
      return call({ kind: "todo", change: "list", todos: todosIn(input.plan) }, "");
    case "view_image":
      return call({ kind: "read", path: String(input.path) }, String(input.path));
    default:
      return call({ kind: ownTools.includes(name) ? "own" : "other" }, brief(input));
  }
}

/**
 * The calls in an item. The program names what is in it in one way while it runs, and in another in its transcript. What is no
 * call has none.
 */
export function callsIn(item: Fields): Call[] {
  const id = String(item.id);
  switch (kindOf(item)) {
    case "commandexecution": {
      const words = typeof item.command === "string" ? shellWords(item.command) : texts(item.command);
      const command = inShell(words) ?? (typeof item.command === "string" ? item.command : words.join(" "));
      const does = commandAction(command, pathOf(item.cwd) ?? "/");
      return [{ id, name: SHELL, does, about: command, input: { command } }];
    }
    case "filechange":
      return patchCalls(id, changedFiles(item.changes));
    case "dynamictoolcall": {
      const input = shallow(item.arguments);
      return [{ id, name: String(item.tool), does: { kind: "own" }, about: brief(input), input }];
    }
    case "mcptoolcall": {
      const input = shallow(item.arguments);
      const name = `mcp__${String(item.server)}__${String(item.tool)}`;
      return [{ id, name, does: { kind: "other" }, about: brief(input), input }];
    }
    case "websearch": {
      const about = String(item.query ?? "");
      return [{ id, name: "web_search", does: { kind: "other" }, about, input: { query: about } }];
    }
    case "imageview": {
      const path = pathOf(item.path) ?? "";
      return [{ id, name: "view_image", does: { kind: "read", path }, about: path, input: { path } }];
    }
    default:
      return [];
  }
}

/** How an item has ended, or nothing while it runs. */
export function endIn(item: Fields): End | undefined {
  const state = String(item.status ?? "completed").toLowerCase();
  if (state === "inprogress" || state === "in_progress") return undefined;
  const hasFailed = item.success === false || (item.error !== undefined && item.error !== null);
  const ok = state === "completed" && !hasFailed;
  return { ok, output: outputIn(item), ...(state === "declined" && { isDenied: true }) };
}

/** How a call has ended by what the model is told, or nothing where it goes on in the background. */
export function endByAnswer({ output }: Fields): End | undefined {
  const text =
    typeof output === "string"
      ? output
      : listed(output)
          .map((each) => each.text)
          .join("\n");
  if (/^Process running with session ID/m.test(text)) return undefined;
  const [, code = "0"] = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(text) ?? [];
  const isCut = /^aborted/m.test(text);
  const ok = code === "0" && !isCut && !/^(?:\w+ failed|unsupported call)\b/.test(text);
  return { ok, output: text, ...(isCut && { interrupted: true }) };
}

function outputIn(item: Fields): string {
  switch (kindOf(item)) {
    case "commandexecution": {
      const output = String(item.aggregatedOutput ?? item.aggregated_output ?? "").trimEnd();
      const code = item.exitCode ?? item.exit_code ?? 0;
      return code === 0 ? output : `Exit code ${code}\n${output}`;
    }
    case "filechange":
      return changedFiles(item.changes)
        .map(({ kind, path }) => `${kind} ${path}`)
        .join("\n");
    case "dynamictoolcall":
      return listed(item.contentItems ?? item.content_items)
        .map(({ text }) => String(text ?? ""))
        .join("\n");
    default:
      return resultIn(item);
  }
}

function resultIn({ result, error }: Fields): string {
  if (isFields(error)) return String(error.message);
  const inner = isFields(result) && isFields(result.Ok) ? result.Ok : result;
  return listed(isFields(inner) ? inner.content : undefined)
    .map(({ text }) => String(text ?? ""))
    .join("\n");
}

function patchCalls(id: string, files: readonly FileChange[]): Call[] {
  return files.map(({ path, kind, changes }, index) => ({
    id: index === 0 ? id : `${id}#${index + 1}`,
    name: PATCH,
    does: { kind: "write", path, ...(changes.length > 0 && { changes }) },
    about: path,
    input: { path, kind },
  }));
}

/** Listed while it runs, by their paths in a transcript. */
function changedFiles(changes: unknown): FileChange[] {
  const entries = Array.isArray(changes)
    ? listed(changes).map((each) => [each.path, each.kind, each.diff] as const)
    : Object.entries(isFields(changes) ? changes : {}).map(
        ([path, each]) => [path, each, isFields(each) ? (each.unified_diff ?? each.content) : ""] as const,
      );
  return entries.flatMap(([given, kind, diff]): FileChange[] => {
    const path = pathOf(given);
    const type = isFields(kind) ? kind.type : kind;
    const text = typeof diff === "string" ? diff : "";
    if (path === undefined) return [];
    // A new file is told as its text.
    if (type === "add") return [{ path, kind: "add", changes: [{ added: text.replace(/\n$/, "") }] }];
    if (type === "delete") return [{ path, kind: "delete", changes: [] }];
    return [{ path, kind: "update", changes: changesIn(text) }];
  });
}

function todosIn(plan: unknown): { text: string; status: string }[] {
  return listed(plan).map(({ step, status }) => ({ text: String(step), status: String(status) }));
}

function argumentsIn(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return isFields(value) && !isDeep(value) ? value : {};
  } catch {
    return {};
  }
}

const brief = (input: unknown) => tellingPart(input, ["path", "url", "query"]);
const kindOf = (item: Fields) => String(item.type).toLowerCase();
const shallow = (input: unknown) => (isDeep(input) ? {} : (input ?? {}));
const texts = (value: unknown) =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
const listed = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);
