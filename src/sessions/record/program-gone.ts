import { liveness, type ProcessIdentity, thisProcess } from "../../processes/owner.ts";
import type { OwnSession } from "./session.ts";

/** The program of the session is known, and runs no more: what was killed does not put its end on record. */
export function programIsGone({ process }: OwnSession, here: ProcessIdentity = thisProcess()): boolean {
  return process !== null && liveness({ ...here, ...process }, here) === "dead";
}
