import { asksForSummary, type SimulatedRequest } from "./request.ts";
import type { Reply } from "./scenario.ts";

const TAIL = 2_000;

/** What the program asks for itself gets an answer in the form that it expects. */
export function answerSideRequest(request: SimulatedRequest): Reply {
  if (asksForSummary(request.last)) return { say: summaryOf(request) };
  if (/\btitle\b/i.test(request.system + request.last)) return { say: '{"title": "Simulated session"}' };
  return { say: "OK" };
}

/** The newest part verbatim, so that a scenario that chooses by what was said finds its place again. */
function summaryOf(request: SimulatedRequest): string {
  const before = request.messages.slice(0, -1).map(({ text }) => text);
  const results = request.results.slice(-1).map(({ text }) => text);
  const tail = [...before, ...results].join("\n").slice(-TAIL);
  return `<analysis>\nThe conversation so far.\n</analysis>\n<summary>\n1. Latest in the conversation:\n${tail}\n</summary>`;
}
