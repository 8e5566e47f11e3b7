import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Config } from "../config/config.ts";
import { SECTIONS } from "../handoff/account.ts";
import { parseDocument } from "../handoff/document.ts";
import { requestIn } from "../handoff/facts-section.ts";
import { findDocument } from "../handoff/history.ts";
import { sectionNamed, sectionsOf } from "../handoff/markdown.ts";
import { newJob } from "../jobs/new-job.ts";
import { JobNotFoundError } from "../store/errors.ts";
import { findJob } from "../store/jobs.ts";
import type { Store } from "../store/store.ts";
import { printEnd } from "./display/job-end.ts";
import { oneLine } from "./display/style.ts";
import { fitted } from "./display/width.ts";
import { BrokenOffError, exitCodeOf, UsageError } from "./exit.ts";
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
  path: string,
  name: string | undefined,
  options: ContinueOptions,
): Promise<number> {
  const document = await findDocument(resolve(path));
  const loaded = await load(document);
  const project = findProject(options);
  const config = await configOf(project);
  const agent = await readyAgent(config, name ?? agentOf(loaded, config));
  if (!options.json && !options.yes) await confirm(loaded);

  const { drive } = await import("./drive.ts");
  await using store = await openProjectStore(project);
  const request = await requestOf(loaded, store);
  const id = await newJob(store, { ...config, continues: { document } }, agent, request);
  const job = await drive({ store, config: agent, job: id, json: options.json ?? false });
  if (!options.json) printEnd(job);
  return exitCodeOf(job.status);
}

async function load(path: string): Promise<Loaded> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    const why = error instanceof Error ? error.message : error;
    throw new UsageError(`The handoff document cannot be read: ${why}`);
  });
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

/** As exactly as it is known: from the job that handed off, else from the document. */
async function requestOf({ head, account, facts }: Loaded, store: Store): Promise<string> {
  const known = head.job === undefined ? undefined : await promptOf(head.job, store);
  return (
    known ??
    (requestIn(facts) || account.goal || "Go on with the work that the handoff document describes.")
  );
}

async function promptOf(id: string, store: Store): Promise<string | undefined> {
  try {
    const job = await findJob(store, id);
    return job.id === id ? job.prompt : undefined;
  } catch (error) {
    if (error instanceof JobNotFoundError) return undefined;
    throw error;
  }
}
