import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type Served, servesJob } from "../app/sessions/served.ts";
import { addDocumentTools } from "./document-tools.ts";
import { addHandoffTools } from "./handoff-tools.ts";
import { addJobTools } from "./job-tools.ts";
import { addSessionTools } from "./session-tools.ts";
import { addWorkerTools } from "./worker-tools.ts";

const INSTRUCTIONS =
  "Baton keeps work going across context windows. When you are asked for a handoff, call submit_handoff. In a session that continues earlier work, ask_predecessor answers questions that the document leaves open.";

const FOR_PEOPLE = [addHandoffTools, addDocumentTools, addSessionTools, addWorkerTools, addJobTools];
/** A job has tools of its own for its handoffs: a second set would take them past it. */
const FOR_JOBS = [addDocumentTools];

/** Serves one project to the session that started this process. */
export async function serveMcp(served: Served, version: string, transport: Transport): Promise<McpServer> {
  const server = new McpServer({ name: "baton", version }, { instructions: INSTRUCTIONS });
  for (const add of servesJob(served) ? FOR_JOBS : FOR_PEOPLE) add(server, served);
  await server.connect(transport);
  return server;
}
