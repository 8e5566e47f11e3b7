import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { BoxConfig, EngineName } from "../config/box-config.ts";
import { scratchFolder } from "../files/scratch.ts";
import { askGit } from "../git/git.ts";
import type { Command, Launch } from "../processes/launch.ts";
import { thisProcess } from "../processes/owner.ts";
import { BoundContainer } from "./bound-container.ts";
import { bubblewrapCommand } from "./bubblewrap.ts";
import { type ContainerPlan, execCommand } from "./container.ts";
import { environmentInside } from "./environment.ts";
import { BoxError } from "./error.ts";
import { plantedIn, real, workspaceMounts } from "./git-mounts.ts";
import { labelsOf } from "./labels.ts";
import { type Layout, type Mount, readable, writable } from "./layout.ts";
import { type BoxNeeds, isDoor, type ToApi } from "./needs.ts";
import { ApiProxy } from "./proxy/api-proxy.ts";
import { PortLead } from "./proxy/lead.ts";
import { NetworkProxy } from "./proxy/network-proxy.ts";
import { API_PORT, NETWORK_PORT, socatArguments, throughProxy, withLeads } from "./ways-inside.ts";

/** Where programs of one job run that are not Baton's own. */
export interface Box {
  readonly engine: EngineName;
  /** Of this box alone, and to be seen inside by the same path, where it can only be read. */
  readonly folder: string;
  readonly launch: Launch;
  /** Where the model is on the loopback inside, and what it asks for, where the program does not sign in by itself. */
  readonly model: ToApi | undefined;
  /** Nothing can be started in it any more: an agent can end its own container. */
  readonly hasEnded: boolean;
  /** Lets a port of this machine's loopback be reached inside. */
  reach(port: number): Promise<void>;
  /** Ends all that runs inside. Says what it found that an agent must have put there for git outside. */
  close(): Promise<{ planted: string[] }>;
}

export interface BoxOptions {
  config: BoxConfig;
  engine: EngineName;
  job: string;
  /** The folder of its project. */
  project: string;
  /** Where its programs work. */
  cwd: string;
  needs: BoxNeeds;
  /** Folders of Baton's that the agent may read. */
  readable: readonly string[];
  /** Folders of Baton's inside the workspace that nobody inside has any business with. */
  hidden: readonly string[];
  /** The environment of Baton itself, and the names of what the user gave the agent of it. */
  outside: Record<string, string>;
  named: readonly string[];
  network: BoxConfig["network"];
  limitUsd: number | undefined;
  onDenied: (host: string) => void;
  signal: AbortSignal;
}

export async function openBox(options: BoxOptions): Promise<Box> {
  const box = new JobBox(options);
  try {
    await box.open();
    return box;
  } catch (error) {
    await box.close();
    throw error;
  }
}

class JobBox implements Box {
  readonly engine: EngineName;
  readonly folder = scratchFolder("box");
  readonly #options: BoxOptions;
  readonly #home: string;
  readonly #leads: PortLead[] = [];
  /** Ports inside, and the sockets that they lead to. */
  readonly #inside = new Map<number, string>();
  #api: ApiProxy | undefined;
  #network: NetworkProxy | undefined;
  #container: BoundContainer | undefined;
  #layout: Layout = { mounts: [], memory: [] };
  #added: Record<string, string> = {};

  constructor(options: BoxOptions) {
    this.engine = options.engine;
    this.#options = options;
    this.#home = options.outside.HOME ?? homedir();
  }

