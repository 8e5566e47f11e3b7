import { join, resolve } from "node:path";
import type { AgentConfig, LivingDocumentConfig } from "./config.ts";
import type { AgentLayer } from "./keys.ts";
import type { Threshold } from "./threshold.ts";

const MINUTE_MS = 60_000;

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
    workingDirectory: absolute(layer.working_directory?.path ?? ".", folders),
    session: {
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
