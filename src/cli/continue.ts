import { createInterface } from "node:readline/promises";
import type { Config } from "../config/config.ts";
import { printEnd } from "../display/job-end.ts";
import { oneLine } from "../display/style.ts";
import { fitted } from "../display/width.ts";
import { SECTIONS } from "../handoff/account.ts";
import { parseDocument } from "../handoff/document.ts";
import type { Facts } from "../handoff/facts.ts";
import { requestIn } from "../handoff/facts-section.ts";
import { sectionNamed, sectionsOf } from "../handoff/markdown.ts";
import type { Job } from "../job/job.ts";
import { newJob } from "../jobs/new-job.ts";
import { JobNotFoundError } from "../store/errors.ts";
import { findJob } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { readDocument } from "./document.ts";
import { BrokenOffError, exitCodeOf, UsageError } from "./exit.ts";
import { eventsSoFar } from "./follow.ts";
import { configOf, findProject, openProjectStore } from "./project.ts";
import { readyAgent } from "./ready.ts";

export interface ContinueOptions {
  config?: string;
  json?: boolean;
  yes?: boolean;
}

type Loaded = ReturnType<typeof parseDocument>;

/** Starts a new job from a handoff document, whoever wrote it. */
export async function continueFrom(
  named: string,
  name: string | undefined,
  options: ContinueOptions,
): Promise<number> {
  const { path: document, text } = await readDocument(named);
  const loaded = load(document, text);
  const project = findProject(options);
  const config = await configOf(project);
  const agent = await readyAgent(config, name ?? agentOf(loaded, config));
  if (!options.json && !options.yes) await confirm(loaded);

  const { drive } = await import("./drive.ts");
  await using store = await openProjectStore(project);
  const earlier = await earlierJob(loaded, store);
  const facts = earlier && (await factsOf(loaded, earlier, store));
  const origin = { ...config, continues: { document, ...(facts && { facts }) } };
  const id = await newJob(store, origin, agent, earlier?.prompt ?? requestOf(loaded));
  const job = await drive({
    store,
    config: agent,
    maintenance: config.maintenance,
    job: id,
    json: options.json ?? false,
  });
  if (!options.json) printEnd(job);
  return exitCodeOf(job.status);
}

function load(path: string, text: string): Loaded {
  const titles = sectionsOf(text).map(({ title }) => title);
  if (titles.some((title) => sectionNamed(title) !== undefined)) return parseDocument(text);
  const expected = SECTIONS.map(({ title }) => `## ${title}`).join("\n  ");
  throw new UsageError(
    `${path} is no handoff document: it has none of the sections that one is made of.\nExpected are some of these:\n  ${expected}`,
  );
}

/** The agent that wrote the document, where there is still one of that name. */
function agentOf({ head }: Loaded, config: Config): string | undefined {
  return config.agents.find(({ name }) => name === head.agent)?.name;
}

const LONGEST_TASK = 200;

async function confirm({ account }: Loaded): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return;
  const task = fitted(oneLine(account.goal || account.nextSteps[0] || "not said"), LONGEST_TASK);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("n")));
  const question = `Handoff loaded. Current task: ${task}\nContinue? [Y/n] `;
  const answer = await Promise.race([terminal.question(question).catch(() => "n"), closed]);
  terminal.close();
  if (!/^(?:y(?:es)?)?$/i.test(answer.trim())) throw new BrokenOffError("Nothing was started.");
}

/** The job that the document says it is of, where that is on record here. */
async function earlierJob({ head }: Loaded, store: Store): Promise<Job | undefined> {
  if (!head.job) return undefined;
  try {
    const job = await findJob(store, head.job);
    return job.id === head.job ? job : undefined;
  } catch (error) {
    if (error instanceof JobNotFoundError) return undefined;
    throw error;
  }
}

async function factsOf({ head }: Loaded, job: Job, store: Store): Promise<Facts | undefined> {
  let facts: Facts | undefined;
  for await (const event of eventsSoFar(store, job.id, 0)) {
    if (event.type === "facts:collected" && event.handoffNumber === head.number) facts = event.facts;
  }
  return facts;
}

function requestOf({ account, facts }: Loaded): string {
  return requestIn(facts) || account.goal || "Go on with the work that the handoff document describes.";
}
