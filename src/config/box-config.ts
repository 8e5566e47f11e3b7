import type { Place } from "./error.ts";

export type EngineName = "docker" | "podman" | "bwrap";

/** What can be reached from inside. `api`: the model alone, through a proxy of Baton's that has the key. */
export type BoxNetwork =
  | { kind: "none" | "api" | "bridge" | "host" }
  /** `hosts`: these too, by name; `*.` before one stands for all below it. */
  | { kind: "allow"; hosts: readonly string[] };

interface BoxVolume {
  /** A folder or file of this machine, absolute, or the name of a volume of the engine. */
  source: string;
  /** Absolute, inside. */
  target: string;
  readOnly: boolean;
}

export interface BoxPort {
  /** Of this machine; without an address, the loopback's. */
  address: string;
  outside: number;
  inside: number;
}

/** Keys of `docker`: the program of the agent, and all that it starts, runs in a container. */
export interface BoxConfig {
  /** Where it is left out, the first that works here. */
  engine?: EngineName;
  image?: string;
  network: BoxNetwork;
  /** Of `workspace.setup_command`. */
  setupNetwork: "none" | "bridge" | "host";
  /** In bytes. */
  memory?: number;
  cpus?: number;
  cpuShares?: number;
  cpuPeriod?: number;
  cpuQuota?: number;
  pidsLimit?: number;
  /** As `uid` or `uid:gid`. */
  user?: string;
  volumes: readonly BoxVolume[];
  ports: readonly BoxPort[];
  env: Record<string, string>;
  /** Absolute, each with the engine's own options behind a colon. */
  tmpfs: readonly string[];
  labels: Record<string, string>;
  workspaceMode: "rw" | "ro";
}

/** Where its keys are written, for what shows to be wrong only when the engine is tried. */
export type BoxPlaces = Readonly<Partial<Record<BoxKey, Place>>>;

type BoxKey =
  | "enabled"
  | "engine"
  | "image"
  | "memory"
  | "cpus"
  | "cpu_shares"
  | "cpu_period"
  | "cpu_quota"
  | "pids_limit"
  | "user"
  | "volumes"
  | "ports"
  | "tmpfs"
  | "labels"
  | "network";
