import { agentNamed } from "../../config/agent-named.ts";
import { dismiss } from "../../sessions/handoff/waiting.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import { configOf, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { documentInside } from "./inside.ts";

/** Has a handoff of a person's session that waits in the project wait no more, and returns where its document is. */
export async function dismissWaiting(project: Project, named: string): Promise<string> {
  const { handoff } = agentNamed(await configOf(project));
  const found = await documentInside({ root: project.root, handoffDir: handoff.dir }, named);
  const path = "refused" in found ? undefined : found.path;
  const registry = userRegistry();
  if (path !== undefined && (await dismiss({ document: path, place: handoff, registry }))) return path;
  throw new UsageError(`${named} is not waiting. \`baton handoffs\` lists those that are.`);
}
