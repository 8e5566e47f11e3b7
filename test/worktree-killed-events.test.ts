import { it } from "vitest";
import type { JobEventType } from "../src/job/events.ts";
import { steady } from "../src/simulator/scenarios/steady.ts";
import { Baton, shown } from "./harness.ts";
import { agentsGone } from "./processes.ts";
import { worktreeProject } from "./worktree.ts";
import { expectDelivered, expectNextJobStarts, type Mending, mend, RUN } from "./worktree-killed.ts";

const STEPS = 1;

/** `next`: where another job is begun afterwards. What is left is the same each time. */
const moments: { at: JobEventType; how: Mending; next?: true }[] = [
  { at: "workspace:creating", how: "start-up", next: true },
  { at: "workspace:ready", how: "resume" },
  { at: "job:closing", how: "start-up" },
  { at: "workspace:committed", how: "resume" },
  { at: "workspace:pushed", how: "start-up" },
  { at: "workspace:removing", how: "resume", next: true },
  { at: "workspace:removed", how: "start-up" },
];

it.each(moments)(
  "killed at $at, a job delivers its work, and leaves nothing to the next",
  async ({ at, how, next }) => {
    const project = await worktreeProject({ scenario: steady({ steps: STEPS }) });
    const first = new Baton(project, RUN);
    await first.event(({ type }) => type === at);
    await first.kill();
    await agentsGone(first);
    const { id, status } = await shown(project);
    // Near its end it may get there before the kill does.
    if (status !== "completed") await mend(project, id, how, at);
    await expectDelivered(project, STEPS, at);
    if (next) await expectNextJobStarts(project, at);
  },
);
