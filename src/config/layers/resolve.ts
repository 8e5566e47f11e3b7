import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../util/time.ts";
import type { AgentConfig, LivingDocumentConfig, MaintenanceConfig, WatchConfig } from "../config.ts";
import type { AgentLayer } from "../keys/agent.ts";
import type { MaintenanceLayer } from "../keys/maintenance.ts";
import { DEFAULT_CHECK, type WatchLayer } from "../keys/watch.ts";
import { absolute } from "../reader/absolute.ts";
import { given } from "../reader/given.ts";
import type { Threshold } from "../reader/threshold.ts";

/** What the paths are relative to that nobody wrote. */
interface Folders {
  root: string;
  home: string;
}

/** One agent out of what all layers say about it, and the built-in values for the rest. */
export function resolveAgent(name: string, layer: AgentLayer, folders: Folders): AgentConfig {
  const { session = {}, handoff = {}, limits = {}, workspace = {}, hooks = {}, notify = {} } = layer;
  const directory = layer.working_directory;
  const workingDirectory = directory?.root?.path ?? folders.root;
  return {
    name,
    runtime: layer.runtime ?? "claude",
    ...given({
      model: layer.model,
      systemPrompt: layer.system_prompt,
      permissionMode: layer.permission_mode,
      maxTurns: layer.max_turns,
      executable: layer.executable?.path,
      contextWindow: layer.context_window,
    }),
    allowedTools: layer.allowed_tools ?? [],
    deniedTools: layer.denied_tools ?? [],
    mcpServers: layer.mcp_servers ?? {},
    env: layer.env ?? {},
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
      threshold: thresholdOf(layer) ?? { kind: "remaining", fraction: 0.1 },
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
      ...given({ templatePath: handoff.template_path?.path }),
      budgetPercent: handoff.budget ?? 6,
      autoContinue: handoff.auto_continue_cli ?? true,
      retentionDays: handoff.retention_days ?? 90,
      ...(handoff.living_document && { livingDocument: livingDocument(handoff.living_document) }),
      dir: handoff.dir?.path ?? absolute(".baton/handoffs", folders),
      notifyUserAt: [...new Set(handoff.notify_user_at ?? [50, 60])].sort((a, b) => a - b),
      timeoutMs: handoff.timeout ?? 5 * MINUTE_MS,
    },
    hooks: {
      beforeRun: hooks.before_run ?? [],
      afterRun: hooks.after_run ?? [],
      onError: hooks.on_error ?? [],
      onSessionStart: hooks.on_session_start ?? [],
      onContextThreshold: hooks.on_context_threshold ?? [],
      onHandoff: hooks.on_handoff ?? [],
    },
    notify: {
      events: notify.events ?? ["pause", "failure", "completion"],
      desktop: notify.desktop ?? false,
      bell: notify.bell ?? false,
      hooks: notify.hooks ?? [],
    },
    limits: given({ costUsd: limits.cost_usd, durationMs: limits.duration, turns: limits.turns }),
    fromEnvironment: [],
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

export function resolveWatch(written: WatchLayer = {}): WatchConfig {
  return {
    ...given({ checkIntervalMs: written.check_interval }),
    message: written.message ?? DEFAULT_CHECK,
    threshold: written.context_threshold ?? { kind: "tokens", tokens: 100_000 },
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

function thresholdOf({ session, handoff }: AgentLayer): Threshold | undefined {
  return session?.context_threshold ?? session?.context_handoff_threshold ?? handoff?.threshold;
}
