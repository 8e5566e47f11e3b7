import { join, resolve } from "node:path";
import type { AgentConfig, LivingDocumentConfig, MaintenanceConfig } from "./config.ts";
import type { AgentLayer, MaintenanceLayer } from "./keys.ts";
import type { Threshold } from "./threshold.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What the paths in a file are relative to. */
interface Folders {
  root: string;
  home: string;
}

/** One agent out of what it says itself and, where it says nothing, what `defaults` says. */
export function resolveAgent(
  name: string,
  own: AgentLayer,
  defaults: AgentLayer,
  folders: Folders,
): AgentConfig {
  const layer = { ...defaults, ...own };
  const session = { ...defaults.session, ...own.session };
  const handoff = { ...defaults.handoff, ...own.handoff };
  const limits = { ...defaults.limits, ...own.limits };
  const workspace = { ...defaults.workspace, ...own.workspace };
  const directory = layer.working_directory;
  const workingDirectory = absolute(directory?.root?.path ?? ".", folders);
  return {
    name,
    runtime: layer.runtime ?? "claude",
    ...given({
      model: layer.model,
      systemPrompt: layer.system_prompt,
      permissionMode: layer.permission_mode,
      maxTurns: layer.max_turns,
      executable: layer.executable && absolute(layer.executable.path, folders),
      contextWindow: layer.context_window,
    }),
    allowedTools: layer.allowed_tools ?? [],
    deniedTools: layer.denied_tools ?? [],
    mcpServers: { ...defaults.mcp_servers, ...own.mcp_servers },
    env: { ...defaults.env, ...own.env },
    workingDirectory,
    repository: given({
      cloneFrom: directory?.auto_clone ? directory.repo : undefined,
      cloneDepth: directory?.clone_depth,
      defaultBranch: directory?.default_branch,
    }),
    workspace: {
      strategy: workspace.strategy ?? "static",
      worktreeDir: absolute(workspace.worktree_dir ?? ".worktrees", { ...folders, root: workingDirectory }),
      branchPattern: workspace.branch_pattern ?? "agent/{agent}/{workItem}",
      fetchBeforeSetup: workspace.fetch_before_setup ?? true,
      onBranchConflict: workspace.on_branch_conflict ?? "skip",
      ...given({ setupCommand: workspace.setup_command }),
      setupTimeoutMs: workspace.setup_timeout ?? 10 * MINUTE_MS,
      ports: workspace.ports ?? 0,
      envPrefix: workspace.env_prefix ?? "BATON",
      checkpointIntervalMs: workspace.checkpoint_interval ?? 10 * MINUTE_MS,
      commitMessage: workspace.commit_message ?? "agent: {summary}",
      pushOnSuccess: workspace.push_on_success ?? true,
      onPushFailure: workspace.on_push_failure ?? "retry",
      createPr: workspace.create_pr ?? false,
      cleanupOnFailure: workspace.cleanup_on_failure ?? true,
    },
    session: {
      mode: session.mode ?? "fresh",
      timeoutMs: session.timeout ?? 24 * HOUR_MS,
      threshold: thresholdOf(own) ?? thresholdOf(defaults) ?? { kind: "remaining", fraction: 0.1 },
      maxHandoffsPerJob: session.max_handoffs_per_job ?? 3,
      onLimit: session.on_limit ?? "wait",
      backgroundGraceMs: session.background_grace ?? 2 * MINUTE_MS,
      stallTimeoutMs: session.stall_timeout ?? 15 * MINUTE_MS,
      maxRetries: session.max_retries ?? 5,
      retryBackoffMs: session.retry_backoff ?? 5_000,
      autoCompact: session.auto_compact ?? handoff.enabled === false,
    },
    handoff: {
      enabled: handoff.enabled ?? true,
      ...given({ templatePath: handoff.template_path && absolute(handoff.template_path.path, folders) }),
      budgetPercent: handoff.budget ?? 6,
      autoContinue: handoff.auto_continue_cli ?? true,
      retentionDays: handoff.retention_days ?? 90,
      ...(handoff.living_document && { livingDocument: livingDocument(handoff.living_document) }),
      dir: absolute(handoff.dir ?? ".baton/handoffs", folders),
      notifyUserAt: [...new Set(handoff.notify_user_at ?? [50, 60])].sort((a, b) => a - b),
      timeoutMs: handoff.timeout ?? 5 * MINUTE_MS,
    },
    limits: given({ costUsd: limits.cost_usd, durationMs: limits.duration, turns: limits.turns }),
  };
}

export function resolveMaintenance(written: MaintenanceLayer = {}): MaintenanceConfig {
  const { worktree_cleanup: worktrees, session_cleanup: sessions } = written;
  return {
    worktreeCleanup: {
      enabled: worktrees?.enabled ?? true,
      intervalMs: worktrees?.interval ?? 6 * HOUR_MS,
      maxWorktreeAgeMs: worktrees?.max_worktree_age ?? 7 * DAY_MS,
      cleanupOnStartup: worktrees?.cleanup_on_startup ?? true,
      pruneUnmergedBranches: worktrees?.prune_unmerged_branches ?? false,
    },
    sessionCleanup: { enabled: sessions?.enabled ?? true, intervalMs: sessions?.interval ?? HOUR_MS },
  };
}

function livingDocument(
  written: NonNullable<NonNullable<AgentLayer["handoff"]>["living_document"]>,
): LivingDocumentConfig {
  return {
    path: written.path ?? "docs/HANDOFF.md",
    templatePath: written.template_path ?? "docs/HANDOFF-template.md",
    archiveDir: written.archive_dir ?? "docs/HANDOFF-archive/",
    sizeThreshold: written.size_threshold ?? 500,
    autoCommit: written.auto_commit ?? true,
  };
}

/** A threshold of the agent's own wins over one in `defaults`, whichever of the keys each is written with. */
function thresholdOf({ session, handoff }: AgentLayer): Threshold | undefined {
  return session?.context_threshold ?? session?.context_handoff_threshold ?? handoff?.threshold;
}

export function absolute(path: string, { root, home }: Folders): string {
  const inHome = path === "~" || path.startsWith("~/");
  return inHome ? join(home, path.slice(1)) : resolve(root, path);
}

function given<T>(values: { [K in keyof T]: T[K] | undefined }): Partial<T> {
  const present: Partial<T> = {};
  for (const key in values) {
    const value = values[key];
    if (value !== undefined) present[key] = value;
  }
  return present;
}
