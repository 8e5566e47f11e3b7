import { endedBefore, resumePrompt } from "../../handoff/continuation.ts";
import { isFile } from "../../handoff/history.ts";
import type { SessionRecord } from "../../job/job.ts";
import { isAnswerOwed } from "../../store/chat-messages.ts";
import { latestEvent } from "../../store/events.ts";
import type { Store } from "../../store/store.ts";
import { documentOf } from "../end/archive.ts";
import { Handoffs, type Passed } from "../handoff/handoffs.ts";
import { tellMessages } from "../messages/tell.ts";
import { tryCheckpoint } from "./checkpoints.ts";
import { isOfCurrent, startOf } from "./how-to-begin.ts";
import type { Opening } from "./job-sessions.ts";
import type { LiveSession } from "./live-session.ts";
import { earlierSession } from "./persistent.ts";
import type { JobAtWork } from "./phases.ts";

/** Begins the work of a job, or continues it from what its journal says. */
export async function firstLeg(
  work: JobAtWork,
  handoffs: Handoffs,
  store: Store,
  { isAway = false }: { isAway?: boolean | undefined } = {},
): Promise<Passed> {
  const { crew, job, sessions, messages, append, hooks, signal, newLeg, isAttended } = work;
  const waits = isAttended && !(isAway && (await isAnswerOwed(store, job().id)));
  const last = job().sessions.at(-1);
  const transcript = last && (await crew.transcriptOf(last.id));
  const resumes = last !== undefined && crew.whose(last.id)?.agent.abilities.resume === true;
  const start = startOf(job(), transcript === undefined ? "nothing" : resumes ? "session" : "transcript");
  if (last && last.endReason === null && start.mode !== "resumed") {
    append({ type: "session:ended", session: last.id, reason: "interrupted" });
  }
  await messages.begin(start);
  switch (start.mode) {
    case "fresh": {
      const earlier = await continued(work, store);
      const live = earlier ?? (await sessions.warm());
      sessions.begin(live, earlier ? "resumed" : "fresh");
      const text = await hooks.sessionStart(live.id, job().prompt, undefined, signal);
      await sessions.tell(live, { kind: "request", text, verbatim: false });
      return { leg: newLeg(live, false), work };
    }
    case "document":
      return { leg: await handoffs.beginFrom(start.document, start.recorded), work };
    case "unstored": {
      const unstored = await latestEvent(store, job().id, "handoff:unstored");
      if (!unstored) throw new Error("the handoff that was to be stored is not on record");
      return { leg: await handoffs.storeAndContinue(unstored), work };
    }
    case "continuation": {
      const cap = await work.capReached();
      if (cap) return { pause: cap };
      // What was done before the job rested may not be in git: its disk was full, or its process was killed.
      const { noRoom } = await tryCheckpoint(work, "resumed");
      if (noRoom && !waits) throw noRoom;
      if (!(await isFile(await documentOf(start.handoff)))) {
        append({ type: "warning", message: documentGone(start.handoff.number) });
        const session = start.handoff.fromSession;
        return handoffs.handOff({
          kind: "gone",
          session,
          trigger: "lost",
          lost: "document",
          waits,
        });
      }
      const next = await continuing(work);
      const live = await next.sessions.warm();
      return { leg: await new Handoffs(next).continueFrom(start.handoff, live, waits), work: next };
    }
    case "facts": {
      const session = start.session.id;
      await crew.whose(session)?.sessions.collect(session);
      const cap = await work.capReached();
      if (cap) return { pause: cap };
      const lost = whatIsLost(start.session, { hasTranscript: transcript !== undefined, resumes });
      const trigger = isOfCurrent(job(), start.session) ? (lost ? "lost" : "overflow") : "switch";
      return handoffs.handOff({
        kind: "gone",
        session,
        trigger,
        waits,
        ...(trigger === "lost" && lost === "resume" && { lost }),
      });
    }
    case "resumed": {
      // What an earlier process had asked for, and was killed before it heard, counts before anything more is asked for.
      const { ended, heard } = await sessions.collect(start.session.id);
      const cap = await work.capReached();
      if (cap) return { pause: cap };
      const live = await sessions.reopen(start.session.id);
      sessions.begin(live, "resumed");
      if (start.handOff && !waits) return handoffs.handOff({ kind: "resumed", live, ended });
      const leg = newLeg(live, false);
      if (start.handOff) return handoffs.handOff({ kind: "resumed-attended", leg, ended });
      const unheard = await messages.unheard(live.id, heard);
      if (!waits) {
        const first: Opening = { kind: "resume", text: resumePrompt(ended), verbatim: true };
        const sent = [...unheard, ...(await messages.take("boundary", live.id))];
        if (sent.length === 0) await sessions.tell(live, first);
        else await tellMessages(work, live, sent, { kind: "after", first });
        return { leg, work };
      }
      await messages.putBack(unheard);
      if (ended.length === 0) leg.waitForPerson();
      else leg.waitForPerson({ kind: "resume", text: endedBefore(ended), verbatim: true });
      return { leg, work };
    }
  }
}

/** A document that no session has read yet is a handoff: whoever is to have the job back by now, has it. */
async function continuing(work: JobAtWork): Promise<JobAtWork> {
  const { crew, record } = work;
  const switched = crew.return();
  if (!switched) return work;
  await record(switched);
  return crew.current();
}

/** Undefined where all is there, and only the window was full. */
function whatIsLost(
  { endReason }: SessionRecord,
  { hasTranscript, resumes }: { hasTranscript: boolean; resumes: boolean },
): "transcript" | "resume" | undefined {
  if (!hasTranscript) return "transcript";
  return resumes || endReason === "out-of-context" ? undefined : "resume";
}

function documentGone(number: number): string {
  return `The document of handoff ${number} is deleted, so another one is made from what the journal holds.`;
}

/** The agent's last session, where the user wants its jobs to share one and it fits. */
async function continued(work: JobAtWork, store: Store): Promise<LiveSession | undefined> {
  const earlier = await earlierSession(store, work);
  if (!earlier) return undefined;
  if ("unfit" in earlier) work.append({ type: "warning", message: earlier.unfit });
  return "session" in earlier ? (await work.sessions.resume(earlier.session)).live : undefined;
}
