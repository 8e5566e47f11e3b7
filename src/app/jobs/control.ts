/** By which a face steers a job that runs in its process, and what it ends one with. */
export { JobCancelled, JobInterrupted } from "../../jobs/reasons.ts";
export { Control } from "../../jobs/run/control.ts";
export { Conversation } from "../../jobs/run/conversation.ts";
