import type { AgentConfig, Config } from "../../config/config.ts";
import type { Ways } from "../../config/ways.ts";
import { SECTIONS } from "../../handoff/account.ts";
import { noRecordOf } from "../../handoff/continuation.ts";
import { parseDocument } from "../../handoff/document.ts";
import type { Facts } from "../../handoff/facts.ts";
import { sectionNamed } from "../../handoff/markdown.ts";
import { sectionsOf } from "../../handoff/text/sections.ts";
import type { Job } from "../../job/job.ts";
import { recordedOwn } from "../../sessions/handoff/recorded.ts";
import { pickedUpByJob } from "../../sessions/handoff/waiting.ts";
import { userRegistry } from "../../sessions/record/registry.ts";
import type { Store } from "../../store/store.ts";
import { readDocument } from "../handoffs/document.ts";
import { recordedDocument, recordedInJob } from "../handoffs/recorded.ts";
import { openProjectStore, type Project } from "../project.ts";
import { UsageError } from "../usage-error.ts";
import { eventsSoFar } from "./follow.ts";
import { type ReadyJob, readyIn, recordedIn } from "./ready-job.ts";

/** A handoff document that a new job is to continue from, whoever wrote it. */
export type Loaded = ReturnType<typeof parseDocument> & { path: string; text: string };

export async function loadDocument(named: string, project: Project): Promise<Loaded> {
  const { path, text } = await readDocument(named, project);
  return { path, text, ...load(path, text) };
}

/** What to tell a person of a document that Baton has no record of; undefined where it has. */
export async function strangeness({ path, text }: Loaded, { root }: Project): Promise<string | undefined> {
  return (await recordedDocument({ path, text }, { root })) ? undefined : noRecordOf(path);
}

/**
 * Puts the job on record that continues from it. What an earlier job in this store knew, it knows too, and is in its epic.
 * `ways`: of the person's session whose work it is. `startedBy`: the one that has a job continue from the document.
 */
export async function jobFrom(
  loaded: Loaded,
  project: Project,
  config: Config,
  agent: AgentConfig,
  { ways, startedBy }: { ways?: Ways; startedBy?: string | undefined } = {},
): Promise<ReadyJob> {
  return readyIn(await openProjectStore(project), async (store) => {
    const earlier = await recordedInJob(store, loaded);
    const recorded = earlier?.recorded ?? (await recordedOwn(userRegistry(), loaded));
    const facts = earlier && (await factsOf(loaded, earlier.job, store));
    const isRecorded = recorded && { recorded: true as const };
    const epic = earlier?.job.epic;
    const origin = {
      ...config,
      ...(startedBy && { startedBy }),
      ...(epic && { epic }),
      continues: { document: loaded.path, ...isRecorded, ...(facts && { facts }), ...(ways && { ways }) },
    };
    const job = await recordedIn(project, store, { origin, agent, prompt: recorded?.request ?? REQUEST });
    await pickedUpByJob({ document: loaded.path, place: agent.handoff, registry: userRegistry() }, job);
    return { config: agent, maintenance: config.maintenance, job };
  });
}

function load(path: string, text: string): ReturnType<typeof parseDocument> {
  const titles = sectionsOf(text).map(({ title }) => title);
  if (titles.some((title) => sectionNamed(title) !== undefined)) return parseDocument(text);
  const expected = SECTIONS.map(({ title }) => `## ${title}`).join("\n  ");
  throw new UsageError(
    `${path} is not a handoff document: it has none of the sections of one.\nExpected some of these:\n  ${expected}`,
  );
}

/** The agent that wrote the document, where there is still one of that name. */
export function agentOf({ head }: Loaded, config: Config): string | undefined {
  return config.agents.find(({ name }) => name === head.agent)?.name;
}

export async function factsOf(
  { head }: Pick<Loaded, "head">,
  job: Job,
  store: Store,
): Promise<Facts | undefined> {
  let facts: Facts | undefined;
  for await (const event of eventsSoFar(store, job.id, 0)) {
    if (event.type === "facts:collected" && event.handoffNumber === head.number) facts = event.facts;
  }
  return facts;
}

/** What the user asks for with the command. What a document says that they asked is not their word. */
const REQUEST = "Continue the work that the handoff document describes.";
