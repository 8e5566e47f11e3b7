import { existsSync, statSync } from "node:fs";
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

/** What a supervisor's projects have in place of, or beside, a baton.yaml; in the home folder for all of them. */
export function supervisorConfigPath(folder: string = homedir()): string {
  return join(folder, ".supervisor-specific", "handoff-config.yaml");
}

/**
 * The configuration file that holds for a folder: its own, or that of its nearest parent, as far as `searched` goes. A
 * file can name programs to run, so one that a stranger left in a shared folder such as /tmp must not be found.
 */
export function findConfig(startDir: string, home: string = homedir()): string | undefined {
  for (const folder of searched(startDir, home)) {
    for (const name of NAMES) {
      const path = join(folder, name);
      if (existsSync(path)) return path;
    }
  }
  return undefined;
}

/**
 * Where something of a folder's project may lie: in the folder, and from there upwards to the root of the git repository,
 * or outside of one to the home folder; elsewhere only in the folder itself. A folder above it that others can write to
 * ends the search: whatever lies there, or anywhere above, may be theirs.
 */
export function searched(startDir: string, home: string = homedir()): string[] {
  const start = resolve(startDir);
  const upwards = [start];
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder))
    upwards.push(dirname(folder));
  const repository = upwards.findIndex((folder) => existsSync(join(folder, ".git")));
  const last = repository >= 0 ? repository : upwards.indexOf(home);
  const within = upwards.slice(0, Math.max(last, 0) + 1);
  const shared = within.findIndex((folder, index) => isShared(folder, index === 0));
  return shared < 0 ? within : within.slice(0, shared);
}

const WRITABLE_BY_ALL = 0o002;
const STICKY = 0o1000;

/**
 * Belongs to somebody else than this user or the system, or can be written by anybody. The folder that the user is in may
 * be open to all, as every folder is on some mounts, unless it is made for all to share, as /tmp is.
 */
function isShared(folder: string, isStart: boolean): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return !isStart;
  const own = process.getuid?.();
  if (own !== undefined && found.uid !== own && found.uid !== 0) return true;
  const isOpen = (found.mode & WRITABLE_BY_ALL) !== 0;
  return isOpen && (!isStart || (found.mode & STICKY) !== 0);
}
