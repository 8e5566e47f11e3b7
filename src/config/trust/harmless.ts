/**
 * What a file may set before anybody has agreed to it. `true`: whatever stands there cannot hurt, as long as it says so itself
 * and not by a variable of the user's. A map: some of its keys cannot. What is not named here acts.
 */
export type Harmless = true | { readonly [key: string]: Harmless };

/** They say when and how much, never what is run, where, with which rights, or what is deleted. */
const agentKeys: Harmless = {
  name: true,
  runtime: true,
  account: true,
  model: true,
  context_window: true,
  // Who is asked can say no.
  permission_prompts: true,
  approval_grace: true,
  approval_timeout: true,
  on_approval_timeout: true,
  // Who takes over from whom is no matter of when or how much: `fallback` acts.
  session: {
    mode: true,
    timeout: true,
    context_threshold: true,
    context_handoff_threshold: true,
    max_handoffs_per_job: true,
    on_limit: true,
    not_after: true,
    switch_back: true,
    background_grace: true,
    stall_timeout: true,
    max_retries: true,
    retry_backoff: true,
    auto_compact: true,
  },
  handoff: {
    enabled: true,
    budget: true,
    auto_continue_cli: true,
    auto_continue_browser: true,
    threshold: true,
    notify_user_at: true,
    timeout: true,
  },
  instances: true,
  notify: { events: true, desktop: true, bell: true, quiet_hours: true, timezone: true },
  workspace: {
    strategy: true,
    branch_pattern: true,
    fetch_before_setup: true,
    on_branch_conflict: true,
    on_folder_busy: true,
    setup_timeout: true,
    ports: true,
    checkpoint_interval: true,
  },
};

export const HARMLESS = {
  agent: agentKeys,
  project: {
    version: true,
    defaults: agentKeys,
    maintenance: { worktree_cleanup: { interval: true }, session_cleanup: { interval: true } },
    fleet: { max_concurrent: true, min_free_disk: true, min_free_memory: true },
    budgets: true,
    web: { enabled: true },
    watch: { check_interval: true, context_threshold: true, living_document: true },
  },
} as const satisfies Record<string, Harmless>;
