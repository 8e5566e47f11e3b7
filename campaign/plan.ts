import { PHASES, type Phase } from "./phase.ts";
import { pick, type Random, randomFrom } from "./random.ts";

export const VICTIMS = ["baton", "agent", "guard", "tool shell", "all at once"] as const;
export type Victim = (typeof VICTIMS)[number];
export type AgentKind = "scripted" | "real";
export type WorkspaceKind = "static" | "git_worktree";

/** What a kill is timed by: its phase, or the next git command that writes within it. */
type Aim = "phase" | "git";

/** `offset`: how far into the phase or the command, as a share of how long that takes. */
export interface PlannedKill {
  phase: Phase;
  victim: Victim;
  aim: Aim;
  offset: number;
}

export interface JobPlan {
  index: number;
  workspace: WorkspaceKind;
  agent: AgentKind;
  kills: PlannedKill[];
  /** After which kills the user keeps house before resuming. */
  keepsHouse: boolean[];
}

export interface PlanOptions {
  seed: number;
  /** Of the jobs, how many run the real Claude Code. */
  realShare: number;
  victims: readonly Victim[];
}

const WORKSPACES: Record<WorkspaceKind, number> = { static: 2, git_worktree: 3 };
const KILLS_A_JOB = { "2": 2, "3": 3, "4": 2 };

const PHASES_OF: Record<WorkspaceKind, Partial<Record<Phase, number>>> = {
  static: { "set-up": 3, working: 4, "handing off": 4, closing: 1 },
  git_worktree: { "set-up": 3, working: 2, "handing off": 2, closing: 3, pushing: 4, removing: 4 },
};

const VICTIMS_IN: Record<Phase, Partial<Record<Victim, number>>> = {
  "set-up": { baton: 4, agent: 1, guard: 1, "all at once": 3 },
  working: { baton: 3, agent: 3, guard: 2, "tool shell": 4, "all at once": 3 },
  "handing off": { baton: 4, agent: 3, guard: 1, "all at once": 3 },
  closing: { baton: 4, guard: 1, "all at once": 4 },
  pushing: { baton: 4, guard: 1, "all at once": 4 },
  removing: { baton: 4, guard: 1, "all at once": 4 },
};

/** Beside 1 for the phase. A push is a phase of its own, and few git commands run while a session hands off. */
const AIMED_AT_GIT: Record<Phase, number> = {
  "set-up": 1,
  working: 1,
  "handing off": 0.3,
  closing: 2,
  pushing: 0,
  removing: 1,
};

/** What is done to the job with this number: the same for the same seed, whatever happens to the others. */
export function planOf(index: number, { seed, realShare, victims }: PlanOptions): JobPlan {
  const random = randomFrom(seed, index);
  const workspace = pick(random, WORKSPACES);
  const agent = pick(random, { real: realShare, scripted: 1 - realShare });
  const count = Number(pick(random, KILLS_A_JOB));
  const kills = Array.from({ length: count }, () => plannedKill(random, workspace, victims));
  kills.sort((a, b) => PHASES.indexOf(a.phase) - PHASES.indexOf(b.phase));
  return { index, workspace, agent, kills, keepsHouse: kills.map(() => random() < 0.25) };
}

function plannedKill(random: Random, workspace: WorkspaceKind, victims: readonly Victim[]): PlannedKill {
  const phase = pick(random, PHASES_OF[workspace]);
  const wanted = Object.entries(VICTIMS_IN[phase]).filter(([victim]) => victims.includes(victim as Victim));
  const victim = wanted.length > 0 ? pick<Victim>(random, Object.fromEntries(wanted)) : "baton";
  const aim = pick<Aim>(random, { phase: 1, git: workspace === "git_worktree" ? AIMED_AT_GIT[phase] : 0 });
  return { phase, victim, aim, offset: random() };
}

const FIRST_GUESS_MS: Record<Phase, number> = {
  "set-up": 200,
  working: 800,
  "handing off": 250,
  closing: 60,
  pushing: 30,
  removing: 60,
};
const REMEMBERED = 9;

/** How long each phase takes, learned from those that came to their end undisturbed. */
export class Durations {
  readonly #known = new Map<string, number[]>();

  learn(agent: AgentKind, phase: Phase, ms: number): void {
    const key = `${agent} ${phase}`;
    this.#known.set(key, [...(this.#known.get(key) ?? []), ms].slice(-REMEMBERED));
  }

  /** The median of the last ones: a kill later than that would often come too late. */
  of(agent: AgentKind, phase: Phase): number {
    const known = [...(this.#known.get(`${agent} ${phase}`) ?? [])].sort((a, b) => a - b);
    return known[Math.floor(known.length / 2)] ?? FIRST_GUESS_MS[phase];
  }
}
