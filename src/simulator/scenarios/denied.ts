import type { SimulatedRequest } from "../request.ts";
import type { Reply } from "../scenario.ts";

/** What a scripted model says when it may not use a tool. Without it, it would ask for the same tool for ever. */
export const DENIED: Reply = {
  say: "I may not run commands here. Allow them with permission_mode or allowed_tools, and ask me again.",
};

/** True where the newest thing in the conversation is a tool call that nobody allowed. */
export function wasDenied({ last, results }: Pick<SimulatedRequest, "last" | "results">): boolean {
  const result = results.at(-1);
  return result?.isError === true && last.includes(result.text) && /\bdenied\b/i.test(result.text);
}
