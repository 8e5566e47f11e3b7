import type { Hours } from "../util/hours.ts";
import type { BoxConfig, BoxPlaces } from "./box-config.ts";
import type { ChatConfig } from "./chat-config.ts";
import type { Chosen } from "./chosen.ts";
import type { Place } from "./error.ts";
import type { HookConfig } from "./hook-config.ts";
import type { CommandLine } from "./keys/command.ts";
import type { Threshold } from "./reader/threshold.ts";
import type { Runtime } from "./runtimes/runtimes.ts";
import type { ActingPart } from "./trust/acting.ts";
import type { AgreedFiles } from "./trust/named-files.ts";
import type { WorkSourceConfig, WrittenSource } from "./work-source.ts";

export interface Config {
  /** The file it was read from; absent when there is none. */
  path?: string;
  /** The folder that the paths in the file are relative to. */
  root: string;
  agents: AgentConfig[];
  maintenance: MaintenanceConfig;
  watch: WatchConfig;
  web: WebConfig;
  webhooks: WebhooksConfig;
  fleet: FleetConfig;
  budgets: BudgetConfig[];
  /** Folders of the projects that the user's own file names. */
  projects: string[];
  /** The trackers that work is taken from. */
  workSources: WrittenSource[];
  /** Paths that the user wrote and that must exist before a job starts. */
  paths: WrittenPath[];
  /** What in the project's files does more than say when and how much. What of it is not trusted is in none of the above. */
  acting: ActingPart[];
  /** Texts of the user's own file that may name files of the project. */
  ownTexts: string[];
  /** What the user chose for the job at hand: it is in every agent, and goes on record with the job. */
  chosen?: Chosen;
  /** What the files say, by agent, where the user chose another model: that is for the agent alone that they start. */
  configuredModels?: Record<string, string | undefined>;
}

export interface WrittenPath {
  agent: string;
  /** `repository`: a folder that must be one, because there is nothing to clone it from. */
  key: "working_directory" | "repository" | "executable" | "template_path" | "dir" | "volume";
  path: string;
  /** For people: without the values of variables. */
  shown: string;
  place: Place;
}

export const PERMISSION_MODES = [
  "default",
  "acceptEdits",
  "bypassPermissions",
  "plan",
  "dontAsk",
  "auto",
] as const;

export type PermissionMode = (typeof PERMISSION_MODES)[number];

