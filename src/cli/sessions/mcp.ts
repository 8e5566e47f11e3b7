import { finished } from "node:stream/promises";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { configOf, findProject } from "../../app/project.ts";
import { serveMcp } from "../../mcp/server.ts";
import { userRegistry } from "../../sessions/record/registry.ts";

export interface McpOptions {
  config?: string;
}

/** Serves this project over standard input and output, until whoever started it closes them. */
export async function mcp(options: McpOptions, version: string): Promise<number> {
  const project = findProject(options);
  const gone = new AbortController();
  const served = {
    root: project.root,
    registry: userRegistry(),
    env: environment(),
    config: () => configOf(findProject(options)),
    signal: gone.signal,
  };
  const closed = finished(process.stdin, { writable: false }).catch(() => {});
  const server = await serveMcp(served, version, new StdioServerTransport());
  await closed;
  gone.abort();
  await server.close();
  return 0;
}

function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
