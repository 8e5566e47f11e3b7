import { oneLine } from "../util/printable.ts";
import { type Facts, subagentLine } from "./facts.ts";

/** Under what title a document says what to do with it. */
export const INSTRUCTIONS = "Instructions for the new session";

/** Where a template or another tool has a place for it, by whatever name. */
export function isInstructions(title: string): boolean {
  return /^instructions for (?:the )?(?:new|next) (?:instance|session)$/i.test(
    title.replace(/[*:]/g, "").trim(),
  );
}

interface InstructionParts {
  /** Where the work is. */
  folder: string;
  hasLinks: boolean;
  subagents: Facts["subagents"];
  /** Those of a job end with its session. Those of a person's own session can outlive a clear. */
  subagentsEnd: boolean;
}

/** What the next session does first, as a list. */
export function instructions({ folder, hasLinks, subagents, subagentsEnd }: InstructionParts): string {
  const running = subagents.filter(({ state }) => state === "running").map(subagentLine);
  const steps = [
    `Read this document to its end${hasLinks ? ", then what stands under its links" : ""}.`,
    `Work in \`${oneLine(folder)}\`.`,
    running.length === 0 ? "" : [subagentsEnd ? ENDED : TO_CHECK, ...running.map(asEntry)].join("\n"),
    "Continue with the next steps, in their order. Do not redo what is done. The constraints still hold.",
  ];
  return steps
    .filter((step) => step !== "")
    .map((step, index) => `${index + 1}. ${step}`)
    .join("\n");
}

const ENDED =
  "These subagents ended with the session before you. Look at what they left before you start one again:";

const TO_CHECK =
  "Check how these subagents stand, with the tool `subagent_status`. Wait for one that still runs, use what a completed one found, and find out why one failed before you start it again:";

function asEntry(line: string): string {
  return `   - ${oneLine(line)}`;
}
