import { delimiter, dirname } from "node:path";
import { claudeProgram } from "../src/agents/claude/program.ts";

/** A PATH on which there is a `claude` of the user's own, for `runtime: claude-cli`. */
export const PATH_WITH_CLAUDE = [dirname(claudeProgram() ?? ""), process.env.PATH].join(delimiter);
