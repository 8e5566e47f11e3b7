/** Baton as a library: `docs/embedding.md`. */
export type { Agent, AgentSession, Message, SessionSpec } from "./agents/agent.ts";
export type { AgentEvent, BackgroundTask, ContextUsage, Outcome, TokenUsage } from "./agents/events.ts";
export {
  type Baton,
  type BatonOptions,
  openBaton,
  type RunOptions,
} from "./app/baton.ts";
export type { HandoffAnswer } from "./app/jobs/hand-off.ts";
export type { Maintained } from "./app/jobs/maintain.ts";
export { type MessageView, type Moment, NotToldError } from "./app/jobs/messages.ts";
export type { RunningJob } from "./app/jobs/running-job.ts";
export type { WorktreeView } from "./app/jobs/worktrees.ts";
export { UsageError } from "./app/usage-error.ts";
export { UnknownAgentError } from "./config/agent-named.ts";
export type { Chosen } from "./config/chosen.ts";
export { ConfigError } from "./config/error.ts";
export type { JobEvent, JournalEvent } from "./job/events.ts";
export type { JobStatus } from "./job/job.ts";
export type { Notice } from "./job/notices/notice.ts";
export type { JobView } from "./job/view.ts";
export type { Reach } from "./jobs/notices/notices.ts";
export { agentEnvironment } from "./simulator/environment.ts";
export type { RecordedRequest } from "./simulator/log.ts";
export type { SimulatedRequest } from "./simulator/request.ts";
export type { Fault, Reply, Rule, Scenario, Step, ToolCall } from "./simulator/scenario.ts";
export { type Simulator, startSimulator } from "./simulator/server.ts";
export { JobOwnedError } from "./store/claims.ts";
export { AmbiguousJobError, JobNotFoundError, StoreError } from "./store/errors.ts";
