import { installPlugin, uninstallPlugin } from "../../app/plugin/install.ts";
import { print, printJson } from "../../display/print.ts";
import { EXIT } from "../exit.ts";

export interface InstallOptions {
  user?: boolean;
  project?: boolean;
  statusline?: boolean;
  json?: boolean;
}

export async function install(program: string, options: InstallOptions): Promise<number> {
  const { statusline: statusLine = false } = options;
  const done = await installPlugin({ ...options, program }, { statusLine });
  const { settings, changed, gitFile: excluded } = done;
  const where = options.project ? "in this project" : "in all your projects";
  say(options, { settings, changed, ...(excluded && { excluded }) }, [
    changed
      ? `Installed in ${settings}: it applies to sessions that you start from now on, ${where}.`
      : `It is installed in ${settings} already.`,
    ...(excluded ? [`Git ignores that file: ${excluded} lists it now.`] : []),
    "In a session: /baton:status, /baton:handoff, /baton:continue. To remove it: baton uninstall claude-code",
  ]);
  return EXIT.completed;
}

export async function uninstall(program: string, options: InstallOptions): Promise<number> {
  const { settings, changed, records, gitFile: included } = await uninstallPlugin({ ...options, program });
  say(options, { settings, changed, records }, [
    changed ? `Removed from ${settings}.` : `It is not installed in ${settings}.`,
    ...[...(included ? [included] : []), ...records].map((path) => `Removed from ${path} as well.`),
  ]);
  return EXIT.completed;
}

function say({ json }: InstallOptions, value: object, lines: string[]): void {
  if (json) printJson(value);
  else print(lines.join("\n"));
}
