import type { AgentLayer } from "../keys/agent.ts";
import type { Abilities } from "./abilities.ts";
import type { Refusal } from "./refuse.ts";
import type { Runtime } from "./runtimes.ts";

/** Keys that bubblewrap has nothing for: it shows this machine's own files, and limits nothing. */
const WITHOUT_BWRAP = {
  image: "the programs inside are this machine's own",
  memory: "it cannot limit memory",
  cpus: "it cannot limit processors",
  cpu_shares: "it cannot limit processors",
  cpu_period: "it cannot limit processors",
  cpu_quota: "it cannot limit processors",
  pids_limit: "it cannot limit processes",
  user: "it runs as you",
  ports: "it has no network of its own to lead into",
  labels: "it has no labels",
} as const satisfies Partial<Record<keyof NonNullable<AgentLayer["docker"]>, string>>;

/** What `docker` says that cannot be, whatever engine there is. */
export function boxRefusals(runtime: Runtime, can: Abilities, { docker }: AgentLayer): Refusal[] {
  if (!docker?.enabled) return [];
  const refusal = (key: string, because: string, fix: string): Refusal => ({
    path: ["docker", key],
    because,
    fix,
  });
  if (!can.containers) {
    const because =
      runtime === "acp"
        ? "Baton does not know where this program keeps its sessions, and how it signs in"
        : `runtime ${runtime} cannot run in a container`;
    return [refusal("enabled", because, "set it to false")];
  }
  const refusals: Refusal[] = [];
  if (docker.engine === "bwrap") {
    for (const [key, because] of Object.entries(WITHOUT_BWRAP)) {
      if (!Object.hasOwn(docker, key)) continue;
      const fix = "leave it out, or use engine: podman or docker";
      refusals.push(refusal(key, `engine bwrap: ${because}`, fix));
    }
    if (docker.network?.kind === "bridge") {
      refusals.push(refusal("network", "engine bwrap has no bridge", "use api, { allow: [hosts] } or host"));
    }
    if (docker.volumes?.some(({ isNamed }) => isNamed)) {
      refusals.push(
        refusal("volumes", "engine bwrap has no volumes of its own", "name a folder: ~/.npm:/root/.npm"),
      );
    }
  } else if (docker.engine !== undefined && docker.image === undefined) {
    const fix = "set docker.image; docs/containers.md has a Dockerfile, and engine: bwrap needs none";
    refusals.push(refusal("engine", `${docker.engine} needs an image`, fix));
  }
  const bridged = docker.network?.kind === "bridge";
  if (docker.ports && docker.ports.length > 0 && !bridged && docker.engine !== "bwrap") {
    refusals.push(
      refusal(
        "ports",
        "nothing leads inside without a bridge",
        "set docker.network to bridge, or leave ports out",
      ),
    );
  }
  if (docker.cpus !== undefined && docker.cpu_quota !== undefined) {
    refusals.push(refusal("cpu_quota", "docker.cpus says the same", "leave one of them out"));
  }
  return refusals;
}
