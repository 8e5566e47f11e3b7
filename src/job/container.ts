import { counted, size } from "../util/figures.ts";
import { oneLine } from "../util/printable.ts";
import type { ContainerRecord, Job } from "./job.ts";

/** What it is, what can be reached from it, and what it may take. */
export function containerInWords({ engine, image, network, limits = {} }: ContainerRecord): string {
  const reaches = network.kind === "allow" ? `allows ${network.hosts.join(", ")}` : network.kind;
  const held = Object.entries(limits).map(
    ([key, value]) => `${key} ${key === "memory" ? size(value) : value}`,
  );
  const what = [engine, ...(image === undefined ? [] : [image])].join(" ");
  return oneLine([what, `network ${reaches}`, ...held].join(", "));
}

/** How many hosts it tried to reach in vain. Empty where there was none. */
export function deniedHostsInWords({ deniedHosts = 0 }: Pick<Job, "deniedHosts">): string {
  return deniedHosts === 0 ? "" : `${counted(deniedHosts, "host")} denied`;
}

/** As `--json` shows it, by the keys of `docker`. */
export function containerView({ engine, image, network, limits }: ContainerRecord, deniedHosts = 0) {
  return {
    engine,
    ...(image !== undefined && { image }),
    network: network.kind === "allow" ? { allow: network.hosts } : network.kind,
    ...limits,
    deniedHosts,
  };
}