/** An agent with every default filled in. `env`, `mcpServers`, `hooks` and `notify` hold secrets. */
export interface AgentConfig {
  name: string;
  runtime: Runtime;
  /** With `acp`, what starts the program. */
  command?: CommandLine;
  /** Whose usage limits it meets, where not by its sign-in. */
  account?: string;
  model?: string;
  systemPrompt?: string;
  permissionMode?: PermissionMode;
  /** What becomes of a call that the rules do not allow. */
  approvals: {
    /** Undefined: `ask` where a person takes part, `deny` elsewhere. */
    prompts?: "deny" | "ask";
    /** How long its program waits for an answer. */
    graceMs: number;
    timeoutMs: number;
    onTimeout: "pause" | "deny";
  };
  allowedTools: string[];
  deniedTools: string[];
  maxTurns?: number;
  mcpServers: Record<string, McpServer>;
  env: Record<string, string>;
  executable?: string;
  /** Tokens; counts only when neither the live program nor the model table knows the window. */
  contextWindow?: number;
  workingDirectory: string;
  /** How `workingDirectory` comes to be a repository, and what is built on in it. */
  repository: {
    /** Where to clone it from when it is not there. */
    cloneFrom?: string;
    cloneDepth?: number;
    defaultBranch?: string;
  };
  workspace: WorkspaceConfig;
  /** Where its program runs in a container. Its `env` holds secrets. */
  box?: BoxConfig;
  boxPlaces?: BoxPlaces;
  /** Where it is written which program it runs on, if it is. */
  programPlace?: Place;
  session: {
    /** `persistent`: the next job of the agent goes on in the last one's session. */
    mode: "fresh" | "persistent";
    /** For how long a session can be continued. */
    timeoutMs: number;
    threshold: Threshold;
    maxHandoffsPerJob: number;
    onLimit: "wait" | "pause" | "switch";
    /** When what waited for a limit is not continued. */
    notAfter?: Hours;
    /** With `switch`: who takes over, by name, in this order. */
    fallback: string[];
    /** The first agent is returned to at a handoff, once it can work again. */
    switchBack: boolean;
    backgroundGraceMs: number;
    stallTimeoutMs: number;
    /** How often a failing API, or an agent that died, is tried again without progress in between. */
    maxRetries: number;
    /** The wait before the first retry; it doubles. */
    retryBackoffMs: number;
    autoCompact: boolean;
  };
  handoff: {
    /** False leaves a full window to the agent's own compaction. */
    enabled: boolean;
    dir: string;
    /** The project's root, where a file of the project names `dir`: no link may lead out of it. */
    within?: string;
    /** Markdown whose headings give the sections of a document and their order. */
    templatePath?: string;
    /** The same for the template. */
    templateWithin?: string;
    /** Per cent of the next window that a document may take. */
    budgetPercent: number;
    /** Whether the next session starts by itself once a handoff is stored. */
    autoContinue: boolean;
    /** How long archived documents are kept. */
    retentionDays: number;
    livingDocument?: LivingDocumentConfig;
    /** Per cents of the window in use, ascending. */
    notifyUserAt: number[];
    timeoutMs: number;
  };
  hooks: {
    beforeRun: HookConfig[];
    afterRun: HookConfig[];
    onError: HookConfig[];
    onSessionStart: HookConfig[];
    /** Where there are any, they stand in place of the built-in handoff. */
    onContextThreshold: HookConfig[];
    onHandoff: HookConfig[];
  };
  notify: {
    events: NotifyEvent[];
    desktop: boolean;
    bell: boolean;
    /** What comes up in them is told afterwards. */
    quietHours?: Hours;
    /** Of `quietHours`; without it, the machine's. */
    timezone?: string;
    hooks: HookConfig[];
  };
  limits: { costUsd?: number; durationMs?: number; turns?: number };
  /** Those of the project that its work counts for. */
  budgets: BudgetConfig[];
  /** How many of its jobs a fleet runs at once. */
  instances: { maxConcurrent: number };
  /** When jobs of it are started by themselves. */
  schedules: ScheduleConfig[];
  /** Where it takes work from, if its schedules do not say so. */
  workSource?: WorkSourceConfig;
  /** Where people talk with it. */
  chat?: ChatConfig;
  /** What a job is asked that a trigger starts without words of its own. */
  defaultPrompt?: string;
  /** US dollars a million tokens, by model, where the list prices do not hold. */
  prices: Record<string, ModelPrices>;
  /** The scripts of the project as somebody agreed to them, for whoever runs one. */
  agreed?: AgreedFiles;
  /** The agents of `session.fallback`, as they run a job of this one, once each was found to be ready. */
  standIns?: readonly AgentConfig[];
  /** Texts that came out of the environment, and what was written for them: on record goes only the latter. */
  fromEnvironment: { value: string; written: string }[];
}

export interface ModelPrices {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
}

export const NOTIFY_EVENTS = [
  "warning",
  "handoff",
  "pause",
  "failure",
  "completion",
  "ask",
  "stall",
  "missed",
  "budget",
  "review",
] as const;

export type NotifyEvent = (typeof NOTIFY_EVENTS)[number];

/** Keys of `workspace`. What concerns branches, commits and pushes is for `git_worktree` only, and a busy folder for `static`. */
export interface WorkspaceConfig {
  strategy: "static" | "git_worktree";
  /** Absolute. */
  worktreeDir: string;
  branchPattern: string;
  fetchBeforeSetup: boolean;
  onBranchConflict: "skip" | "queue" | "suffix";
  onFolderBusy: "warn" | "queue" | "refuse";
  /** Run in a new worktree before the agent starts. */
  setupCommand?: string;
  setupTimeoutMs: number;
  /** How many free ports to reserve. */
  ports: number;
  /** Of the environment variables that tell the agent where it is; without the underscore. */
  envPrefix: string;
  checkpointIntervalMs: number;
  commitMessage: string;
  /** Whether Baton's own commits and pushes run the repository's hooks. */
  commitHooks: boolean;
  pushOnSuccess: boolean;
  onPushFailure: "fail" | "warn" | "retry";
  createPr: boolean;
  /** Patterns of ignored files that go back to the project when the worktree goes. */
  keep: readonly string[];
  cleanupOnFailure: boolean;
}

