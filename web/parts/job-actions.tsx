import { api } from "../data/api.ts";
import type { JobRow } from "../data/fleet.ts";
import { type Key, useKeys } from "../data/keys.ts";
import { ask, isSure } from "./ask.tsx";
import { attempt } from "./attempt.ts";
import { raisedLimit } from "./limit.ts";
import { draft, over } from "./palette.tsx";
import { say } from "./said.tsx";
import { counted, money } from "./words.ts";

interface Action {
  name: string;
  key: string;
  /** What is said afterwards, of one and of several. */
  done: [one: string, several: string];
  can: (row: JobRow) => boolean;
  run: (row: JobRow, words: string) => Promise<unknown>;
  /** Asked before. Undefined: the person thought better of it. */
  before?: (what: string) => Promise<string | undefined>;
}

const AT_WORK = new Set(["running", "waiting"]);
const STOPPED = new Set(["paused", "failed", "interrupted", "cancelled"]);
const OVER = new Set([...STOPPED, "completed"]);

const ACTIONS: readonly Action[] = [
  {
    name: "Pause",
    key: "p",
    done: ["will pause at the next boundary", "will pause at their next boundaries"],
    can: ({ status }) => AT_WORK.has(status),
    run: ({ id: job }) => api.pauseJob({ job }),
  },
  {
    name: "Resume",
    key: "r",
    done: ["continues", "continue"],
    can: ({ status }) => STOPPED.has(status),
    run: ({ id: job }) => api.resumeJob({ job }, {}),
  },
  {
    name: "Raise the limit and resume",
    key: "l",
    done: ["continues with a higher limit", "continue with higher limits"],
    can: (row) => raisedLimit(row) !== undefined,
    run: (row) => api.resumeJob({ job: row.id }, { maxCostUsd: raisedLimit(row) }),
  },
  {
    name: "Hand off now",
    key: "h",
    done: ["hands off at the next boundary", "hand off at their next boundaries"],
    can: ({ status }) => status === "running",
    run: ({ id: job }) => api.handOffJob({ job }, {}),
  },
  {
    name: "Start it next",
    key: "t",
    done: ["is the first in the queue", "are the first in the queue"],
    can: ({ status }) => status === "queued",
    run: ({ id: job }) => api.moveJob({ job }, { to: "first" }),
  },
  {
    name: "Retry",
    key: "R",
    done: ["starts again, as a new job", "start again, as new jobs"],
    can: ({ status }) => OVER.has(status),
    run: ({ id: job }) => api.retryJob({ job }),
    before: async (what) => {
      const text = "A new job with the same request, from the same beginning. This one stays as it is.";
      return (await isSure({ title: `Retry ${what}?`, text, does: "Retry" })) ? "" : undefined;
    },
  },
  {
    name: "Fork",
    key: "f",
    done: ["is forked into a new job", "are forked into new jobs"],
    can: ({ sessions }) => sessions > 0,
    run: ({ id: job }, says) => api.forkJob({ job }, says === "" ? {} : { says }),
    before: (what) =>
      ask({
        title: `Fork ${what}?`,
        text: "A new job continues from here in a worktree of its own. This one stays as it is.",
        does: "Fork",
        words: {
          label: "What should the fork do differently?",
          placeholder: "What should it do differently? It is added to the request.",
        },
      }),
  },
  {
    name: "Cancel",
    key: "c",
    done: ["is cancelled", "are cancelled"],
    can: ({ status }) => AT_WORK.has(status) || status === "queued" || STOPPED.has(status),
    run: ({ id: job }) => api.cancelJob({ job }),
    before: async (what) => {
      const text = "Its work stays where it is, on its branch.";
      return (await isSure({ title: `Cancel ${what}?`, text, does: "Cancel it" })) ? "" : undefined;
    },
  },
];

/** The same agent and request, for the person to change before they start it. */
async function startAsDraft({ id, project, agent, costLimitUsd }: JobRow): Promise<void> {
  const { prompt } = await api.getJob({ job: id });
  draft.value = { project, agent, prompt, ...(costLimitUsd !== undefined && { most: costLimitUsd }) };
  over.value = "new job";
}

interface JobActionsProps {
  jobs: readonly JobRow[];
  /** How many of them were marked: none, if it is just where the person is. */
  marked: number;
  done: () => void;
}

/** What can be done with a job, or with all that are marked. What some of them can is offered, and done with these. */
export function JobActions({ jobs, marked, done }: JobActionsProps) {
  const offered = ACTIONS.filter(({ can }) => jobs.some(can));
  const act = async (action: Action) => {
    const fit = jobs.filter(action.can);
    const what = fit.length === 1 ? `“${fit[0]?.title}”` : counted(fit.length, "job");
    const words = action.before ? await action.before(what) : "";
    if (words === undefined) return;
    const results = await Promise.all(fit.map((row) => attempt(() => action.run(row, words))));
    const worked = results.filter(Boolean).length;
    if (worked === 0) return;
    done();
    if (worked === fit.length) say(`${what} ${action.done[fit.length === 1 ? 0 : 1]}.`);
  };
  const [only] = jobs.length === 1 && marked === 0 ? jobs.filter(({ status }) => OVER.has(status)) : [];
  const change = () => only && void attempt(() => startAsDraft(only));
  useKeys([
    ...offered.map(
      (action): Key => ({
        key: action.key,
        does: `${action.name.toLowerCase()}${marked > 0 ? ", all that are marked" : ""}`,
        run: () => void act(action),
      }),
    ),
    ...(only ? [{ key: "E", does: "retry with changes", run: change }] : []),
  ]);
  return (
    <div class="acts" role="toolbar" aria-label="What to do with it">
      {marked > 0 && <span class="soft">{marked} marked</span>}
      {offered.map((action) => (
        <button type="button" key={action.name} onClick={() => void act(action)}>
          {action.key === "l" ? raiseWords(jobs) : action.name}
          <kbd>{action.key}</kbd>
        </button>
      ))}
      {only && (
        <button type="button" onClick={change}>
          Retry with changes<kbd>E</kbd>
        </button>
      )}
    </div>
  );
}

function raiseWords(jobs: readonly JobRow[]): string {
  const limits = new Set(jobs.flatMap((row) => raisedLimit(row) ?? []));
  const [limit] = limits;
  return limits.size === 1 && limit !== undefined
    ? `Raise to ${money(limit)} and resume`
    : "Raise limits and resume";
}
