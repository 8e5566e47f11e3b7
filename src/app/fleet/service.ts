import { existsSync, lstatSync, mkdirSync, readlinkSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join, resolve } from "node:path";
import { replaceFile } from "../../files/replace.ts";
import { ownProgram } from "../own-program.ts";
import type { Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { FLEET_LABEL, launchdPlist, systemdUnit } from "./service-files.ts";

/** A file by which the system starts the fleet when the user signs in, and again when it dies. */
export interface Service {
  kind: "systemd" | "launchd";
  path: string;
  text: string;
  /** What to type to start it now. */
  start: string;
  /** And to end it. */
  stop: string;
}

interface ServiceOptions {
  env: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  home: string;
}

const HERE: ServiceOptions = { env: process.env, platform: process.platform, home: homedir() };

/** The service that runs the queues of these projects, of all that the user's own file names where there are none. */
export function serviceFor(projects: readonly Project[], options: ServiceOptions = HERE): Service {
  const { env, platform } = options;
  const args = [process.execPath, ownProgram, "start", ...(projects.length === 0 ? ["--all"] : [])];
  const command = [...args, ...projects.flatMap(({ root }) => ["-C", root])];
  const setting = { command, path: env.PATH ?? "/usr/local/bin:/usr/bin:/bin", state: env.XDG_STATE_HOME };
  const path = servicePath(options);
  if (platform === "darwin") {
    return {
      kind: "launchd",
      path,
      text: launchdPlist(setting),
      start: `launchctl bootstrap gui/$(id -u) ${path}`,
      stop: `launchctl bootout gui/$(id -u)/${FLEET_LABEL}`,
    };
  }
  return {
    kind: "systemd",
    path,
    text: systemdUnit(setting),
    start: "systemctl --user daemon-reload && systemctl --user enable --now baton.service",
    stop: "systemctl --user disable --now baton.service",
  };
}

function servicePath({ env, platform, home }: ServiceOptions): string {
  if (platform === "darwin") return join(home, "Library", "LaunchAgents", `${FLEET_LABEL}.plist`);
  if (platform !== "linux") throw new UsageError("A service can be installed on Linux and macOS.");
  const given = env.XDG_CONFIG_HOME ?? "";
  return join(isAbsolute(given) ? given : join(home, ".config"), "systemd", "user", "baton.service");
}

/** Writes it. It starts nothing: the user does, with what it says. */
export async function installService(service: Service): Promise<void> {
  mkdirSync(dirname(service.path), { recursive: true });
  await replaceFile(service.path, service.text, 0o644);
}

/** Says which files went: its own, and the link by which systemd starts it when the user signs in. */
export function uninstallService(options: ServiceOptions = HERE): string[] {
  const path = servicePath(options);
  const enabled = join(dirname(path), "default.target.wants", basename(path));
  const found = [path, enabled].filter((each) => (each === path ? existsSync(each) : leadsTo(each, path)));
  if (found.length === 0) throw new UsageError(`No service is installed: there is no ${path}.`);
  for (const each of found) rmSync(each);
  return found;
}

function leadsTo(link: string, path: string): boolean {
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return isLink && resolve(dirname(link), readlinkSync(link)) === path;
}