export interface MaintenanceConfig {
  worktreeCleanup: {
    enabled: boolean;
    intervalMs: number;
    maxWorktreeAgeMs: number;
    maxCheckpointAgeMs: number;
    cleanupOnStartup: boolean;
    pruneUnmergedBranches: boolean;
  };
  sessionCleanup: { enabled: boolean; intervalMs: number };
  /** Without an age no journal is ever compacted. `keep`: of the newest jobs none is. */
  jobCleanup: { maxAgeMs?: number; keep: number };
}

/** When jobs of an agent are started, and what they are asked. */
export interface ScheduleConfig {
  name: string;
  times:
    | { kind: "interval"; everyMs: number }
    | { kind: "cron"; expression: string; timezone?: string }
    | { kind: "webhook" };
  prompt?: string;
  /** It runs once for each item of it. */
  workSource?: WorkSourceConfig;
  enabled: boolean;
  catchUp: "latest" | "skip" | "all";
  /** How old a missed run may be to be made up for. */
  windowMs: number;
  overlap: "queue" | "skip" | "parallel";
  /** The channel that hears what its jobs come to. */
  channel?: string;
}

/** What `baton start` goes by. */
export interface FleetConfig {
  /** How many jobs of this project run at once, where its file says so. */
  maxConcurrent?: number;
  /** How many of all projects together, where the user's own file says so. */
  maxConcurrentOfAll?: number;
  /** In bytes. Nothing starts while there is less. */
  minFreeDisk?: number;
  minFreeMemory?: number;
}

/** Where `baton start` serves the API and the dashboard. */
export interface WebConfig {
  enabled: boolean;
  /** 0: any that is free. */
  port: number;
  host: string;
  allowedHosts: string[];
  tls?: { cert?: string; key?: string };
  /** Other machines may ask without encryption. */
  allowInsecure: boolean;
  sessionExpiryMs: number;
  openBrowser: boolean;
}

/** Who can call schedules of `type: webhook`. */
export interface WebhooksConfig {
  enabled: boolean;
  /** The variable with the secret that callers sign with. */
  secretEnv?: string;
}

/** What may be spent in a time, in all jobs of a project or of several. */
export interface BudgetConfig {
  /** Whose; absent: of all agents together. */
  agent?: string;
  /** Of the user's own file: of all jobs in these folders together. */
  projects?: string[];
  per: "day" | "week" | "month";
  costUsd: number;
  /** Once it is used up. `hold`: nothing more starts. `pause`: nor does anything go on. */
  action: "warn" | "hold" | "pause";
  /** It counts what nobody paid, too. */
  simulated: boolean;
}

/** How `baton watch` watches orchestrators. */
export interface WatchConfig {
  /** Absent: no messages are sent. */
  checkIntervalMs?: number;
  message: string;
  threshold: Threshold;
  /** Whether one keeps a living document where none is configured. */
  livingDocument: boolean;
}

/** One document in the workspace that is kept up to date across many sessions. Paths are relative to it. */
export interface LivingDocumentConfig {
  path: string;
  templatePath: string;
  archiveDir: string;
  /** Lines at which it is archived and begun afresh. */
  sizeThreshold: number;
  autoCommit: boolean;
  /** As `workspace.commit_hooks`. */
  commitHooks: boolean;
}

/** Claude's own shapes, with Claude's own key names. */
export type McpServer =
  | {
      type: "stdio";
      command: string;
      args?: string[];
      env?: Record<string, string>;
      timeout?: number;
      alwaysLoad?: boolean;
    }
  | {
      type: "http" | "sse";
      url: string;
      headers?: Record<string, string>;
      timeout?: number;
      alwaysLoad?: boolean;
    };
