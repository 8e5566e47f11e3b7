import { api } from "../../data/api.ts";
import { rowOf } from "../../data/fleet.ts";
import type { InboxRow } from "../../data/inbox.ts";
import { go } from "../../data/place.ts";
import { isSure } from "../../parts/ask.tsx";
import { raisedLimit } from "../../parts/limit.ts";
import { money } from "../../parts/words.ts";

/** Something that a person can do about a row. */
export interface Deed {
  name: string;
  key: string;
  /** What is said once it is done. Missing where it only leads somewhere. */
  done?: string;
  /** False where the person thought better of it. */
  run: () => Promise<unknown>;
}

/** `because`: what the person has written. The first is what most people do. */
export function deedsOf(row: InboxRow, because: string): Deed[] {
  const every = (work: (job: string) => Promise<unknown>) => () => Promise.all(row.jobs.map(work));
  const several = row.jobs.length > 1 ? ` all ${row.jobs.length}` : "";
  const resume: Deed = {
    name: `Resume${several}`,
    key: "r",
    done: "It continues.",
    run: every((job) => api.resumeJob({ job }, {})),
  };
  const pause: Deed = {
    name: "Pause",
    key: "p",
    done: "It will rest at its next boundary.",
    run: every((job) => api.pauseJob({ job })),
  };
  const leave = (name: string): Deed => ({
    name,
    key: "e",
    done: "It is out of the inbox until it changes.",
    run: () => api.leaveInbox({}, { id: row.id, project: row.project }),
  });
  switch (row.kind) {
    case "approval":
      return [
        { name: "Allow once", key: "a", done: "Allowed.", run: () => answer(row, { answer: "yes" }) },
        {
          name: "Deny",
          key: "d",
          done: "Denied.",
          run: () => answer(row, { answer: "no", ...(because !== "" && { because }) }),
        },
        ...(row.ask?.rule === undefined
          ? []
          : [
              {
                name: "Always in this job",
                key: "A",
                done: "Allowed, and its like for the rest of this job.",
                run: () => answer(row, { answer: "yes", always: true }),
              },
            ]),
        ...look(row, "Look"),
      ];
    case "question":
      return [
        {
          name: "Let the agent decide",
          key: "d",
          done: "The agent decides.",
          run: () => answer(row, { answer: "no" }),
        },
        ...look(row, "Look"),
      ];
    case "stall":
      return [pause, ...look(row, "Look"), cancel(row)];
    case "circles":
      return [pause, ...look(row, "Look"), leave("Leave it"), cancel(row)];
    case "paused":
      return [...raise(row), resume, ...look(row, "Look"), cancel(row)];
    case "failed":
      return [
        resume,
        {
          name: `Retry${several} from the start`,
          key: "R",
          done: "It starts again, as a new job.",
          run: every((job) => api.retryJob({ job })),
        },
        ...look(row, "Look"),
        leave("Leave it"),
      ];
    case "schedule":
      return [
        { name: "Run it now", key: "r", done: "It is in the queue.", run: () => runNow(row) },
        { name: "Look", key: "Enter", run: async () => go("/schedules") },
        leave("Leave it"),
      ];
    case "review":
      return [...look(row, "Review", "/changes"), leave("Reviewed")];
    case "denied":
      return [{ name: "Look", key: "Enter", run: async () => go("/agents") }];
    case "work":
      return [...release(row), ...look(row, "Look"), leave("Leave it to its agent"), cancel(row)];
    case "configuration":
      return [
        {
          name: "Read it again",
          key: "r",
          done: "It was read again, and is used.",
          run: () => reloadConfiguration(row),
        },
      ];
    default:
      return look(row, "Look");
  }
}

function look({ jobs: [job] }: InboxRow, name: string, tab = ""): Deed[] {
  return job === undefined ? [] : [{ name, key: "Enter", run: async () => go(`/jobs/${job}${tab}`) }];
}

/** Where the job stopped at what it may cost. */
function raise({ jobs: [id = ""] }: InboxRow): Deed[] {
  const limit = raisedLimit(rowOf(id));
  if (limit === undefined) return [];
  return [
    {
      name: `Raise to ${money(limit)} and resume`,
      key: "l",
      done: `It continues, and may cost ${money(limit)}.`,
      run: () => api.resumeJob({ job: id }, { maxCostUsd: limit }),
    },
  ];
}

function cancel({ jobs }: InboxRow): Deed {
  return {
    name: "Cancel",
    key: "c",
    done: "It is cancelled.",
    run: async () => {
      const sure = {
        title: "Cancel it?",
        text: "Its work stays where it is, on its branch.",
        does: "Cancel it",
      };
      if (!(await isSure(sure))) return false;
      return Promise.all(jobs.map((job) => api.cancelJob({ job })));
    },
  };
}

/** Gives the item of a job back, and ends the job. */
function release({ item, project }: InboxRow): Deed[] {
  if (!item) return [];
  const { id, source } = item;
  return [
    {
      name: "Release it and end the job",
      key: "u",
      done: "The item is given back, and its job is over.",
      run: () => api.releaseWork({ id }, { project, source }),
    },
  ];
}

async function reloadConfiguration({ project }: InboxRow): Promise<void> {
  const { projects } = await api.reloadFleet({}, { project });
  const problem = projects.find((each) => each.problem !== undefined)?.problem;
  if (problem !== undefined) throw new Error(problem);
}

function runNow({ id, project }: InboxRow): Promise<unknown> {
  const [agent = "", ...name] = id.split("/");
  return api.runSchedule({ agent, name: name.join("/") }, { project });
}

type Reply =
  | { answer: "yes"; always?: boolean }
  | { answer: "no"; because?: string }
  | { answer: "text"; texts: string[] };

/** It holds for what the person was shown, and for nothing else. */
export function answer({ id, ask }: InboxRow, reply: Reply): Promise<unknown> {
  return api.answerAsk({ ask: id }, { ...reply, ...(ask && { digest: ask.digest }) });
}
