import { type Connection, peersOf, stillHold } from "../../processes/connection.ts";
import { asker } from "../trust/person.ts";

export { type Connection, isAnotherUsers, isLoopback } from "../../processes/connection.ts";

/**
 * Why what comes over a connection may be an agent's own and not a person's; undefined where nothing says so. Whatever token
 * an agent finds, it sends it from a process that it started: that is looked for at the other end.
 */
export async function agentAtOtherEnd(connection: Connection): Promise<string | undefined> {
  const peers = await peersOf(connection);
  if (peers === "elsewhere") return undefined;
  if (peers === "hidden") return "the process that asks does not let itself be seen";
  for (const pid of peers.pids) {
    // What runs in a container reaches this process through it alone.
    if (pid === process.pid) return "it comes from within this process";
    const why = await asker.agentBehind(pid);
    if (why !== undefined) return why;
  }
  // Of one that ended while it was looked at, nothing was seen.
  if (await stillHold(connection, peers.pids)) return undefined;
  return "the process that asks has ended meanwhile";
}
