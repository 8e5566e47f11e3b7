import { randomBytes } from "node:crypto";
import { jobId } from "../job/id.ts";

/** Light, because the program of a job is started before the store is even loaded. */
export function newJobId(): string {
  return jobId(new Date(), randomBytes(6));
}
