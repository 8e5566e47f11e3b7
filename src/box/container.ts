import type { BoxConfig } from "../config/box-config.ts";
import type { Command } from "../processes/launch.ts";
import { type Layout, placesIn } from "./layout.ts";

/** Says that it is there, and ends when nobody holds the other end of its input any more, however that ended. */
const BOUND = "echo ready; exec cat >/dev/null";

export interface ContainerPlan {
  engine: "docker" | "podman";
  image: string;
  name: string;
  /** Of Baton's own, where the engine works: when memory runs out, older programs of podman's leave a file there. */
  folder: string;
  labels: Record<string, string>;
  /** As the engine calls it. */
  network: "none" | "bridge" | "host";
  /** Absent: as the engine does it by itself. */
  user: string | undefined;
  layout: Layout;
  limits: Pick<BoxConfig, "memory" | "cpus" | "cpuShares" | "cpuPeriod" | "cpuQuota" | "pidsLimit">;
  ports: BoxConfig["ports"];
}

/** The arguments of the engine that make a container which lives as long as its standard input. */
export function runArguments(plan: ContainerPlan): string[] {
  const { engine, image, name, labels, network, user, layout, ports } = plan;
  return [
    "run",
    "--rm",
    "--interactive",
    "--init",
    // All that the agent prints would be kept in a file of the engine's otherwise.
    ...["--log-driver", "none"],
    ...["--name", name],
    ...Object.entries(labels).flatMap(([label, value]) => ["--label", `${label}=${value}`]),
    ...["--network", network],
    // It passes variables of proxies on by itself.
    ...(engine === "podman" ? ["--http-proxy=false"] : []),
    "--read-only",
    ...["--cap-drop", "ALL"],
    ...["--security-opt", "no-new-privileges"],
    // To label the user's own files for one container would change them for everybody.
    ...["--security-opt", "label=disable"],
    ...(user === undefined ? [] : ["--user", user]),
    // Who waits in the folder of a job would look like somebody who works there.
    ...["--workdir", "/"],
    ...placesIn(layout).flatMap((place) =>
      place.kind === "memory"
        ? ["--tmpfs", `${place.path}:${place.options || memoryOptions(engine)}`]
        : ["--mount", bindOf(place.mount)],
    ),
    ...limitArguments(plan.limits),
    ...ports.flatMap((port) => ["--publish", `${port.address}:${port.outside}:${port.inside}`]),
    ...["--entrypoint", "/bin/sh"],
    image,
    ...["-c", BOUND],
  ];
}

/** Podman would copy what the folder hides into it. */
function memoryOptions(engine: ContainerPlan["engine"]): string {
  const options = "rw,exec,nosuid,nodev,mode=1777";
  return engine === "podman" ? `${options},notmpcopyup` : options;
}

/** The engines read it as a line of CSV, because paths may hold commas. A name alone is a volume of the engine's. */
function bindOf({ source, target, readOnly }: { source: string; target: string; readOnly: boolean }): string {
  const type = source.startsWith("/") ? "bind" : "volume";
  const fields = [`type=${type}`, `source=${source}`, `target=${target}`, ...(readOnly ? ["readonly"] : [])];
  return fields.map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(",");
}

function limitArguments({
  memory,
  cpus,
  cpuShares,
  cpuPeriod,
  cpuQuota,
  pidsLimit,
}: ContainerPlan["limits"]): string[] {
  const given = (flag: string, value: number | undefined) =>
    value === undefined ? [] : [flag, String(value)];
  return [
    ...given("--memory", memory),
    // Without it, as much again may be taken from the disk.
    ...given("--memory-swap", memory),
    ...given("--cpus", cpus),
    ...given("--cpu-shares", cpuShares),
    ...given("--cpu-period", cpuPeriod),
    ...given("--cpu-quota", cpuQuota),
    ...given("--pids-limit", pidsLimit),
  ];
}

/** What the engine's own program needs of these names is not what the agent gets by them. */
const OF_THE_ENGINE = /^(?:HOME|PATH|TMPDIR|XDG_\w+|DOCKER_\w+|CONTAINER\w*|LD_\w+)$/;

/**
 * A command in a container that runs. Values travel in the environment of the engine's program, never on its command
 * line; only where a name means something to that program as well, they cannot.
 */
export function execCommand(
  { engine, name, folder }: Pick<ContainerPlan, "engine" | "name" | "folder">,
  { command, args, cwd, env }: Command,
  outside: Record<string, string>,
): Command {
  const variables = Object.entries(env).flatMap(([variable, value]) => [
    "--env",
    OF_THE_ENGINE.test(variable) ? `${variable}=${value}` : variable,
  ]);
  const passed = Object.entries(env).filter(([variable]) => !OF_THE_ENGINE.test(variable));
  return {
    command: engine,
    args: ["exec", "--interactive", "--workdir", cwd, ...variables, name, command, ...args],
    cwd: folder,
    env: { ...outside, ...Object.fromEntries(passed) },
  };
}
