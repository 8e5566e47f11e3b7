import type { Agent } from "../../agents/agent.ts";
import type { FactCollector } from "../../handoff/collect.ts";
import type { JobEvent } from "../../job/events.ts";
import type { Job } from "../../job/job.ts";
import type { Redact } from "../../secrets/redact.ts";
import type { JobHooks } from "./job-hooks.ts";
import type { Sessions } from "./job-sessions.ts";
import type { Leg } from "./leg.ts";
import type { LiveSession } from "./live-session.ts";
import type { JobSetting } from "./spec.ts";

/** What the parts of a running job share. */
export interface JobContext extends JobSetting {
  agent: Agent;
  sessions: Sessions;
  facts: FactCollector;
  job: () => Job;
  append: (event: JobEvent) => void;
  record: (event: JobEvent) => Promise<void>;
  hooks: JobHooks;
  redact: Redact;
  now: () => Date;
  /** A person takes part in the job, and decides where otherwise a rule would. */
  isAttended: boolean;
  /** Aborted to end the job. */
  signal: AbortSignal;
  /** `continues`: the session began from a handoff. */
  newLeg: (live: LiveSession, continues: boolean) => Leg;
}
