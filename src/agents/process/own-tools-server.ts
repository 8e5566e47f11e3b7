import { isFields } from "../../util/json.ts";
import type { Answer } from "./loopback.ts";
import type { OwnToolCalls } from "./own-tool-calls.ts";

/** What programs know it by. */
export const OWN_SERVER = "baton";

/** Of those that know tools alone, the newest. A program that asks for another is answered in its own. */
const PROTOCOL = "2025-06-18";
const METHOD_NOT_FOUND = -32601;

/**
 * Baton's own tools as a server of the Model Context Protocol, one question and one answer at a time. By hand: a program waits
 * for it before its first words, and the SDK of the protocol takes longer to load than all of this to be asked and answered.
 */
export function ownToolsServer(tools: OwnToolCalls): Answer {
  return async (question) => {
    if (!isFields(question) || typeof question.method !== "string") return undefined;
    const { id, method, params } = question;
    // What needs no answer.
    if (id === undefined || id === null) return undefined;
    const result = await resultOf(method, isFields(params) ? params : {}, tools);
    if (result !== undefined) return { jsonrpc: "2.0", id, result };
    return {
      jsonrpc: "2.0",
      id,
      error: { code: METHOD_NOT_FOUND, message: `There is no method ${method}.` },
    };
  };
}

async function resultOf(
  method: string,
  params: Record<string, unknown>,
  tools: OwnToolCalls,
): Promise<object | undefined> {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params.protocolVersion ?? PROTOCOL,
        capabilities: { tools: {} },
        serverInfo: { name: OWN_SERVER, version: "1" },
      };
    case "ping":
      return {};
    case "tools/list": {
      const offered = await tools.offered();
      return { tools: offered.map(({ parameters, ...tool }) => ({ ...tool, inputSchema: parameters })) };
    }
    case "tools/call": {
      const { ok, text } = await tools.call(String(params.name), params.arguments ?? {});
      return { isError: !ok, content: [{ type: "text", text }] };
    }
    default:
      return undefined;
  }
}
