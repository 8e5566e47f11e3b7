import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { OwnTools } from "../agent.ts";
import type { Answer } from "./loopback.ts";

/** What programs know it by. */
export const OWN_SERVER = "baton";

/** Baton's own tools as a server of the Model Context Protocol, one question and one answer at a time. */
export function ownToolsServer(own: OwnTools): Answer {
  let connected: Promise<Link> | undefined;
  return async (question) => {
    connected ??= connect(own);
    return (await connected).ask(question as JSONRPCMessage);
  };
}

/** Loaded when the program connects: its start does not wait for it. */
async function connect(own: OwnTools): Promise<Link> {
  const [{ McpServer }, tools] = await Promise.all([
    import("@modelcontextprotocol/sdk/server/mcp.js"),
    own.load(),
  ]);
  const server = new McpServer({ name: OWN_SERVER, version: "1" });
  for (const { name, description, input, call } of tools) {
    server.registerTool(name, { description, inputSchema: input }, async (given) => {
      const { ok, text } = await call(given);
      return { isError: !ok, content: [{ type: "text", text }] };
    });
  }
  const link = new Link();
  await server.connect(link);
  return link;
}

class Link implements Transport {
  onmessage?: NonNullable<Transport["onmessage"]>;
  onclose?: () => void;
  readonly #waiting = new Map<string | number, (answer: JSONRPCMessage) => void>();

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!("id" in message) || "method" in message || message.id === undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }

  /** Undefined for what needs no answer. */
  async ask(message: JSONRPCMessage): Promise<JSONRPCMessage | undefined> {
    const isQuestion = "method" in message && "id" in message;
    const answer = isQuestion
      ? new Promise<JSONRPCMessage>((resolve) => this.#waiting.set(message.id, resolve))
      : undefined;
    this.onmessage?.(message);
    return answer;
  }
}
