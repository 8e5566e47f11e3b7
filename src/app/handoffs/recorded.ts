import { parseDocument } from "../../handoff/document.ts";
import { findAppendix } from "../../handoff/history.ts";
import type { Job } from "../../job/job.ts";
import { documentOf } from "../../jobs/end/archive.ts";
import {
  type Document,
  isSameDocument,
  type Recorded,
  recordedOwn,
} from "../../sessions/handoff/recorded.ts";
import { type Registry, userRegistry } from "../../sessions/record/registry.ts";
import { JobNotFoundError } from "../../store/errors.ts";
import { getJob } from "../../store/jobs.ts";
import type { Store } from "../../store/store.ts";
import { hasStore, lookIntoStore } from "../project.ts";

export type { Recorded };

/** What is on record of a document: of a job in the store of the project, or of a person's own session. */
export async function recordedDocument(
  document: Document,
  { root, registry = userRegistry() }: { root: string; registry?: Registry },
): Promise<Recorded | undefined> {
  const own = await recordedOwn(registry, document);
  if (own || !parseDocument(document.text).head.job || !hasStore({ root })) return own;
  await using store = await lookIntoStore({ root });
  return (await recordedInJob(store, document))?.recorded;
}

/** The job that a document says it is of, where that job has stored this very file. */
export async function recordedInJob(
  store: Store,
  { path, text }: Document,
): Promise<{ job: Job; recorded: Recorded } | undefined> {
  const { head } = parseDocument(text);
  const job = head.job ? await jobOf(store, head.job) : undefined;
  const handoff = job?.handoffs.find(({ number }) => number === head.number);
  if (!job || !handoff || !(await isSameDocument(path, await documentOf(handoff)))) return undefined;
  const { fromSession: session, number } = handoff;
  const transcript = job.sessions.find(({ id }) => id === session)?.transcript ?? null;
  const record = {
    session,
    transcript,
    previous: head.previous ?? null,
    appendix: await findAppendix(path, head),
  };
  return { job, recorded: { of: "job", number, request: job.prompt, record } };
}

async function jobOf(store: Store, id: string): Promise<Job | undefined> {
  try {
    return await getJob(store, id);
  } catch (error) {
    if (error instanceof JobNotFoundError) return undefined;
    throw error;
  }
}
