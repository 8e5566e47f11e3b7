import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

const NAMES = ["baton.yaml", "baton.yml"];

/** Where a user can set what holds for all projects. */
export function userConfigPath(
  env: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  const given = env.XDG_CONFIG_HOME ?? "";
  return join(isAbsolute(given) ? given : join(home, ".config"), "baton", "config.yaml");
}

/**
 * The configuration file that holds for a folder: its own, or that of its nearest parent. The search ends at the
 * root of the git repository, or outside of one at the home folder; elsewhere only the folder itself counts. A
 * file can name programs to run, so one that a stranger left in a shared folder such as /tmp must not be found.
 */
export function findConfig(startDir: string, home: string = homedir()): string | undefined {
  for (const folder of searched(resolve(startDir), home)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

function searched(start: string, home: string): string[] {
  const upwards = [start];
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder))
    upwards.push(dirname(folder));
  const repository = upwards.findIndex((folder) => existsSync(join(folder, ".git")));
  const last = repository >= 0 ? repository : upwards.indexOf(home);
  return upwards.slice(0, Math.max(last, 0) + 1);
}
