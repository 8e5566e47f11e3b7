import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import type { Served } from "../app/sessions/served.ts";

/** Adds the tools of one subject to a server. */
export type AddTools = (server: McpServer, served: Served) => void;

/** A typed result. Programs that show it to a model as it is show the values alone, so they must say everything. */
export function result<T extends Record<string, unknown>>(values: T) {
  return {
    content: [{ type: "text" as const, text: JSON.stringify(values) }],
    structuredContent: values,
  };
}

/** The longest name of a session, path of a document, and text that a tool takes, in characters. */
export const LONGEST = { name: 200, path: 4_096, text: 20_000 } as const;

export const upTo = (characters: number) =>
  z.string().trim().max(characters, `At most ${characters} characters: say it shorter.`);
