import { given } from "../../util/given.ts";
import { HOUR_MS } from "../../util/time.ts";
import type { BoxConfig } from "../box-config.ts";
import type {
  AgentConfig,
  FleetConfig,
  MaintenanceConfig,
  ScheduleConfig,
  WatchConfig,
  WebConfig,
  WebhooksConfig,
} from "../config.ts";
import { DEFAULTS, lasting } from "../defaults.ts";
import { userConfigPath } from "../find.ts";
import type { AgentLayer } from "../keys/agent.ts";
import type { FleetLayer } from "../keys/fleet.ts";
import type { MaintenanceLayer } from "../keys/maintenance.ts";
import type { WatchLayer } from "../keys/watch.ts";
import type { WebhooksLayer, WebLayer } from "../keys/web.ts";
import { livingDocument } from "../living-document.ts";
import { absolute } from "../reader/absolute.ts";
import type { Threshold } from "../reader/threshold.ts";
import type { WrittenPath } from "../reader/values.ts";
import { resolveChat } from "./resolve-chat.ts";
import { mergedWorkSource, resolveWorkSource } from "./work-sources.ts";

/** What the paths are relative to that nobody wrote. */
interface Folders {
  root: string;
  home: string;
}

/** One agent out of what all layers say about it, and the built-in values for the rest. */
export function resolveAgent(name: string, layer: AgentLayer, folders: Folders): AgentConfig {
  const { session = {}, handoff = {}, limits = {}, workspace = {}, hooks = {}, notify = {} } = layer;
  const { docker = {} } = layer;
  const directory = layer.working_directory;
  const workingDirectory = directory?.root?.path ?? folders.root;
  const commitHooks = workspace.commit_hooks ?? mayDoEverything(layer);
  const threshold: Threshold = thresholdOf(layer) ?? {
    kind: "remaining",
    fraction: DEFAULTS.session.context_threshold,
  };
  return {
    name,
    runtime: layer.runtime ?? DEFAULTS.agent.runtime,
    ...given({
      command: layer.command,
      account: layer.account,
      model: layer.model,
      systemPrompt: layer.system_prompt,
      permissionMode: layer.permission_mode,
      maxTurns: layer.max_turns,
      executable: layer.executable?.path,
      contextWindow: layer.context_window,
    }),
    approvals: {
      ...given({ prompts: layer.permission_prompts }),
      graceMs: layer.approval_grace ?? lasting(DEFAULTS.agent.approval_grace),
      timeoutMs: layer.approval_timeout ?? lasting(DEFAULTS.agent.approval_timeout),
      onTimeout: layer.on_approval_timeout ?? DEFAULTS.agent.on_approval_timeout,
    },
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
      strategy: workspace.strategy ?? DEFAULTS.workspace.strategy,
      worktreeDir: absolute(workspace.worktree_dir ?? DEFAULTS.workspace.worktree_dir, {
        ...folders,
        root: workingDirectory,
      }),
      branchPattern: workspace.branch_pattern ?? DEFAULTS.workspace.branch_pattern,
      fetchBeforeSetup: workspace.fetch_before_setup ?? DEFAULTS.workspace.fetch_before_setup,
      onFolderBusy: workspace.on_folder_busy ?? DEFAULTS.workspace.on_folder_busy,
      onBranchConflict: workspace.on_branch_conflict ?? DEFAULTS.workspace.on_branch_conflict,
      ...given({ setupCommand: workspace.setup_command }),
      setupTimeoutMs: workspace.setup_timeout ?? lasting(DEFAULTS.workspace.setup_timeout),
      ports: workspace.ports ?? DEFAULTS.workspace.ports,
      envPrefix: workspace.env_prefix ?? DEFAULTS.workspace.env_prefix,
      checkpointIntervalMs: workspace.checkpoint_interval ?? lasting(DEFAULTS.workspace.checkpoint_interval),
      commitMessage: workspace.commit_message ?? DEFAULTS.workspace.commit_message,
      commitHooks,
      pushOnSuccess: workspace.push_on_success ?? DEFAULTS.workspace.push_on_success,
      onPushFailure: workspace.on_push_failure ?? DEFAULTS.workspace.on_push_failure,
      createPr: workspace.create_pr ?? DEFAULTS.workspace.create_pr,
      keep: workspace.keep ?? DEFAULTS.workspace.keep,
      cleanupOnFailure: workspace.cleanup_on_failure ?? DEFAULTS.workspace.cleanup_on_failure,
    },
    ...((docker.enabled ?? DEFAULTS.docker.enabled) && { box: boxOf(docker) }),
    session: {
      mode: session.mode ?? DEFAULTS.session.mode,
      timeoutMs: session.timeout ?? lasting(DEFAULTS.session.timeout),
      threshold,
      maxHandoffsPerJob: session.max_handoffs_per_job ?? mostHandoffs(threshold),
      onLimit: session.on_limit ?? DEFAULTS.session.on_limit,
      ...given({ notAfter: session.not_after }),
      fallback: session.fallback ?? [],
      switchBack: session.switch_back ?? DEFAULTS.session.switch_back,
      backgroundGraceMs: session.background_grace ?? lasting(DEFAULTS.session.background_grace),
      stallTimeoutMs: session.stall_timeout ?? lasting(DEFAULTS.session.stall_timeout),
      maxRetries: session.max_retries ?? DEFAULTS.session.max_retries,
      retryBackoffMs: session.retry_backoff ?? lasting(DEFAULTS.session.retry_backoff),
      autoCompact: session.auto_compact ?? handoff.enabled === false,
    },
    handoff: {
      enabled: handoff.enabled ?? DEFAULTS.handoff.enabled,
      ...given({ templatePath: handoff.template_path?.path }),
      ...(handoff.template_path && !isOfUser(handoff.template_path) && { templateWithin: folders.root }),
      budgetPercent: handoff.budget ?? DEFAULTS.handoff.budget,
      autoContinue: handoff.auto_continue_cli ?? DEFAULTS.handoff.auto_continue_cli,
      retentionDays: handoff.retention_days ?? DEFAULTS.handoff.retention_days,
      ...(handoff.living_document && {
        livingDocument: livingDocument(handoff.living_document, commitHooks),
      }),
      dir: handoff.dir?.path ?? absolute(DEFAULTS.handoff.dir, folders),
      ...(!isOfUser(handoff.dir) && { within: folders.root }),
      notifyUserAt: [...new Set(handoff.notify_user_at ?? DEFAULTS.handoff.notify_user_at)].sort(
        (a, b) => a - b,
      ),
      timeoutMs: handoff.timeout ?? lasting(DEFAULTS.handoff.timeout),
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
      events: notify.events ?? [...DEFAULTS.notify.events],
      desktop: notify.desktop ?? DEFAULTS.notify.desktop,
      bell: notify.bell ?? DEFAULTS.notify.bell,
      ...given({ quietHours: notify.quiet_hours, timezone: notify.timezone }),
      hooks: notify.hooks ?? [],
    },
    ...(layer.chat && { chat: resolveChat(layer.chat) }),
    instances: { maxConcurrent: layer.instances?.max_concurrent ?? DEFAULTS.instances.max_concurrent },
    ...given({ defaultPrompt: layer.default_prompt }),
    ...given({ workSource: resolveWorkSource(layer.work_source) }),
    schedules: resolveSchedules(layer),
    budgets: [],
    limits: given({ costUsd: limits.cost_usd, durationMs: limits.duration, turns: limits.turns }),
    prices: layer.prices ?? {},
    fromEnvironment: [],
  };
}

