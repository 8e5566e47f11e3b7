/** What faces say of events and handoffs. The words stand where hooks and notices find them, too. */
export { outcomeInWords, writtenOutcome } from "../handoff/outcome.ts";
export { costInPassing, costInWords } from "../job/cost.ts";
export { describe, statusInWords } from "../job/describe.ts";
export { windowInWords } from "../job/window.ts";
