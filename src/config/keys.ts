import { mcpServers } from "./mcp.ts";
import {
  exampleFix,
  lacks,
  listOf,
  mapOf,
  markOf,
  type Read,
  type Report,
  refuse,
  type Spot,
  section,
} from "./read.ts";
import { percent, percentUsed, refuseSecondThreshold, remainingOrTokens } from "./threshold.ts";
import {
  duration,
  envPrefix,
  flag,
  number,
  oneOf,
  pattern,
  secretText,
  text,
  wholeNumber,
  writtenPath,
} from "./values.ts";

/** What stands for something in a pattern. */
const branchPlaceholders = ["agent", "workItem", "jobId", "date", "scheduleName"];
const commitPlaceholders = ["summary", "agent", "jobId", "workItem"];

const percents = listOf(percent, "[50, 60]");

/** A browser cannot be started from here, so there is only one thing to say. */
const oneOfFalse: Read<boolean> = (spot, report) => {
  const given = flag(spot, report);
  return given
    ? refuse(spot, report, "false: a browser session cannot be started for you", exampleFix(spot, "false"))
    : given;
};

const sessionKeys = {
  mode: oneOf("fresh", "persistent"),
  timeout: duration(1, "24h"),
  context_threshold: remainingOrTokens,
  context_handoff_threshold: remainingOrTokens,
  max_handoffs_per_job: wholeNumber(0, 3),
  on_limit: oneOf("wait", "pause"),
  background_grace: duration(0, "2m"),
  stall_timeout: duration(1, "15m"),
  max_retries: wholeNumber(0, 5),
  retry_backoff: duration(1, "5s"),
  auto_compact: flag,
};

const livingDocument = section(
  {
    path: text("docs/HANDOFF.md"),
    template_path: text("docs/HANDOFF-template.md"),
    archive_dir: text("docs/HANDOFF-archive/"),
    size_threshold: wholeNumber(20, 500),
    auto_commit: flag,
  },
  "{ path: docs/HANDOFF.md }",
);

const handoffKeys = {
  enabled: flag,
  dir: text(".baton/handoffs"),
  template_path: writtenPath,
  budget: percent,
  auto_continue_cli: flag,
  auto_continue_browser: oneOfFalse,
  retention_days: wholeNumber(1, 90),
  living_document: livingDocument,
  threshold: percentUsed,
  notify_user_at: (spot: Spot, report: Report) => {
    if (spot.value.kind === "list") return percents(spot, report);
    const level = percent(spot, report);
    return level === undefined ? undefined : [level];
  },
  timeout: duration(1, "5m"),
};

const limitKeys = {
  cost_usd: number((value) => value > 0, "a number above 0", "20"),
  duration: duration(1, "8h"),
  turns: wholeNumber(1, 200),
};

const workspaceKeys = {
  strategy: oneOf("static", "git_worktree"),
  worktree_dir: text(".worktrees"),
  branch_pattern: pattern("agent/{agent}/{workItem}", branchPlaceholders),
  fetch_before_setup: flag,
  on_branch_conflict: oneOf("skip", "queue", "suffix"),
  setup_command: text("npm ci"),
  setup_timeout: duration(1, "10m"),
  ports: number(
    (value) => Number.isSafeInteger(value) && value >= 0 && value <= 20,
    "a whole number up to 20",
    "2",
  ),
  env_prefix: envPrefix,
  checkpoint_interval: duration(1, "10m"),
  commit_message: pattern("agent: {summary}", commitPlaceholders),
  push_on_success: flag,
  on_push_failure: oneOf("fail", "warn", "retry"),
  create_pr: flag,
  cleanup_on_failure: flag,
};

const worktreeCleanup = section(
  {
    enabled: flag,
    interval: duration(60_000, "6h"),
    max_worktree_age: duration(0, "7d"),
    cleanup_on_startup: flag,
    prune_unmerged_branches: flag,
  },
  "{ interval: 6h }",
);
const sessionCleanup = section({ enabled: flag, interval: duration(60_000, "1h") }, "{ interval: 1h }");