export function resolveMaintenance(written: MaintenanceLayer = {}): MaintenanceConfig {
  const { worktree_cleanup: worktrees, session_cleanup: sessions, job_cleanup: jobs } = written;
  return {
    worktreeCleanup: {
      enabled: worktrees?.enabled ?? DEFAULTS.worktree_cleanup.enabled,
      intervalMs: worktrees?.interval ?? lasting(DEFAULTS.worktree_cleanup.interval),
      maxWorktreeAgeMs: worktrees?.max_worktree_age ?? lasting(DEFAULTS.worktree_cleanup.max_worktree_age),
      maxCheckpointAgeMs:
        worktrees?.max_checkpoint_age ?? lasting(DEFAULTS.worktree_cleanup.max_checkpoint_age),
      cleanupOnStartup: worktrees?.cleanup_on_startup ?? DEFAULTS.worktree_cleanup.cleanup_on_startup,
      pruneUnmergedBranches:
        worktrees?.prune_unmerged_branches ?? DEFAULTS.worktree_cleanup.prune_unmerged_branches,
    },
    sessionCleanup: {
      enabled: sessions?.enabled ?? DEFAULTS.session_cleanup.enabled,
      intervalMs: sessions?.interval ?? lasting(DEFAULTS.session_cleanup.interval),
    },
    jobCleanup: { ...given({ maxAgeMs: jobs?.max_age }), keep: jobs?.keep ?? DEFAULTS.job_cleanup.keep },
  };
}

export function resolveWatch(written: WatchLayer = {}): WatchConfig {
  return {
    ...given({ checkIntervalMs: written.check_interval }),
    message: written.message ?? DEFAULTS.watch.message,
    livingDocument: written.living_document ?? DEFAULTS.watch.living_document,
    threshold: written.context_threshold ?? { kind: "tokens", tokens: DEFAULTS.watch.context_threshold },
  };
}

