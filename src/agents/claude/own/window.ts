/** What is known of the window of a person's session. Light, because hooks load it. */
export { compactsAt, refusesAt } from "../compaction.ts";
export { claudeModels as models, USUAL_WINDOW } from "../windows.ts";
