/**
 * Baton as a library. A program that runs a job, shows it as it goes, and prints its result:
 *
 * ```ts
 * import * as baton from "baton";
 *
 * const config = baton.loadConfig("baton.yaml");
 * const agent = baton.agentNamed(config, "coder");
 * await using store = await baton.openStore(".baton/baton.db");
 *
 * const id = await baton.newJob(store, config, agent, "Make the tests pass");
 * const claim = await baton.claimJob(store, id, baton.thisProcess(), new Date());
 * await using journal = new baton.Journal(store, claim, () => new Date());
 * journal.subscribe((event) => console.log(event.type));
 *
 * const ending = new AbortController(); // ending.abort(new baton.JobCancelled("by me")) ends the job
 * const env = baton.ownEnvironment();
 * const job = await baton.runJob({ journal, config: agent, agent: baton.claude, env, signal: ending.signal });
 * console.log(job.status, job.result);
 * ```
 *
 * While it runs, `baton cancel`, `baton handoff` and the like reach it from other processes.
 *
 * The same on a scripted model, with no account and at no cost: start a simulator, and give the agent its environment.
 *
 * ```ts
 * await using simulator = await baton.startSimulator({
 *   name: "hello",
 *   summary: "It looks around and is done.",
 *   steps: [{ call: { tool: "Bash", input: { command: "ls" } } }, { say: "I have seen it." }],
 * });
 * const env = { ...baton.ownEnvironment(), ...baton.agentEnvironment(simulator, "/tmp/claude-home") };
 * ```
 */
export type {
  Agent,
  AgentEvent,
  AgentSession,
  BackgroundTask,
  ContextUsage,
  Message,
  Outcome,
  SessionSpec,
  TokenUsage,
} from "./agents/agent.ts";
export { claude } from "./agents/claude/claude.ts";
export { ownEnvironment } from "./agents/claude/own-environment.ts";
export { agentNamed, UnknownAgentError } from "./config/agent-named.ts";
export type { AgentConfig, Config, McpServer } from "./config/config.ts";
export { ConfigError } from "./config/error.ts";
export { loadConfig } from "./config/load.ts";
export type { JobEvent, JournalEvent } from "./job/events.ts";
export type { HandoffRecord, Job, JobStatus, SessionRecord } from "./job/job.ts";
export { Journal } from "./jobs/journal.ts";
export { newJob } from "./jobs/new-job.ts";
export { JobCancelled, JobInterrupted } from "./jobs/reasons.ts";
export { type RelayOptions, runJob } from "./jobs/run/relay.ts";
export { type Owner, type ProcessIdentity, thisProcess } from "./processes/owner.ts";
export { agentEnvironment } from "./simulator/environment.ts";
export type { RecordedRequest } from "./simulator/log.ts";
export type { SimulatedRequest } from "./simulator/request.ts";
export type { Fault, Reply, Rule, Scenario, Step, ToolCall } from "./simulator/scenario.ts";
export { type Simulator, startSimulator } from "./simulator/server.ts";
export { type Claim, claimJob, JobOwnedError } from "./store/claims.ts";
export { AmbiguousJobError, JobNotFoundError, StoreError } from "./store/errors.ts";
export { FencedError, readEvents } from "./store/events.ts";
export { findJob, listJobs } from "./store/jobs.ts";
export { openStore, openStoreToRead, type Store } from "./store/store.ts";
