import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { z } from "zod";
import { audited } from "../app/access/audit.ts";
import type { Served } from "../app/sessions/served.ts";
import { printable } from "../util/printable.ts";

/** Adds the tools of one subject to a server. */
export type AddTools = (server: McpServer, served: Served) => void;

/**
 * A typed result. Programs that show it to a model as it is show the values alone, so they must say everything. Nothing in
 * them is hidden from the person who looks on.
 */
export function result<T extends Record<string, unknown>>(values: T) {
  const text = JSON.stringify(values, (_key, value: unknown) =>
    typeof value === "string" ? printable(value) : value,
  );
  const structuredContent: T = JSON.parse(text);
  return { content: [{ type: "text" as const, text }], structuredContent };
}

/** The longest name of a session, path of a document, and text that a tool takes, in characters. */
export const LONGEST = { name: 200, path: 4_096, text: 20_000 } as const;

export const upTo = (characters: number) =>
  z.string().trim().max(characters, `At most ${characters} characters: say it shorter.`);

/** What a tool changes is on the audit trail before it does. `targetOf`: on what, by its result. */
export function onTrail<Input, Done extends ReturnType<typeof result>>(
  { root }: Served,
  what: string,
  targetOf: (done: Done["structuredContent"]) => unknown,
  change: (input: Input) => Promise<Done>,
): (input: Input) => Promise<Done> {
  const named = (done: Done) => {
    const target = targetOf(done.structuredContent);
    return typeof target === "string" ? target : undefined;
  };
  return (input) => audited({ what, project: root, origin: "mcp", by: "agent" }, () => change(input), named);
}