  async open(): Promise<void> {
    const { engine, needs, network } = this.#options;
    const isClosed = network.kind !== "host" && network.kind !== "bridge";
    if (isClosed) await this.#openWays();
    this.#layout = await this.#whatIsInside(isClosed ? [] : needs.signInFiles);
    if (engine !== "bwrap") this.#container = await BoundContainer.start(this.#plan(engine), this.#options);
    await this.#tryProgram();
    const canLead = network.kind === "host" || (await this.#hasSocat());
    if (!canLead) this.#refuseWithoutSocat();
    if (isClosed && canLead) {
      await this.#lead(NETWORK_PORT, join(this.folder, "network.sock"));
      if (this.model) await this.#lead(API_PORT, join(this.folder, "api.sock"));
    }
    this.#added = {
      ...needs.env,
      ...(await identityIn(this.#options.cwd)),
      HOME: this.#home,
      ...(isClosed && canLead && throughProxy(needs.direct)),
      ...(this.#toApi && needs.toApi(this.#toApi)),
    };
  }

  readonly launch: Launch = (command) => {
    const inner: Command = { ...command, env: this.#environment(command.env) };
    if (this.#container) return execCommand(this.#container, inner, this.#options.outside);
    const plan = {
      network: this.#options.network.kind === "host" ? "host" : "none",
      layout: this.#layout,
    } as const;
    return bubblewrapCommand(plan, { ...inner, ...withLeads(inner, this.#inside) });
  };

  get model(): Box["model"] {
    return this.#options.needs.asksModelBy === "port" ? this.#toApi : undefined;
  }

  get #toApi(): ToApi | undefined {
    if (!this.#api) return undefined;
    return { socket: join(this.folder, "api.sock"), port: API_PORT, token: this.#api.token };
  }

  get hasEnded(): boolean {
    return this.#container?.hasEnded ?? false;
  }

  async reach(port: number): Promise<void> {
    if (this.#options.network.kind === "host") return;
    const socket = join(this.folder, `${port}.sock`);
    this.#leads.push(await PortLead.open(port, socket));
    await this.#lead(port, socket);
  }

  async close(): Promise<{ planted: string[] }> {
    await this.#container?.close();
    this.#api?.close();
    this.#network?.close();
    for (const lead of this.#leads) lead.close();
    rmSync(this.folder, { recursive: true, force: true });
    return { planted: plantedIn(this.#layout.mounts) };
  }

  async #whatIsInside(signInFiles: readonly string[]): Promise<Layout> {
    const { config, needs, cwd, readable: shown, hidden } = this.#options;
    const kept = needs.writable.map((each) =>
      typeof each === "string" ? writable(each) : { ...writable(each.path), target: each.inside },
    );
    for (const { source } of kept) mkdirSync(source, { recursive: true, mode: 0o700 });
    for (const folder of shown) mkdirSync(folder, { recursive: true });
    const mounts: Mount[] = [
      ...(await workspaceMounts(cwd, config.workspaceMode)),
      ...shown.map((path) => readable(path)),
      ...[needs.program, ...needs.readable].map((path) => readable(path)),
      ...kept,
      ...signInFiles.map((path) => writable(path)),
      readable(this.folder),
      ...this.#filesToApi(),
      ...config.volumes,
    ];
    return {
      mounts,
      memory: [
        "/tmp",
        this.#home,
        ...needs.memory,
        ...hidden.filter((path) => isBelow(path, cwd)),
        ...config.tmpfs,
      ],
    };
  }

  /** Kept in the box's own folder, so that what is there outside stays as it is. */
  #filesToApi(): Mount[] {
    const files = this.#toApi && this.#options.needs.filesToApi?.(this.#toApi);
    return Object.entries(files ?? {}).map(([target, text], at) => {
      const source = join(this.folder, `given-${at}`);
      writeFileSync(source, text, { mode: 0o600 });
      return { source, target, readOnly: true };
    });
  }

  async #openWays(): Promise<void> {
    const { needs, network, limitUsd, outside, onDenied } = this.#options;
    const allowed = network.kind === "allow" ? network.hosts : [];
    this.#network = await NetworkProxy.open({ socket: join(this.folder, "network.sock"), allowed, onDenied });
    if (network.kind === "none") return;
    if (!isDoor(needs.api)) throw new BoxError(needs.api.problem, needs.api.fix, "network");
    const socket = join(this.folder, "api.sock");
    this.#api = await ApiProxy.open({ socket, door: needs.api, limitUsd, outside });
  }

  #plan(engine: "docker" | "podman"): ContainerPlan {
    const { config, job, project, network } = this.#options;
    const { image } = config;
    if (image === undefined) {
      const fix = "set docker.image; docs/containers.md has a Dockerfile, and engine: bwrap needs none";
      throw new BoxError(`${engine} needs an image.`, fix, "enabled");
    }
    return {
      engine,
      image,
      name: `baton-${job}-${thisProcess().pid}-${Date.now().toString(36)}`,
      folder: this.folder,
      labels: { ...config.labels, ...labelsOf({ job, project, owner: thisProcess() }) },
      network: network.kind === "bridge" || network.kind === "host" ? network.kind : "none",
      user: config.user ?? ownUser(engine),
      layout: this.#layout,
      limits: config,
      ports: config.ports,
    };
  }

  #environment(env: Record<string, string>): Record<string, string> {
    const { config, needs, outside, named } = this.#options;
    // Where the model is reached directly, the program signs in by itself.
    const credentials = this.#api
      ? { named, withheld: needs.credentials }
      : { named: [...named, ...needs.credentials], withheld: [] };
    const { PATH, ...meant } = environmentInside({ env, outside, ...credentials });
    // The programs inside are the image's, and so is the way to them.
    const path = this.#container ? undefined : (PATH ?? outside.PATH);
    return { ...meant, ...config.env, ...this.#added, ...(path !== undefined && { PATH: path }) };
  }

  /** An image may lack what the program is linked with. */
  async #tryProgram(): Promise<void> {
    const { needs, config } = this.#options;
    const tried = await this.#container?.run([needs.program, "--version"]);
    if (!tried || tried.ok) return;
    throw new BoxError(
      `${needs.program} does not run in ${config.image}: ${tried.said}`,
      "Use an image with glibc, such as debian or node: docs/containers.md has a Dockerfile.",
      "image",
    );
  }

  async #hasSocat(): Promise<boolean> {
    if (this.#container) return (await this.#container.run(["sh", "-c", "command -v socat"])).ok;
    const { onPath } = await import("../processes/on-path.ts");
    return onPath("socat", this.#options.outside) !== undefined;
  }

  #refuseWithoutSocat(): void {
    const { engine, network, needs } = this.#options;
    const where = engine === "bwrap" ? "on this machine" : "in the image";
    const open = engine === "bwrap" || needs.asksBaton ? "host" : "bridge";
    const refuse = (what: string) => {
      throw new BoxError(
        `${what}, and it needs socat ${where} for that.`,
        `Install socat ${where}, or set docker.network to ${open}.`,
        "network",
      );
    };
    if (this.model) refuse("This agent has no network, and reaches its model through Baton");
    if (needs.asksBaton) refuse("This agent asks Baton while it works");
    if (network.kind === "allow") refuse("This agent reaches the hosts of docker.network through Baton");
  }

  async #lead(port: number, socket: string): Promise<void> {
    this.#inside.set(port, socket);
    await this.#container?.keep(socatArguments(port, socket));
  }
}

/** Whose commits they are: the user's own configuration is not inside. */
async function identityIn(folder: string): Promise<Record<string, string>> {
  const [name, email] = await Promise.all(
    ["user.name", "user.email"].map((key) => askGit(folder, ["config", key])),
  );
  return {
    ...(name && { GIT_AUTHOR_NAME: name, GIT_COMMITTER_NAME: name }),
    ...(email && { GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_EMAIL: email }),
  };
}

/** Who runs Baton. In an engine of the user's own, root inside is the user outside. */
function ownUser(engine: "docker" | "podman"): string | undefined {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  if (uid === undefined || gid === undefined || (engine === "podman" && uid !== 0)) return undefined;
  return `${uid}:${gid}`;
}

function isBelow(path: string, folder: string): boolean {
  return real(path).startsWith(`${real(folder)}/`);
}
