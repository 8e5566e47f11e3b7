/** What faces say of events and handoffs. The words stand where hooks and notices find them, too. */
export { inWords as durationInWords } from "../config/reader/duration.ts";
export { outcomeInWords, writtenOutcome } from "../handoff/outcome.ts";
export { budgetInWords } from "../job/budgets.ts";
export { costInPassing, costInWords, isAllSimulated, paidInWords } from "../job/cost.ts";
export { describe } from "../job/describe.ts";
export { shortId } from "../job/id.ts";
export { agentInWords, headline, statusInWords } from "../job/status-words.ts";
export { windowInWords } from "../job/window.ts";
