import { given } from "../../util/given.ts";
import type { Permit } from "../permission.ts";
import type { OwnToolCalls } from "../process/own-tool-calls.ts";
import { PATCH, SHELL } from "./calls/calls.ts";
import { inShell } from "./calls/commands.ts";
import { shellWords } from "./calls/shell-words.ts";
import type { Fields } from "./connection.ts";

interface Asked {
  tools: OwnToolCalls;
  permit?: Permit;
  signal: AbortSignal;
  /** What the call of an item is made with. */
  inputOf(item: string): unknown;
  /** A person has said no to a call. */
  refused(call: string, because: string): void;
}

/** What the program asks while it works: for a tool of Baton's, or whether it may do something. */
export async function answerTo(method: string, params: Fields, asked: Asked): Promise<unknown> {
  switch (method) {
    case "item/tool/call":
      return called(params, asked.tools);
    case "item/commandExecution/requestApproval":
      return decision(params, { name: SHELL, about: commandOf(params) }, asked);
    case "item/fileChange/requestApproval":
      return decision(params, { name: PATCH, about: String(params.reason ?? params.grantRoot ?? "") }, asked);
    default:
      throw new Error(`Baton does not answer ${method}.`);
  }
}

async function called({ tool, arguments: given }: Fields, tools: OwnToolCalls): Promise<unknown> {
  const { ok, text } = await tools.call(String(tool), given ?? {});
  return { contentItems: [{ type: "inputText", text }], success: ok };
}

async function decision(
  { itemId, command, cwd, reason }: Fields,
  { name, about }: { name: string; about: string },
  { permit, signal, inputOf, refused }: Asked,
): Promise<unknown> {
  if (!permit) return { decision: "decline" };
  const id = String(itemId);
  // What the program is about to do, as it says it here, before what the model wrote.
  const input = typeof command === "string" ? { command, ...given({ cwd }) } : inputOf(id);
  const why = typeof reason === "string" ? { why: reason } : {};
  const said = await permit({ id, name, about, input, ...why }, signal);
  if (signal.aborted) return { decision: "cancel" };
  if (said.answer !== "no") return { decision: said.answer === "always" ? "acceptForSession" : "accept" };
  refused(id, said.because ? `The user said no: ${said.because}` : "The user said no.");
  return { decision: "decline" };
}

function commandOf({ command }: Fields): string {
  return typeof command === "string" ? (inShell(shellWords(command)) ?? command) : "";
}
