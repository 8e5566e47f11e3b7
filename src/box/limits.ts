import type { BoxConfig, BoxPlaces, EngineName } from "../config/box-config.ts";
import { run } from "../processes/run.ts";
import { BoxError } from "./error.ts";

type Held = "memory" | "cpu" | "pids";

/** Which of the system's controllers holds which limit. */
const HOLDS: readonly { key: keyof BoxPlaces; of: keyof BoxConfig; by: Held }[] = [
  { key: "memory", of: "memory", by: "memory" },
  { key: "cpus", of: "cpus", by: "cpu" },
  { key: "cpu_shares", of: "cpuShares", by: "cpu" },
  { key: "cpu_period", of: "cpuPeriod", by: "cpu" },
  { key: "cpu_quota", of: "cpuQuota", by: "cpu" },
  { key: "pids_limit", of: "pidsLimit", by: "pids" },
];

/** A limit that the engine takes and nobody holds is worse than none: an engine only warns. */
export async function refuseUnheldLimits(
  engine: EngineName,
  config: BoxConfig,
  env: Record<string, string>,
): Promise<void> {
  const asked = HOLDS.filter(({ of }) => config[of] !== undefined);
  if (asked.length === 0 || engine === "bwrap") return;
  const held = await heldBy(engine, env);
  const unheld = asked.find(({ by }) => !held.includes(by));
  if (!unheld) return;
  throw new BoxError(
    `${engine} cannot hold docker.${unheld.key} on this machine, for this user.`,
    "Leave it out, run the engine as root, or boot with cgroups v2 and delegate its controllers to you.",
    unheld.key,
  );
}

async function heldBy(engine: "docker" | "podman", env: Record<string, string>): Promise<Held[]> {
  const { ok, stdout } = await run(engine, ["info", "--format", INFO[engine]], { env });
  return ok ? heldIn(engine, stdout) : [];
}

const INFO = {
  podman: "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}} {{.Host.CgroupControllers}}",
  docker: "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}",
};

/** What the engine says that it can hold. Without a root of its own it holds nothing by the first version of cgroups. */
export function heldIn(engine: "docker" | "podman", said: string): Held[] {
  if (engine === "docker") {
    const kinds: Held[] = ["memory", "cpu", "pids"];
    const told = said.trim().split(" ");
    return kinds.filter((_, index) => told[index] === "true");
  }
  const [rootless, version, ...controllers] = said.trim().split(/[\s[\]]+/);
  if (rootless !== "true") return ["memory", "cpu", "pids"];
  if (version !== "v2") return [];
  return (["memory", "cpu", "pids"] as const).filter((name) => controllers.includes(name));
}
