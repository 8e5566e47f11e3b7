import { setTimeout as sleep } from "node:timers/promises";
import type { JournalEvent } from "../src/job/events.ts";
import { Baton } from "./baton.ts";
import { type Finding, type JobReport, judgeFiles, type Kill, lost, lostOfKnown } from "./judge.ts";
import {
  deliveredFiles,
  filesIn,
  halfDocuments,
  leftovers,
  readStore,
  scratchLeft,
  workFolder,
} from "./look.ts";
import { isOver, type Phase, phaseAtDeath } from "./phase.ts";
import type { Durations, JobPlan, PlannedKill, Victim } from "./plan.ts";
import { kill } from "./processes.ts";
import type { Project } from "./project.ts";

/** How long what ran for a job may outlive its owner. */
const ORPHAN_MS = 3_000;
/** How long Baton may be without a guard when that was killed. */
const GUARD_MS = 2_000;
/** In the others nothing runs that a guard would have to end. */
const HAVE_AGENTS: ReadonlySet<Phase> = new Set(["set-up", "working", "handing off"]);
/** How long a git command takes that writes a large file. */
const GIT_MS = 40;
const TOOL_MS = 1_000;
const LOOK_MS = 10;
const PATIENCE_MS = { scripted: 60_000, real: 150_000 };
const MORE_RESUMES = 4;

export interface Campaign {
  durations: Durations;
  /** One of the kills that are still wanted. False where there are none. */
  take(): boolean;
  /** It came too late. */
  giveBack(): void;
  struck(): void;
  signal: AbortSignal;
}

/** Runs a job to its end, through the kills of its plan, and tells what came of them. */
export async function runJob(project: Project, plan: JobPlan, campaign: Campaign): Promise<JobReport> {
  return new JobUnderFire(project, plan, campaign).run();
}

class JobUnderFire {
  readonly #project: Project;
  readonly #plan: JobPlan;
  readonly #campaign: Campaign;
  readonly #kills: Kill[] = [];
  readonly #findings: Finding[] = [];
  readonly #planned: PlannedKill[];
  #events: JournalEvent[] = [];
  #resumes = 0;
  #missed = 0;

  constructor(project: Project, plan: JobPlan, campaign: Campaign) {
    this.#project = project;
    this.#plan = plan;
    this.#campaign = campaign;
    this.#planned = [...plan.kills];
  }

