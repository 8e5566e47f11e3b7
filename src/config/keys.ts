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
import { duration, flag, number, oneOf, secretText, text, wholeNumber, writtenPath } from "./values.ts";

const percents = listOf(percent, "[50, 60]");

/** A browser cannot be started from here, so there is only one thing to say. */
const oneOfFalse: Read<boolean> = (spot, report) => {
  const given = flag(spot, report);
  return given
    ? refuse(spot, report, "false: a browser session cannot be started for you", exampleFix(spot, "false"))
    : given;
};

const sessionKeys = {
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

const PROJECT = "{ root: ./project }";
const directory = section({ root: writtenPath }, PROJECT);

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
    if (spot.value.kind !== "map") return writtenPath(spot, report);
    if (spot.value.entries.length === 0) {
      report(markOf(spot), `${spot.name} has no root`, exampleFix(spot, PROJECT));
    }
    return directory(spot, report)?.root;
  },
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
  if (Object.hasOwn(limitKeys, key)) return `"${key}" belongs in "limits"`;
  if (Object.hasOwn(agentKeys, key)) return `"${key}" belongs in an agent, or in "defaults"`;
  return undefined;
}
