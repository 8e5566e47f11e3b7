import { randomUUID } from "node:crypto";
import type { SessionSpec } from "../agent.ts";
import { type Opened, openSession } from "./opening.ts";
import { notStarted } from "./repository.ts";
import { EndedError, type Rpc } from "./rpc.ts";
import type { AcpProgram, RunningProgram } from "./running-program.ts";
import { Updates } from "./told/updates.ts";
import { Window } from "./told/window.ts";
import { earlierRuns } from "./transcript/transcript.ts";

/** A live session of the program. */
export interface Live {
  rpc: Rpc;
  opened: Opened;
  updates: Updates;
  window: Window;
  /** What earlier runs of the session have cost, in US dollars. */
  costBefore: number;
}

/** `starting`: undefined where the program could not be started, or must not be. */
export async function openLive(
  spec: SessionSpec,
  { name, quirks, leavesOut }: AcpProgram,
  starting: Promise<RunningProgram | undefined>,
): Promise<Live> {
  const earlier = spec.resume ? await earlierRuns(spec) : undefined;
  if (earlier) await quirks.bring?.(spec, earlier.programSession);
  const running = await starting;
  if (!spec.readsRepository && !leavesOut) throw new Error(notStarted(name));
  if (!running) throw new EndedError(`${name} could not be started.`);
  const { rpc, beside } = running;
  const opened = await openSession(rpc, {
    spec,
    quirks,
    name,
    beside,
    ...(earlier && { programSession: earlier.programSession }),
  });
  const window = new Window(earlier?.window);
  const record = quirks.record?.(spec.env, opened.programSession);
  const updates = new Updates({
    quirks,
    model: opened.model,
    ownTools: spec.ownTools.names,
    window,
    ...(record && { record }),
    newId: randomUUID,
  });
  return { rpc, opened, updates, window, costBefore: earlier?.costUsd ?? 0 };
}
