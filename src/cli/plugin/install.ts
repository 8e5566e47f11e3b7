import { installPlugin, uninstallPlugin } from "../../app/plugin/install.ts";
import { printJson, printWords } from "../../display/print.ts";
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
  const { settings, changed, shortNames, gitFile: excluded } = done;
  const where = options.project ? "in this project" : "in all your projects";
  const short = shortNames.filter(({ taken }) => taken === undefined);
  const full = ["/baton:handoff", "/baton:continue"];
  const names = [...full.map((name) => short.find(({ command }) => command === name)?.name ?? name)];
  say(
    options,
    { settings, changed, commands: short.map(({ name }) => name), ...(excluded && { excluded }) },
    [
      changed
        ? `Installed in ${settings}: it applies to sessions that you start from now on, ${where}.`
        : `It is already installed in ${settings}.`,
      ...(excluded ? [`Git now ignores that file: it is listed in ${excluded}.`] : []),
      ...shortNames.flatMap(({ name, command, taken }) =>
        taken === undefined
          ? []
          : [`${taken} already has the name ${name}, so Baton's command is ${command}.`],
      ),
      `In a session: ${[...names, "/baton:status", "/baton:cancel"].join(", ")}. To remove it: baton uninstall claude-code`,
    ],
  );
  return EXIT.completed;
}

export async function uninstall(program: string, options: InstallOptions): Promise<number> {
  const removed = await uninstallPlugin({ ...options, program });
  const { settings, changed, records, links, gitFile: included } = removed;
  say(options, { settings, changed, records, commands: links }, [
    changed ? `Removed from ${settings}.` : `It is not installed in ${settings}.`,
    ...[...(included ? [included] : []), ...records].map((path) => `Removed from ${path} as well.`),
    ...links.map((path) => `Removed ${path}.`),
  ]);
  return EXIT.completed;
}

function say({ json }: InstallOptions, value: object, lines: string[]): void {
  if (json) printJson(value);
  else printWords(lines.join("\n"));
}