export function resolveWeb(written: WebLayer = {}): WebConfig {
  const [cert, key] = [written.tls_cert?.path, written.tls_key?.path];
  return {
    enabled: written.enabled ?? DEFAULTS.web.enabled,
    port: written.port ?? DEFAULTS.web.port,
    host: written.host ?? DEFAULTS.web.host,
    allowedHosts: written.allowed_hosts ?? [...DEFAULTS.web.allowed_hosts],
    ...((cert !== undefined || key !== undefined) && { tls: given({ cert, key }) }),
    allowInsecure: written.allow_insecure ?? DEFAULTS.web.allow_insecure,
    sessionExpiryMs: (written.session_expiry_hours ?? DEFAULTS.web.session_expiry_hours) * HOUR_MS,
    openBrowser: written.open_browser ?? DEFAULTS.web.open_browser,
  };
}

export function resolveWebhooks(written: WebhooksLayer = {}): WebhooksConfig {
  return {
    enabled: written.enabled ?? DEFAULTS.webhooks.enabled,
    ...given({ secretEnv: written.secret_env }),
  };
}

function resolveSchedules({ schedules: written = {}, work_source: base }: AgentLayer): ScheduleConfig[] {
  return Object.entries(written).flatMap(([name, layer]): ScheduleConfig[] => {
    const { interval, timezone, prompt, enabled, catch_up, catch_up_window, overlap, channel } = layer;
    const expression = layer.cron ?? layer.expression;
    const isWebhook = layer.type === "webhook";
    if (!isWebhook && interval === undefined && expression === undefined) return [];
    return [
      {
        name,
        times: isWebhook
          ? { kind: "webhook" }
          : expression === undefined
            ? { kind: "interval", everyMs: interval ?? 0 }
            : { kind: "cron", expression, ...given({ timezone }) },
        ...given({
          prompt,
          channel,
          workSource: layer.work_source && resolveWorkSource(mergedWorkSource(base, layer.work_source)),
        }),
        enabled: enabled ?? DEFAULTS.schedule.enabled,
        // Each call says something else: none does what another would.
        catchUp: isWebhook ? "all" : (catch_up ?? DEFAULTS.schedule.catch_up),
        windowMs: catch_up_window ?? lasting(DEFAULTS.schedule.catch_up_window),
        overlap: overlap ?? DEFAULTS.schedule.overlap,
      },
    ];
  });
}

export function resolveFleet(written: FleetLayer = {}, ofAll: FleetLayer = {}): FleetConfig {
  return given({
    maxConcurrent: written.max_concurrent,
    maxConcurrentOfAll: ofAll.max_concurrent,
    minFreeDisk: written.min_free_disk,
    minFreeMemory: written.min_free_memory,
  });
}

function boxOf(docker: NonNullable<AgentLayer["docker"]>): BoxConfig {
  return {
    ...given({
      engine: docker.engine,
      image: docker.image,
      memory: docker.memory,
      cpus: docker.cpus,
      cpuShares: docker.cpu_shares,
      cpuPeriod: docker.cpu_period,
      cpuQuota: docker.cpu_quota,
      pidsLimit: docker.pids_limit,
      user: docker.user,
    }),
    network: docker.network ?? { kind: DEFAULTS.docker.network },
    setupNetwork: docker.setup_network ?? DEFAULTS.docker.setup_network,
    volumes: (docker.volumes ?? []).map(({ source, target, readOnly }) => ({
      source: source.path,
      target,
      readOnly,
    })),
    ports: docker.ports ?? [],
    env: docker.env ?? {},
    tmpfs: docker.tmpfs ?? [],
    labels: docker.labels ?? {},
    workspaceMode: docker.workspace_mode ?? DEFAULTS.docker.workspace_mode,
  };
}

/** What the user's own file names may be anywhere. */
function isOfUser(written: WrittenPath | undefined): boolean {
  return written !== undefined && written.mark.file.path === userConfigPath();
}

/** Whoever may run every command gains nothing from what a hook would run for them. */
function mayDoEverything({ permission_mode, denied_tools = [] }: AgentLayer): boolean {
  return permission_mode === "bypassPermissions" && denied_tools.length === 0;
}

/** Whoever hands off to save money does so more often. */
const MOST_ECONOMICAL_HANDOFFS = 50;

function mostHandoffs({ kind }: Threshold): number {
  return kind === "economical" ? MOST_ECONOMICAL_HANDOFFS : DEFAULTS.session.max_handoffs_per_job;
}

function thresholdOf({ session, handoff }: AgentLayer): Threshold | undefined {
  return session?.context_threshold ?? session?.context_handoff_threshold ?? handoff?.threshold;
}
