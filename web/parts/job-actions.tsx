import { api } from "../data/api.ts";
import type { JobRow } from "../data/fleet.ts";
import { type Key, useKeys } from "../data/keys.ts";
import { attempt } from "./attempt.ts";
import { counted } from "./words.ts";

interface Action {
  name: string;
  key: string;
  /** In the past, for what is said afterwards. */
  done: string;
  can: (row: JobRow) => boolean;
  run: (job: string) => Promise<unknown>;
  /** It cannot be taken back, so it is asked about first. */
  isFinal?: true;
}

const AT_WORK = new Set(["running", "waiting"]);
const STOPPED = new Set(["paused", "failed", "interrupted", "cancelled"]);
const OVER = new Set([...STOPPED, "completed"]);

const ACTIONS: readonly Action[] = [
  {
    name: "Pause",
    key: "p",
    done: "will pause at the next boundary",
    can: ({ status }) => AT_WORK.has(status),
    run: (job) => api.pauseJob({ job }),
  },
  {
    name: "Resume",
    key: "r",
    done: "continues",
    can: ({ status }) => STOPPED.has(status),
    run: (job) => api.resumeJob({ job }, {}),
  },
  {
    name: "Hand off now",
    key: "h",
    done: "hands off at the next boundary",
    can: ({ status }) => status === "running",
    run: (job) => api.handOffJob({ job }, {}),
  },
  {
    name: "Retry",
    key: "R",
    done: "starts again from its base, as a new job",
    can: ({ status }) => OVER.has(status),
    run: (job) => api.retryJob({ job }),
  },
  {
    name: "Fork",
    key: "f",
    done: "is forked into a new job",
    can: () => true,
    run: (job) => api.forkJob({ job }, {}),
  },
  {
    name: "Cancel",
    key: "c",
    done: "is cancelled",
    can: ({ status }) => AT_WORK.has(status) || status === "queued" || STOPPED.has(status),
    run: (job) => api.cancelJob({ job }),
    isFinal: true,
  },
];

interface JobActionsProps {
  jobs: readonly JobRow[];
  /** How many of them were marked: none, if it is just where the person is. */
  marked: number;
  done: () => void;
}

/** What can be done with a job, or with all that are marked. Only what all of them can is offered. */
export function JobActions({ jobs, marked, done }: JobActionsProps) {
  const offered = jobs.length === 0 ? [] : ACTIONS.filter(({ can }) => jobs.some(can));
  const act = async (action: Action) => {
    const fit = jobs.filter(action.can);
    const what = fit.length === 1 ? `“${fit[0]?.title}”` : counted(fit.length, "job");
    if (action.isFinal && !confirm(`${action.name} ${what}? Its work stays where it is, on its branch.`))
      return;
    const results = await Promise.all(fit.map(({ id }) => attempt(() => action.run(id))));
    const worked = results.filter(Boolean).length;
    if (worked > 0)
      await attempt(async () => done(), `${worked === 1 ? what : counted(worked, "job")} ${action.done}.`);
  };
  useKeys(
    offered.map(
      (action): Key => ({
        key: action.key,
        does: `${action.name.toLowerCase()} the job`,
        run: () => void act(action),
      }),
    ),
  );
  return (
    <div class="acts" role="toolbar" aria-label="What to do with it">
      {marked > 0 && <span class="soft">{marked} marked</span>}
      {offered.map((action) => (
        <button type="button" key={action.name} onClick={() => void act(action)}>
          {action.name}
          <kbd>{action.key}</kbd>
        </button>
      ))}
    </div>
  );
}
