import { finished } from "node:stream/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { servedHere } from "../../app/sessions/served.ts";
import { serveMcp } from "../../mcp/server.ts";

export interface McpOptions {
  config?: string;
}

/** Serves this project over standard input and output, until whoever started it closes them. */
export async function mcp(options: McpOptions, version: string): Promise<number> {
  const gone = new AbortController();
  const closed = finished(process.stdin, { writable: false }).catch(() => {});
  const server = await serveMcp(servedHere(options, gone.signal), version, new StdioServerTransport());
  await closed;
  gone.abort();
  await server.close();
  return 0;
}
