import type { Agent } from "../../agents/agent.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { FactCollector } from "../../handoff/collect.ts";
import type { JobEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Activity } from "../../processes/activity.ts";
import type { Mark } from "../../processes/marks.ts";
import type { Redact } from "../../secrets/redact.ts";
import type { Workspace, WorkspaceStrategy } from "../../workspace/workspace.ts";
import type { SharedLimits } from "../account-limits.ts";
import type { Asks } from "../asks/asks.ts";
import type { capReached } from "../caps.ts";
import type { Crew, Runner } from "../crew/crew.ts";
import type { JobHooks } from "../hooks/job-hooks.ts";
import type { Journal } from "../journal.ts";
import type { MessageQueue } from "../messages/queue.ts";
import type { JobBoxes } from "./job-boxes.ts";
import type { Sessions } from "./job-sessions.ts";
import type { Leg } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";
import type { JobSetting } from "./spec.ts";
import type { ItemHands } from "./workspaces.ts";

/** What there is of a job in every phase. */
interface OwnedJob {
  agent: Agent;
  config: AgentConfig;
  env: Record<string, string>;
  hooks: JobHooks;
  /** As it stands. */
  job: () => Job;
  redact: Redact;
  append: (event: JobEvent) => void;
  record: (event: JobEvent) => Promise<void>;
  /** Aborted to end the job. */
  signal: AbortSignal;
  now: () => Date;
}

/** This process has claimed it. */
export interface ClaimedJob extends OwnedJob {
  /** Who takes over where its own agent cannot work, in this order. */
  standIns: readonly Runner[];
  /** Has any other agent of the configuration ready for it. */
  join?: ((name: string) => Promise<Runner>) | undefined;
  /** From now on these are secrets, too. */
  learnSecrets: (more: Readonly<Record<string, string>>) => void;
  journal: Journal;
  /** Of one that works on an item of a tracker. */
  item: ItemHands | undefined;
  strategy: WorkspaceStrategy;
  /** Where programs of the job run, if not on this machine as it is. */
  boxes: JobBoxes;
}

/** Its workspace is there, and its environment and its hooks know of that. */
export interface SetUpJob extends ClaimedJob {
  workspace: Workspace;
  /** What tells an agent where it is. */
  workspaceEnv: Record<string, string>;
}

/** Its sessions can work: those of one agent, which `config`, `agent` and `env` are of. */
export interface JobAtWork extends OwnedJob, JobSetting {
  /** With all agents that can run it. */
  crew: Crew;
  sessions: Sessions;
  /** Of the account that this agent works for. */
  limits: SharedLimits;
  facts: FactCollector;
  /** What people sent to the job. */
  messages: Pick<
    MessageQueue,
    "isDue" | "look" | "take" | "begin" | "unheard" | "putBack" | "turnTo" | "close"
  >;
  /** What waits for a person's answer. */
  asks: Pick<Asks, "look" | "withdraw">;
  /** A person takes part in the job, and decides where otherwise a rule would. */
  isAttended: boolean;
  /** What the commands that a session has started have done so far, where that can be told. */
  activity: (mark: Mark) => Promise<Activity | undefined>;
  /** Why no model may be asked for anything more, by what all sessions are known to have spent. */
  capReached: () => ReturnType<typeof capReached>;
  /** `continues`: the session began from a handoff. */
  newLeg: (live: LiveSession, continues: boolean) => Leg;
}

/** How far a job has come. Its end finds only what there is by then. */
export type Reached =
  | { phase: "claimed"; job: ClaimedJob }
  | { phase: "set-up"; job: SetUpJob }
  | { phase: "at-work"; job: SetUpJob; work: JobAtWork };
