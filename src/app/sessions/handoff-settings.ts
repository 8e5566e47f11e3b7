import { agentNamed } from "../../config/agent-named.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { livingDocument } from "../../config/living-document.ts";
import { tryGit } from "../../git/git.ts";
import type { OwnSession } from "../../sessions/record/session.ts";

/**
 * How a session hands off, by its project's configuration. An orchestrator keeps a living document also where none is
 * configured, unless the project does not want that.
 */
export async function handoffSettings(
  { role, project }: Pick<OwnSession, "role" | "project">,
  config: Config,
): Promise<AgentConfig["handoff"]> {
  const { handoff: settings, workspace } = agentNamed(config);
  if (settings.livingDocument || role !== "orchestrator" || !config.watch.livingDocument) return settings;
  const standard = livingDocument({}, workspace.commitHooks);
  const autoCommit = await canBeCommitted(project, standard.path);
  return { ...settings, livingDocument: { ...standard, autoCommit } };
}

/** Whether git has a place for the file. Nobody asked for it, so it must stand in nobody's way where git does not. */
async function canBeCommitted(folder: string, path: string): Promise<boolean> {
  const NOT_IGNORED = 1;
  return (await tryGit(folder, ["check-ignore", "--quiet", "--", path])).code === NOT_IGNORED;
}
