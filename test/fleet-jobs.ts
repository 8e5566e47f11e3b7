import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { hasStore, lookIntoStore } from "../src/app/project.ts";
import type { JobStatus } from "../src/job/job.ts";
import { countJobs, listJobs } from "../src/store/job-list.ts";
import { bash } from "./careful.ts";
import { baton, type TestProject, testProject } from "./harness.ts";
import { eventually } from "./panes.ts";

/** Each job waits until it may end. */
export const waits = {
  name: "waits",
  summary: "Waits for a file, and ends",
  otherwise({ last, results }: { last: string; results: { text: string }[] }) {
    if (results.some(({ text }) => text.includes("went"))) return { say: `Done: ${last}` };
    return { call: bash("until [ -e go ]; do sleep 0.02; done; echo went", "Wait") };
  },
};

const TWO = "instances: { max_concurrent: 2 }";
export const fleetProject = (agent = TWO) => testProject({ scenario: waits, agent, env: { NO_COLOR: "1" } });
export const go = ({ folder }: TestProject) => writeFile(join(folder, "go"), "");

export async function jobsIn({ folder }: TestProject) {
  await using store = await lookIntoStore({ root: folder });
  return (await listJobs(store, 100)).toReversed();
}

export async function counts({ folder }: TestProject): Promise<Partial<Record<JobStatus, number>>> {
  if (!hasStore({ root: folder })) return {};
  await using store = await lookIntoStore({ root: folder });
  return await countJobs(store);
}

export const comesTo = (where: TestProject, wanted: Partial<Record<JobStatus, number>>) =>
  eventually(`jobs are ${JSON.stringify(wanted)}`, async () => {
    const found = await counts(where);
    return JSON.stringify(Object.entries(found).sort()) === JSON.stringify(Object.entries(wanted).sort());
  });

export const queued = async (where: TestProject, ...words: string[]) => {
  const { code, stdout, stderr } = await baton(where, ["run", "--queue", "--json", ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
};

export const status = async (where: TestProject) => (await baton(where, ["status"])).stdout;
