import type { Vocabulary } from "../agent.ts";
import { modelNames } from "./windows.ts";

/** What Claude Code 2.1.325 offers, with what it still takes by an older name. Which of them a session has depends on its settings. */
const TOOLS = [
  "Agent",
  "AskUserQuestion",
  "Bash",
  "BashOutput",
  "CronCreate",
  "CronDelete",
  "CronList",
  "Edit",
  "EnterPlanMode",
  "EnterWorktree",
  "ExitPlanMode",
  "ExitWorktree",
  "Glob",
  "Grep",
  "KillShell",
  "ListAgents",
  "ListMcpResourcesTool",
  "LSP",
  "Monitor",
  "MultiEdit",
  "NotebookEdit",
  "NotebookRead",
  "PowerShell",
  "Read",
  "ReadMcpResourceTool",
  "ReportFindings",
  "ScheduleWakeup",
  "SendMessage",
  "Skill",
  "SlashCommand",
  "Task",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskStop",
  "TaskUpdate",
  "TodoRead",
  "TodoWrite",
  "ToolSearch",
  "WebFetch",
  "WebSearch",
  "Workflow",
  "Write",
] as const;

const ALIASES = ["default", "best", "sonnet", "opus", "haiku", "fable", "opusplan"];

export const claudeVocabulary: Vocabulary = {
  tools: TOOLS,
  models: [...ALIASES, ...modelNames()],
  commandRules,
};

/** The program looks at each command of a line by itself. To change the folder it needs no rule. */
function commandRules(line: string): string[] {
  const commands = /["'`$\\]/.test(line) ? [line] : line.split(/\s*(?:&&|\|\|?|;)\s*/);
  return commands
    .map((command) => command.trim().replace(/ \S*\.\.\.$/, ""))
    .filter((command) => command !== "" && !/^cd\s/.test(command))
    .map((command) => ruleText({ toolName: "Bash", ruleContent: `${command}:*` }));
}

export function ruleText({ toolName, ruleContent }: { toolName: string; ruleContent?: string }): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}
