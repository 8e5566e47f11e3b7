import type { Vocabulary } from "../agent.ts";
import { meantModel, meantTool } from "./names.ts";

export const claudeVocabulary: Vocabulary = {
  commandRules,
  meant: (kind, written) => (kind === "model" ? meantModel(written) : meantTool(written)),
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