export const readMaintenance = section(
  { worktree_cleanup: worktreeCleanup, session_cleanup: sessionCleanup },
  "{ worktree_cleanup: { interval: 6h } }",
);

const PROJECT = "{ root: ./project }";
const directoryShape = {
  root: writtenPath,
  repo: text("https://github.com/you/project.git"),
  auto_clone: flag,
  clone_depth: wholeNumber(1, 1),
  default_branch: text("main"),
};
const directory = section(directoryShape, PROJECT);

const agentKeys = {
  runtime: oneOf("claude"),
  model: text("claude-sonnet-4-5"),
  system_prompt: text("You are careful."),
  permission_mode: oneOf("default", "acceptEdits", "bypassPermissions", "plan", "dontAsk", "auto"),
  allowed_tools: listOf(text("Bash"), "[Bash, Edit]"),
  denied_tools: listOf(text("WebFetch"), "[WebFetch]"),
  max_turns: wholeNumber(1, 200),
  mcp_servers: mcpServers,
  env: mapOf(secretText, '{ CI: "1" }'),
  executable: writtenPath,
  context_window: wholeNumber(1000, 200_000),
  working_directory: (spot: Spot, report: Report) => {
    if (spot.value.kind !== "map") {
      const root = writtenPath(spot, report);
      return root && { root };
    }
    const isKnown = ({ key }: { key: string }) => key in directoryShape;
    if (lacks(spot.value, "root") && spot.value.entries.every(isKnown)) {
      report(markOf(spot), `${spot.name} has no root`, exampleFix(spot, PROJECT));
    }
    const given = directory(spot, report);
    if (given?.auto_clone && given.repo === undefined) {
      const fix = "say where to clone it from: repo: https://github.com/you/project.git";
      report(markOf(spot), `${spot.name}.auto_clone needs a repo`, fix);
    }
    return given;
  },
  workspace: section(workspaceKeys, "{ strategy: git_worktree }", homeOf),
  session: section(sessionKeys, "{ context_threshold: 0.10 }", homeOf),
  handoff: section(handoffKeys, "{ threshold: 70 }", homeOf),
  limits: section(limitKeys, "{ cost_usd: 20 }", homeOf),
};

const name: Read<string> = (spot, report) => {
  const given = text("coder")(spot, report);
  if (given === undefined || /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(given)) return given;
  return refuse(
    spot,
    report,
    "letters, digits, - _ and ., beginning with a letter or digit",
    exampleFix(spot, "coder"),
  );
};

const defaultsSection = section(agentKeys, "{ model: claude-sonnet-4-5 }", homeOf);
const agentSection = section({ name, ...agentKeys }, "{ name: coder }", homeOf);

/** What is written about one agent, or in `defaults`. */
export type AgentLayer = NonNullable<ReturnType<typeof agentSection>>;

export type MaintenanceLayer = NonNullable<ReturnType<typeof readMaintenance>>;

export const readDefaults: Read<AgentLayer> = (spot, report) => {
  refuseSecondThreshold(spot, report);
  return defaultsSection(spot, report);
};

export const readAgent: Read<AgentLayer> = (spot, report) => {
  refuseSecondThreshold(spot, report);
  if (lacks(spot.value, "name")) {
    report(markOf(spot), `${spot.name} has no name`, "add one, for example: name: coder");
  }
  return agentSection(spot, report);
};

/** Says where a key belongs that stands in the wrong place. */
export function homeOf(key: string): string | undefined {
  if (key === "<<") return 'merge keys are not read: put what agents share in "defaults"';
  if (key === "name") return '"name" belongs in an agent';
  if (Object.hasOwn(sessionKeys, key)) return `"${key}" belongs in "session"`;
  if (Object.hasOwn(handoffKeys, key)) return `"${key}" belongs in "handoff"`;
  if (Object.hasOwn(workspaceKeys, key)) return `"${key}" belongs in "workspace"`;
  if (Object.hasOwn(limitKeys, key)) return `"${key}" belongs in "limits"`;
  if (Object.hasOwn(agentKeys, key)) return `"${key}" belongs in an agent, or in "defaults"`;
  return undefined;
}
