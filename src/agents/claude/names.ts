import { nearest } from "../../util/nearest.ts";
import { modelName } from "./model-name.ts";

const MODEL_WORDS = ["claude", "sonnet", "opus", "haiku", "fable", "mythos", "opusplan"];
/** Other words of names, which nothing is taken for a misspelling of. */
const OTHER_WORDS = new Set(["preview", "latest", "default", "best", "inherit", "v"]);

/** Only words are compared: a version that is not known is a newer one, not a mistake. */
export function meantModel(model: string): string | undefined {
  const written = modelName(model);
  let isMisspelt = false;
  let isStrange = false;
  const meant = written.replace(/[a-z]+/gi, (word) => {
    if (MODEL_WORDS.includes(word) || OTHER_WORDS.has(word)) return word;
    const near = nearest(word, MODEL_WORDS);
    if (near === undefined) isStrange = true;
    else isMisspelt = true;
    return near ?? word;
  });
  return isMisspelt && !isStrange ? meant : undefined;
}

const TOOLS = [
  ..."Bash BashOutput KillShell KillBash PowerShell Monitor Read Write Edit MultiEdit NotebookEdit NotebookRead".split(
    " ",
  ),
  ..."Grep Glob LS LSP Task Agent TaskCreate TaskGet TaskList TaskUpdate TaskStop TaskOutput TodoWrite TodoRead".split(
    " ",
  ),
  ..."WebFetch WebSearch Skill SlashCommand AskUserQuestion EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree".split(
    " ",
  ),
  ..."ToolSearch ListMcpResourcesTool ReadMcpResourceTool CronCreate CronDelete CronList SendMessage StructuredOutput".split(
    " ",
  ),
];

/** `Bash(npm test:*)` is a rule about Bash. Tools of servers have names of their own. */
export function meantTool(rule: string): string | undefined {
  const [, name, about = ""] = /^\s*(\w+)(\(.*\))?\s*$/s.exec(rule) ?? [];
  if (name === undefined || name.startsWith("mcp__") || TOOLS.includes(name)) return undefined;
  const near = nearest(name, TOOLS);
  return near === undefined ? undefined : `${near}${about}`;
}
