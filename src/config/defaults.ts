import { parseDuration } from "./reader/duration.ts";

/**
 * What holds where a key is not written, as it would stand in the file: the schema and the reference show it, and
 * `layers/resolve.ts` fills it in. Apart from the keys, because hooks of own sessions need it and no reader.
 */
export const DEFAULTS = {
  agent: {
    runtime: "claude",
    approval_grace: "10m",
    approval_timeout: "4h",
    on_approval_timeout: "pause",
  },
  workspace: {
    strategy: "static",
    worktree_dir: ".worktrees",
    branch_pattern: "agent/{agent}/{workItem}",
    fetch_before_setup: true,
    on_branch_conflict: "skip",
    on_folder_busy: "warn",
    setup_timeout: "10m",
    ports: 0,
    env_prefix: "BATON",
    checkpoint_interval: "10m",
    commit_message: "agent: {workItem}: {summary}",
    push_on_success: true,
    on_push_failure: "retry",
    create_pr: false,
    keep: [],
    cleanup_on_failure: true,
  },
  session: {
    mode: "fresh",
    timeout: "24h",
    context_threshold: 0.1,
    max_handoffs_per_job: 3,
    on_limit: "wait",
    switch_back: true,
    background_grace: "2m",
    stall_timeout: "15m",
    max_retries: 5,
    retry_backoff: "5s",
  },
  handoff: {
    enabled: true,
    dir: ".baton/handoffs",
    budget: 6,
    auto_continue_cli: true,
    retention_days: 90,
    notify_user_at: [50, 60],
    timeout: "5m",
  },
  living_document: {
    path: "docs/HANDOFF.md",
    template_path: "docs/HANDOFF-template.md",
    archive_dir: "docs/HANDOFF-archive/",
    size_threshold: 500,
    auto_commit: true,
  },
  docker: { enabled: false, network: "api", setup_network: "bridge", workspace_mode: "rw" },
  notify: { events: ["ask", "pause", "failure", "completion"], desktop: false, bell: false },
  chat: {
    fake: false,
    steer: "boundary",
    mode: "mention",
    context_messages: 10,
    session_expiry_hours: 24,
    log_level: "standard",
    dm: { enabled: true, mode: "auto" },
    output: {
      tool_results: true,
      tool_result_max_length: 900,
      system_status: true,
      errors: true,
      result_summary: false,
      typing_indicator: true,
      acknowledge_emoji: "👀",
      progress_indicator: true,
    },
    attachments: {
      enabled: false,
      max_file_size_mb: 10,
      max_files_per_message: 5,
      allowed_types: ["image/*", "application/pdf", "text/*"],
      download_dir: ".chat-attachments",
      cleanup_after_processing: true,
    },
  },
  slack: { bot_token_env: "SLACK_BOT_TOKEN", app_token_env: "SLACK_APP_TOKEN" },
  discord: {
    bot_token_env: "DISCORD_BOT_TOKEN",
    presence: { activity_type: "watching" },
    command_registration: { scope: "global" },
  },
  worktree_cleanup: {
    enabled: true,
    interval: "6h",
    max_worktree_age: "7d",
    max_checkpoint_age: "30d",
    cleanup_on_startup: true,
    prune_unmerged_branches: false,
  },
  session_cleanup: { enabled: true, interval: "1h" },
  job_cleanup: { keep: 100 },
  fleet: { max_concurrent: 4, min_free_disk: "1g", min_free_memory: "256m" },
  instances: { max_concurrent: 1 },
  work_source: {
    api_url: "https://api.github.com",
    labels: { ready: "ready", in_progress: "agent-working", failed: "agent-failed" },
    exclude_labels: [],
    cleanup_on_failure: true,
    attempts: 3,
    poll: "1m",
    claims: "refs",
    trust: "collaborators",
    auth: { token_env: "GITHUB_TOKEN" },
  },
  /** What of a source is otherwise where it is Linear's. */
  linear: { api_url: "https://api.linear.app/graphql", auth: { token_env: "LINEAR_API_KEY" } },
  schedule: { enabled: true, catch_up: "latest", catch_up_window: "24h", overlap: "queue" },
  web: {
    enabled: true,
    port: 3232,
    host: "127.0.0.1",
    allowed_hosts: [],
    allow_insecure: false,
    session_expiry_hours: 168,
    open_browser: false,
  },
  webhooks: { enabled: false },
  watch: {
    message: "Check on your workers, then continue with what is next.",
    context_threshold: 100_000,
    living_document: true,
  },
} as const;

/** A default that is a time, in milliseconds. */
export function lasting(written: string): number {
  const ms = parseDuration(written);
  if (ms === undefined) throw new Error(`${written} is not a time`);
  return ms;
}
