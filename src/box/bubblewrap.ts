import { existsSync } from "node:fs";
import type { Command } from "../processes/launch.ts";
import { type Layout, placesIn } from "./layout.ts";

/** Where the programs of a machine are. Nothing of its users is below them. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc", "/opt", "/nix", "/gnu"];
/** Of the system, and nobody's business inside. */
const HIDDEN = ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"];
/** To which a name server may be linked. */
const NAME_SERVERS = "/run/systemd/resolve";

export interface BubblewrapPlan {
  /** Whether it has the network of this machine. */
  network: "none" | "host";
  layout: Layout;
}

/** A command with this machine's programs, read-only, what the layout names, and nothing else of the machine. */
export function bubblewrapCommand(plan: BubblewrapPlan, { command, args, cwd, env }: Command): Command {
  return {
    command: "bwrap",
    args: [
      ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
      ...(plan.network === "none" ? ["--unshare-net"] : []),
      // All that runs inside ends with it, in whatever session it is.
      "--die-with-parent",
      ...["--cap-drop", "ALL"],
      ...SYSTEM.flatMap((path) => ["--ro-bind-try", path, path]),
      ...HIDDEN.filter(existsSync).flatMap((path) => ["--ro-bind", "/dev/null", path]),
      ...["--dev", "/dev"],
      ...["--proc", "/proc"],
      ...["--tmpfs", "/run", "--tmpfs", "/var", "--dir", "/var/tmp"],
      ...(plan.network === "host" ? ["--ro-bind-try", NAME_SERVERS, NAME_SERVERS] : []),
      ...placesIn(plan.layout).flatMap((place) =>
        place.kind === "memory"
          ? ["--tmpfs", place.path]
          : [place.mount.readOnly ? "--ro-bind" : "--bind", place.mount.source, place.mount.target],
      ),
      ...["--chdir", cwd],
      ...["--", command, ...args],
    ],
    cwd: "/",
    env,
  };
}