  async run(): Promise<JobReport> {
    const { index, workspace, agent, kills } = this.#plan;
    let current: Baton | undefined;
    this.#project.onGit((call) => current?.calledGit(call));
    let args = ["run", "coder", "Do the steps.", "--json"];
    while (!this.#campaign.signal.aborted) {
      current = this.#start(args);
      const wasKilled = await this.#fireAt(current);
      await this.#settle(current, wasKilled);
      if (isOver(this.#events) || this.#resumes >= kills.length + MORE_RESUMES) break;
      const job = this.#events[0]?.job;
      if (job === undefined) break;
      if (this.#plan.keepsHouse[this.#resumes]) await this.#keepHouse();
      if (isOver(this.#events)) break;
      this.#resumes++;
      args = ["resume", job, "--json"];
    }
    const completed = isOver(this.#events);
    if (completed) await this.#judge();
    return {
      index,
      workspace,
      agent,
      kills: this.#kills,
      completed,
      missed: this.#missed + this.#planned.length,
      resumes: this.#resumes,
      findings: this.#findings,
    };
  }

  #start(args: string[]): Baton {
    this.#project.model.speak();
    const { durations } = this.#campaign;
    const before = phaseAtDeath(this.#events, false);
    return new Baton(this.#project, args, before, (phase, ms) =>
      durations.learn(this.#plan.agent, phase, ms),
    );
  }

  /** True when one of the kills ended Baton. */
  async #fireAt(baton: Baton): Promise<boolean> {
    const { agent } = this.#plan;
    const { durations, signal } = this.#campaign;
    const stop = () => kill(baton.pid);
    signal.addEventListener("abort", stop, { once: true });
    const hung = setTimeout(() => {
      this.#note(
        "stumbles",
        `baton had not ended after ${PATIENCE_MS[agent] / 1000} s, while ${baton.phase}`,
      );
      stop();
    }, PATIENCE_MS[agent]);
    let lastStrike = 0;
    try {
      for (;;) {
        const [next] = this.#planned;
        if (!next || !(await baton.reaches(next.phase))) break;
        if (next.aim === "git") {
          await baton.callsGit();
          await sleep(next.offset * GIT_MS);
        } else {
          const into = next.offset * durations.of(agent, next.phase);
          await sleep(Math.max(0, Math.max(baton.phaseBegan, lastStrike) + into - performance.now()));
        }
        if (baton.hasEnded || !this.#campaign.take()) break;
        this.#planned.shift();
        if (await this.#strike(baton, next)) return true;
        lastStrike = performance.now();
      }
      await baton.exit;
      return false;
    } finally {
      clearTimeout(hung);
      signal.removeEventListener("abort", stop);
    }
  }

  /** True when that ended Baton. */
  async #strike(baton: Baton, { victim, phase }: PlannedKill): Promise<boolean> {
    if (victim !== "tool shell") this.#project.model.silence();
    const struck = await this.#kill(baton, victim);
    if (struck === "baton" || struck === "all at once") {
      await baton.exit;
      this.#events = readStore(this.#project).events;
      if (isOver(this.#events)) {
        this.#miss();
        return true;
      }
      this.#add({ victim: struck, phase: phaseAtDeath(this.#events, baton.hasPushed), seq: this.#lastSeq() });
      return true;
    }
    if (struck === undefined) {
      this.#project.model.speak();
      this.#miss();
      return false;
    }
    const seq = baton.events.at(-1)?.seq ?? 0;
    this.#add({ victim: struck, phase: baton.phase ?? phase, seq });
    if (struck === "guard" && HAVE_AGENTS.has(baton.phase ?? phase)) await this.#guardBack(baton);
    this.#project.model.speak();
    return false;
  }

  async #kill(baton: Baton, victim: Victim): Promise<Victim | undefined> {
    const { household, remote } = this.#project;
    switch (victim) {
      case "baton":
        return kill(baton.pid) ? "baton" : undefined;
      case "all at once": {
        // What git runs for Baton dies in the same moment, whatever it holds.
        if (!kill(-baton.pid)) return undefined;
        for (let round = 0; round < 50; round++) {
          const { marked, guards } = await household.look();
          // A remote is another machine: its own end of a push lives on.
          const left = [...marked, ...guards].filter(({ folder }) => folder !== remote);
          if (left.length === 0) break;
          for (const { pid } of left) kill(pid);
        }
        return victim;
      }
      case "guard": {
        const [guard] = (await household.look()).guards.filter(({ parent }) => parent === baton.pid);
        return guard && kill(guard.pid) ? victim : undefined;
      }
      case "agent": {
        const { marked } = await household.look();
        const agents = marked.filter(({ parent, session }) => parent === baton.pid && session !== undefined);
        for (const { pid } of agents) if (kill(pid)) return victim;
        return kill(baton.pid) ? "baton" : undefined;
      }
      case "tool shell": {
        const deadline = Date.now() + TOOL_MS;
        while (!baton.hasEnded && Date.now() < deadline) {
          const { marked } = await household.look();
          const agents = marked.filter(
            ({ parent, session }) => parent === baton.pid && session !== undefined,
          );
          const shell = marked.find(({ parent }) => agents.some(({ pid }) => pid === parent));
          if (shell && kill(shell.pid)) return victim;
          await sleep(LOOK_MS);
        }
        return undefined;
      }
    }
  }

  async #guardBack(baton: Baton): Promise<void> {
    const deadline = Date.now() + GUARD_MS;
    while (!baton.hasEnded && Date.now() < deadline) {
      const { guards } = await this.#project.household.look();
      if (guards.some(({ parent }) => parent === baton.pid)) return;
      await sleep(LOOK_MS);
    }
    if (!baton.hasEnded) this.#note("stumbles", `Baton had no guard again within ${GUARD_MS / 1000} s`);
  }

  /** What must hold between the end of one Baton and the start of the next. */
  async #settle(baton: Baton, wasKilled: boolean): Promise<void> {
    const left = await this.#project.household.gone(ORPHAN_MS);
    for (const { command } of left) this.#note("orphans", command.slice(0, 100));
    const { integrity, events } = readStore(this.#project);
    this.#events = events;
    if (integrity !== "ok") this.#note("broken stores", integrity);
    for (const name of await halfDocuments(this.#project, events)) this.#note("half documents", name);
    const folder = workFolder(this.#project, events);
    if (folder !== undefined && !isOver(events)) {
      const phase = this.#lastPhase();
      const missing = lostOfKnown(events, await filesIn(folder));
      this.#findings.push(...missing.map((step) => lost(step, phase)));
    }
    if (wasKilled || isOver(events) || this.#campaign.signal.aborted) return;
    const end = events.findLast(({ type }) => type === "job:failed" || type === "job:paused");
    const why = end?.type === "job:failed" ? end.error : end?.type === "job:paused" ? end.message : "";
    const { code, signal } = await baton.exit;
    this.#note("stumbles", `baton ended with ${signal ?? code}: ${why || baton.output.slice(-300)}`);
  }

  async #keepHouse(): Promise<void> {
    const house = new Baton(this.#project, ["maintain"], "set-up");
    await house.exit;
    this.#events = readStore(this.#project).events;
  }

  async #judge(): Promise<void> {
    const files = await deliveredFiles(this.#project, this.#events);
    this.#findings.push(...judgeFiles(this.#events, files, this.#kills));
    await this.#keepHouse();
    for (const left of await this.#project.household.gone(ORPHAN_MS)) {
      this.#note("orphans", `at the end: ${left.command.slice(0, 100)}`);
    }
    for (const what of await leftovers(this.#project)) this.#note("leftovers", what);
    for (const what of await scratchLeft(this.#project)) this.#note("scratch", what);
  }

  #miss(): void {
    this.#missed++;
    this.#campaign.giveBack();
  }

  #add(struck: Kill): void {
    this.#kills.push(struck);
    this.#campaign.struck();
  }

  #note(kind: Finding["kind"], what: string): void {
    this.#findings.push({ kind, phase: this.#lastPhase(), what });
  }

  #lastPhase(): Phase {
    return this.#kills.at(-1)?.phase ?? "working";
  }

  #lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0;
  }
}
