import { resolve } from "node:path";
import type { Command } from "commander";
import { agentsAtAGlance, type GlimpsedJob, jobsAtAGlance, shortId } from "../../app/glance.ts";
import { findProject, type Project } from "../../app/project.ts";
import { print } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { fitted } from "../../display/width.ts";
import { age } from "../../util/figures.ts";
import { type Candidate, type Wanted, wanted } from "./wanted.ts";

/**
 * Answers a shell: in the first line what it should complete by itself, `:files`, `:folders` or `:`, then a candidate a line, with
 * what it means after a tab. Reads only, starts nothing, and has no answer where something is wrong.
 */
export async function complete(baton: Command, words: readonly string[]): Promise<number> {
  const want = wanted(baton, words);
  const found = await Promise.all(want.values.map((value) => candidates(value, want).catch(() => [])));
  const itself = want.values.find(({ kind }) => kind === "files" || kind === "folders")?.kind ?? "";
  const lines = found
    .flat()
    .filter(({ word }) => word.startsWith(want.typed) && isPlain(word))
    .map(({ word, does }) => `${want.lead}${word}\t${fitted(oneLine(does), LONGEST)}`);
  print([`:${itself}`, ...lines].join("\n"));
  return 0;
}

const LONGEST = 70;

/** A shell puts it into the line as it is. */
function isPlain(word: string): boolean {
  return /^[\w@%+./-]+$/.test(word);
}

async function candidates(value: Wanted["values"][number], want: Wanted): Promise<Candidate[]> {
  switch (value.kind) {
    case "words":
      return value.words;
    case "jobs":
      return jobs(await jobsAtAGlance(projectOf(want), value.statuses), want.typed);
    case "agents":
      return (await agentsAtAGlance(projectOf(want))).map((word) => ({ word, does: "agent" }));
    case "scenarios": {
      const { scenarios } = await import("../../simulator/scenarios/index.ts");
      return Object.values(scenarios).map((make) => ({ word: make().name, does: make().summary }));
    }
    case "files":
    case "folders":
      return [];
  }
}

function projectOf({ config, folder = "." }: Wanted): Project {
  return findProject(config === undefined ? {} : { config }, resolve(folder));
}

/** By what people name them, or by the whole id where they have begun to type that. */
function jobs(found: GlimpsedJob[], typed: string): Candidate[] {
  const now = Date.now();
  return found.map(({ id, status, createdAt, prompt }) => ({
    word: typed.startsWith("jo") ? id : shortId(id),
    does: `${status}, ${age(now - Date.parse(createdAt))} ago: ${prompt}`,
  }));
}
