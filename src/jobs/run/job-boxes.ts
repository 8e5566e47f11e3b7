import type { Box } from "../../box/box.ts";
import { engineFor } from "../../box/engine.ts";
import { BoxError } from "../../box/error.ts";
import { removeBoxesOf } from "../../box/leftovers.ts";
import type { BoxConfig, EngineName } from "../../config/box-config.ts";
import type { ContainerRecord } from "../../job/job.ts";
import { spentBy } from "../../job/limits.ts";
import { type CommandOptions, type CommandRun, runCommand } from "../../processes/command.ts";
import type { Launch } from "../../processes/launch.ts";
import type { Runner } from "../crew/crew.ts";
import type { ClaimedJob } from "./phases.ts";

type Boxed = Pick<ClaimedJob, "journal" | "job" | "append" | "signal">;

/**
 * The containers of a job: one for each of its agents that is to run in one. Each is made when it is first needed, and gone
 * with the job's owner at the latest.
 */
export class JobBoxes implements AsyncDisposable {
  readonly #job: Boxed;
  /** By agent and folder: a hook may run where no session does. */
  readonly #boxes = new Map<string, Promise<Box>>();
  /** The agents whose container is on record. */
  readonly #told = new Set<string>();

  constructor(job: Boxed) {
    this.#job = job;
  }

  /** Undefined where the programs of an agent run on this machine as it is. */
  async open(runner: Runner, folder: string): Promise<Box | undefined> {
    const { box, name } = runner.config;
    if (!box) return undefined;
    const key = JSON.stringify([name, folder]);
    const open = this.#stillOpen(this.#boxes.get(key), () => this.#opened(runner, box, folder));
    this.#boxes.set(key, open);
    open.catch(() => this.#boxes.delete(key));
    return open;
  }

  async #stillOpen(known: Promise<Box> | undefined, make: () => Promise<Box>): Promise<Box> {
    const box = await known;
    if (box && !box.hasEnded) return box;
    await box?.close();
    return make();
  }

  async #opened(runner: Runner, config: BoxConfig, folder: string): Promise<Box> {
    const box = await this.#made(runner, config, folder, config.network);
    const { name: agent } = runner.config;
    if (!this.#told.has(agent)) {
      this.#job.append({ type: "box:opened", agent, container: recorded(box.engine, config) });
    }
    this.#told.add(agent);
    return box;
  }

  /** How the user's commands are started in a folder: inside as well, wherever that folder is. */
  async launchIn(runner: Runner, folder: string): Promise<Launch | undefined> {
    return (await this.open(runner, folder))?.launch;
  }

  /** What prepares a worktree may reach more than the agent: it installs things. */
  async setUp(runner: Runner, options: CommandOptions): Promise<CommandRun> {
    const { box } = runner.config;
    if (!box) return runCommand(options);
    const setting = await this.#made(runner, box, options.cwd, { kind: box.setupNetwork });
    try {
      return await runCommand({ ...options, launch: setting.launch });
    } finally {
      await setting.close();
    }
  }

  /** Nothing of an earlier owner's is left of them. */
  async takeOver({ config, env, standIns }: ClaimedJob): Promise<void> {
    const boxes = [config, ...standIns.map((runner) => runner.config)].map(({ box }) => box);
    const mayBeLeft = boxes.some((box) => box && box.engine !== "bwrap");
    if (mayBeLeft) await removeBoxesOf(this.#job.job().id, env);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const made of this.#boxes.values()) {
      const { planted } = await made.then((box) => box.close());
      for (const path of planted) {
        const message = `${path} was not there before, and could make git read another configuration: look at it, and remove it unless you made it.`;
        this.#job.append({ type: "warning", message });
      }
    }
  }

  async #made(
    { agent, config: { executable, model, prices, handoff, limits, env: ofAgent }, env }: Runner,
    config: BoxConfig,
    cwd: string,
    network: BoxConfig["network"],
  ): Promise<Box> {
    const { job, append, signal, journal } = this.#job;
    if (!agent.boxNeeds) {
      throw new BoxError(
        `${agent.name} cannot run in a container.`,
        "Set docker.enabled to false.",
        "enabled",
      );
    }
    const { BATON_JOB_ID: _job, BATON_ATTEMPT: _attempt, BATON_OWNER: _owner, ...outside } = env;
    const { costUsd: spent } = spentBy(job(), journal.now());
    const { openBox } = await import("../../box/box.ts");
    return openBox({
      config,
      engine: await engineFor(config, outside),
      job: job().id,
      project: journal.store.home,
      cwd,
      needs: agent.boxNeeds({
        env,
        cwd,
        prices,
        ...(executable !== undefined && { executable }),
        ...(model !== undefined && { model }),
      }),
      readable: [handoff.dir],
      hidden: [journal.store.home],
      outside,
      named: Object.keys(ofAgent),
      network,
      limitUsd: limits.costUsd === undefined ? undefined : limits.costUsd - spent,
      onDenied: (host) => append({ type: "box:denied", host }),
      signal,
    });
  }
}

function recorded(
  engine: EngineName,
  { image, network, memory, cpus, cpuShares, cpuPeriod, cpuQuota, pidsLimit }: BoxConfig,
): ContainerRecord {
  const keys = {
    memory,
    cpus,
    cpu_shares: cpuShares,
    cpu_period: cpuPeriod,
    cpu_quota: cpuQuota,
    pids_limit: pidsLimit,
  };
  const limits = Object.entries(keys).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  return {
    engine,
    ...(image !== undefined && { image }),
    network,
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}
