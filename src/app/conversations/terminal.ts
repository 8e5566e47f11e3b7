import type { TerminalChat } from "../../connectors/terminal/terminal.ts";
import { configOf, type Project } from "../project.ts";

/** What a terminal stands for, where the configuration of a project says that one does: in these channels. */
export async function terminalFor(
  projects: readonly Project[],
): Promise<{ chat: TerminalChat; channels: string[] } | undefined> {
  const configs = await Promise.all(projects.map((project) => configOf(project)));
  const fakes = configs.flatMap(({ agents }) => agents.flatMap(({ chat }) => (chat?.fake ? [chat] : [])));
  if (fakes.length === 0) return undefined;
  const { TerminalChat } = await import("../../connectors/terminal/terminal.ts");
  const channels = fakes.flatMap(({ services }) =>
    services.flatMap((each) => each.channels.map(({ id }) => id)),
  );
  return { chat: new TerminalChat({ name: new Date().toISOString() }), channels: [...new Set(channels)] };
}
