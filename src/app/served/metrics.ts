import { latestId } from "../../store/feed.ts";
import { countHandoffs } from "../../store/job-list.ts";
import { spendByModel } from "../../store/spend.ts";
import { sumsOfJobs } from "../../store/sums.ts";
import { version } from "../../version.ts";
import { inboxIn } from "../inbox/inbox.ts";
import { fleetOf } from "./fleet.ts";
import type { ServedProject } from "./projects.ts";

type Labels = Readonly<Record<string, string>>;

/** A figure that goes up and down, or one that only grows. */
export interface Metric {
  name: string;
  help: string;
  type: "gauge" | "counter";
  samples: { labels: Labels; value: number }[];
}

/** What these projects come to, as the stores keep it up to date: no event is looked at for it. */
export async function metricsOf(projects: readonly ServedProject[]): Promise<Metric[]> {
  const metrics = new Metrics();
  metrics.add("baton_build_info", "gauge", "The version of Baton.", { version: version() }, 1);
  const { projects: fleets } = await fleetOf(projects);
  for (const { key, name, state, running, queue, slots } of fleets) {
    const project = { project: name, project_key: key };
    metrics.add(
      "baton_fleet_up",
      "gauge",
      "Whether a fleet runs the project.",
      project,
      state === "not running" ? 0 : 1,
    );
    metrics.add("baton_jobs_running", "gauge", "Jobs that the fleet runs.", project, running.length);
    metrics.add("baton_jobs_queued", "gauge", "Jobs that wait in the queue.", project, queue.length);
    const { taken = 0, total = 0 } = slots ?? {};
    metrics.add(
      "baton_slots",
      "gauge",
      "Slots for jobs, of all projects of the fleet together.",
      project,
      total,
    );
    metrics.add("baton_slots_taken", "gauge", "Slots in which a job runs.", project, taken);
  }
  for (const where of projects) await addRecords(metrics, where);
  return metrics.all;
}

async function addRecords(metrics: Metrics, { key, name, project: of, store }: ServedProject): Promise<void> {
  const project = { project: name, project_key: key };
  const byStatus = new Map<string, { labels: Labels; jobs: number }>();
  for (const { agent, status, jobs } of await sumsOfJobs(store)) {
    const labels = { ...project, agent, status };
    const id = JSON.stringify(labels);
    byStatus.set(id, { labels, jobs: (byStatus.get(id)?.jobs ?? 0) + jobs });
  }
  for (const { labels, jobs } of byStatus.values()) {
    metrics.add("baton_jobs", "gauge", "Jobs on record, by agent and status.", labels, jobs);
  }
  for (const { agent, model, ...spent } of await spendByModel(store)) {
    const labels = { ...project, agent, model };
    // A program's own figure can be lower than what was estimated before it, so that these can go down.
    metrics.add("baton_cost_usd", "gauge", "What was spent, with what was simulated.", labels, spent.costUsd);
    metrics.add(
      "baton_simulated_cost_usd",
      "gauge",
      "The part of it that was simulated, so nobody pays it.",
      labels,
      spent.simulatedUsd,
    );
    metrics.add("baton_responses_total", "counter", "Responses of models.", labels, spent.responses);
    const tokens = {
      input: spent.input,
      output: spent.output,
      cache_read: spent.cacheRead,
      cache_write: spent.cacheWrite,
    };
    for (const [type, count] of Object.entries(tokens)) {
      metrics.add("baton_tokens_total", "counter", "Tokens, by type.", { ...labels, type }, count);
    }
  }
  metrics.add(
    "baton_handoffs",
    "gauge",
    "Handoffs of the jobs on record.",
    project,
    await countHandoffs(store),
  );
  metrics.add("baton_events_total", "counter", "Events that were recorded.", project, await latestId(store));
  const inbox = await inboxIn(of, store, new Date());
  metrics.add("baton_inbox", "gauge", "What waits for a person.", project, inbox.length);
}

/** Those of one name stand together. */
class Metrics {
  readonly #named = new Map<string, Metric>();

  get all(): Metric[] {
    return [...this.#named.values()];
  }

  add(name: string, type: Metric["type"], help: string, labels: Labels, value: number): void {
    const known = this.#named.get(name) ?? { name, help, type, samples: [] };
    known.samples.push({ labels, value });
    this.#named.set(name, known);
  }
}
