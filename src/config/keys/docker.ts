import type { BoxNetwork, BoxPort } from "../box-config.ts";
import { DEFAULTS } from "../defaults.ts";
import { absolute } from "../reader/absolute.ts";
import {
  entryOf,
  exampleFix,
  key,
  listOf,
  mapOf,
  markOf,
  type Reader,
  refuse,
  section,
} from "../reader/reader.ts";
import { orVariable, told } from "../reader/schema.ts";
import {
  flag,
  formed,
  number,
  oneOf,
  secretText,
  text,
  type WrittenPath,
  wholeNumber,
} from "../reader/values.ts";

const KINDS = ["none", "api", "bridge", "host"] as const;
const host = formed(
  /^(?:\*\.)?[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$/,
  "the name of a host, with *. before it for all below it",
  "registry.npmjs.org",
);
const plainNetwork = oneOf(...KINDS);
const allowed = section(
  { allow: key(listOf(host, "[registry.npmjs.org]"), "these hosts too") },
  "{ allow: [registry.npmjs.org] }",
);

const network: Reader<BoxNetwork> = {
  expects: `${plainNetwork.expects}, or { allow: [hosts] }`,
  schema: told({ type: "object" }, { ...allowed.schema, required: ["allow"] }, plainNetwork.schema),
  whole: true,
  read(spot, report) {
    if (spot.value.kind !== "map") {
      const kind = plainNetwork.read(spot, report);
      return kind && { kind };
    }
    const hosts = allowed.read(spot, report)?.allow;
    if (hosts !== undefined) return { kind: "allow", hosts };
    if (!entryOf(spot.value, "allow")) {
      report(markOf(spot), `${spot.name} has no allow`, exampleFix(spot, "{ allow: [registry.npmjs.org] }"));
    }
  },
};

const UNITS: Record<string, number> = { b: 1, k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 };
const SIZE = /^(\d+)([bkmg])?$/i;
/** Less than that no engine takes. */
const LEAST_MEMORY = 6 * 2 ** 20;

/** Of memory or of a disk, in bytes. `least` is so in words as well. */
function sized(least: number, words: string): Reader<number> {
  return {
    expects: "a size such as 512m or 2g",
    schema: orVariable({
      type: ["string", "integer"],
      pattern: SIZE.source.replaceAll("bkmg", "bkmgBKMG"),
      examples: ["2g"],
    }),
    read(spot, report) {
      const { value } = spot;
      const [, amount = "", unit = "b"] = SIZE.exec(value.kind === "scalar" ? String(value.value) : "") ?? [];
      const bytes = Number(amount) * (UNITS[unit.toLowerCase()] ?? 1);
      if (amount !== "" && bytes >= least) return bytes;
      return refuse(spot, report, words, exampleFix(spot, "2g"));
    },
  };
}

const memory = sized(LEAST_MEMORY, "a size of 6m or more, such as 512m or 2g");

/** Of what must be free. */
export const room = sized(0, "a size such as 512m or 2g, or 0 for none");

/** `source` is of this machine unless it is only a name, which is a volume of the engine's own. */
export interface WrittenVolume {
  source: WrittenPath;
  isNamed: boolean;
  target: string;
  readOnly: boolean;
}

const volumeText = text("~/.npm:/root/.npm");
const volume: Reader<WrittenVolume> = {
  ...volumeText,
  expects: "host:container, with :ro behind it to read only",
  read(spot, report) {
    const given = volumeText.read(spot, report);
    if (given === undefined) return undefined;
    const [source = "", target = "", mode = "rw", more] = given.split(":");
    const isRight = source !== "" && target.startsWith("/") && /^r[ow]$/.test(mode) && more === undefined;
    if (!isRight) return refuse(spot, report, this.expects, exampleFix(spot, "~/.npm:/root/.npm:ro"));
    const isNamed = /^[A-Za-z0-9][\w.-]*$/.test(source);
    const { file } = spot.value.span;
    const path = isNamed ? source : absolute(source, file);
    const isHidden = spot.value.kind === "scalar" && spot.value.written !== undefined;
    return {
      source: { path, shown: isHidden ? source : path, mark: markOf(spot) },
      isNamed,
      target,
      readOnly: mode === "ro",
    };
  },
};

const portText = { ...text("8080:80"), expects: "host:container, such as 8080:80" };
const port: Reader<BoxPort> = {
  ...portText,
  schema: orVariable({ type: ["string", "integer"], examples: ["8080:80"] }),
  read(spot, report) {
    const { value } = spot;
    const written =
      value.kind === "scalar" ? String(value.written ?? value.source).replace(/^["']|["']$/g, "") : "";
    const [, address, outside = "", inside = outside] =
      /^(?:(\d+\.\d+\.\d+\.\d+):)?(\d{1,5})(?::(\d{1,5}))?$/.exec(written) ?? [];
    const isPort = (given: string) => Number(given) > 0 && Number(given) < 65_536;
    if (!isPort(outside) || !isPort(inside))
      return refuse(spot, report, portText.expects, exampleFix(spot, '"8080:80"'));
    return { address: address ?? "127.0.0.1", outside: Number(outside), inside: Number(inside) };
  },
};

const place = formed(
  /^\/[^:]*(?::[\w=,.]+)?$/,
  "an absolute path, with options behind a colon",
  "/tmp:size=1g",
);
const user = formed(/^\d+(?::\d+)?$/, "a user's number, or user:group", "1000:1000");

/** Keys that its users may have from elsewhere, and that cannot mean here what they mean there. */
const REFUSED: Record<string, string> = {
  max_containers: "leave it out: a job has one container, and fleet.max_concurrent limits jobs",
  host_config: "leave it out: say what you need by the keys of docker, which are checked",
  base_image: "use image",
};

const onlyTrue: Reader<boolean> = {
  ...flag,
  schema: { const: true },
  read(spot, report) {
    const given = flag.read(spot, report);
    if (given !== false) return given;
    const why = "true: a container ends with its job, so that nothing is left running";
    return refuse(spot, report, why, "leave it out; what is to stay goes into volumes");
  },
};

const dockerKeys = {
  enabled: key(flag, "run the agent in a container", DEFAULTS.docker.enabled),
  engine: key(
    oneOf("docker", "podman", "bwrap"),
    "what makes the container; the first of them that works here where it is left out. `bwrap` is bubblewrap: this machine's own programs, read-only, and no image",
  ),
  image: key(text("my-agent:latest"), "what is in the container; needed with docker and podman"),
  network: key(
    network,
    "what can be reached from inside: nothing; `api`: the model alone, by a proxy that has the key; these hosts too; or what the engine's bridge or this machine reaches",
    DEFAULTS.docker.network,
  ),
  setup_network: key(
    oneOf("none", "bridge", "host"),
    "the same for `workspace.setup_command`, which installs things",
    DEFAULTS.docker.setup_network,
  ),
  memory: key(memory, "how much memory all that runs inside may take"),
  cpus: key(number({ above: 0 }, "a number above 0", 2), "how many processors it may use"),
  cpu_shares: key(
    wholeNumber(2, 512),
    "its share of the processors when they are busy; 1024 is the usual one",
  ),
  cpu_period: key(wholeNumber(1000, 100_000), "in microseconds: how long a period of `cpu_quota` is"),
  cpu_quota: key(wholeNumber(1000, 150_000), "in microseconds: how long it may run in each period"),
  pids_limit: key(wholeNumber(1, 500), "how many processes may run inside"),
  user: key(user, "who it is inside; you where it is left out, so that its files are yours"),
  volumes: key(
    listOf(volume, '["~/.npm:/root/.npm"]'),
    "more folders and files of this machine, or volumes of the engine: caches, say. What a project's file names must be in the project",
    [],
  ),
  ports: key(
    listOf(port, '["8080:80"]'),
    "ports of this machine that lead inside; with `network: bridge`, on the loopback unless an address stands before them",
    [],
  ),
  env: key(
    mapOf(secretText, '{ CI: "1" }'),
    "added to the environment inside; nothing of yours is there by itself",
    {},
  ),
  tmpfs: key(listOf(place, "[/scratch]"), "more folders in memory; /tmp and the home folder are", []),
  labels: key(mapOf(text("team-a"), "{ team: a }"), "added to the container", {}),
  workspace_mode: key(
    oneOf("rw", "ro"),
    "whether it may change the job's folder",
    DEFAULTS.docker.workspace_mode,
  ),
  ephemeral: key(onlyTrue, "can only be `true`: a container ends with its job", true),
};

export const docker = section(dockerKeys, "{ enabled: true, image: my-agent:latest }", (key) => REFUSED[key]);
