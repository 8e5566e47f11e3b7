import { useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { choosing, useChosen } from "../data/chosen.ts";
import { now } from "../data/clock.ts";
import { fleet, rows } from "../data/fleet.ts";
import { useKeys } from "../data/keys.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { attempt } from "../parts/attempt.ts";
import { cronInWords } from "../parts/cron.ts";
import { Status } from "../parts/status.tsx";
import { counted, lasting, moment, money } from "../parts/words.ts";
import { Week } from "./schedules/week.tsx";

type Schedule = AnswerOf<"listSchedules">["schedules"][number];
type Fire = AnswerOf<"listFires">["fires"][number];

const SHOWN_FIRES = 30;

const idOf = ({ project, agent, name }: Schedule) => `${project}/${agent}/${name}`;

async function asked(signal: AbortSignal): Promise<{ schedules: Schedule[]; fires: Map<string, Fire[]> }> {
  const { schedules } = await api.listSchedules({}, undefined, { signal });
  const lists = await Promise.all(
    schedules.map(async (schedule) => {
      const { project, agent, name } = schedule;
      const wanted = { project, agent, schedule: name, limit: SHOWN_FIRES };
      const { fires } = await api.listFires(wanted, undefined, { signal });
      return [idOf(schedule), fires] as const;
    }),
  );
  return { schedules, fires: new Map(lists) };
}

/** When what runs by itself, and what became of it. */
export default function Schedules() {
  const newest = rows.value[0]?.id;
  const answer = useAsked(asked, [newest, fleet.value?.projects.map(({ state }) => state)]);
  const all = answer.value?.schedules ?? [];
  const chosen = useChosen(all.map(idOf), "schedule");
  const current = all.find((each) => idOf(each) === chosen.id);
  const act = async (work: () => Promise<unknown>, done: string) => {
    if (await attempt(work, done)) answer.reload();
  };
  const run = ({ agent, name, project }: Schedule) =>
    act(() => api.runSchedule({ agent, name }, { project }), `${name} of ${agent} is in the queue.`);
  const pause = ({ agent, name, project, state }: Schedule, until?: Date) =>
    state === "paused"
      ? act(() => api.resumeSchedule({ agent, name }, { project }), `${name} of ${agent} runs again.`)
      : act(
          () => api.pauseSchedule({ agent, name }, { project, ...(until && { until: until.toISOString() }) }),
          `${name} of ${agent} is paused${until ? ` until ${moment(until, now.value)}` : ""}.`,
        );
  useKeys(
    current
      ? [
          { key: "r", does: "run the schedule now", run: () => void run(current) },
          { key: "p", does: "pause or resume the schedule", run: () => void pause(current) },
        ]
      : [],
  );
  return (
    <section>
      <h1>Schedules</h1>
      <Answer of={answer}>
        {({ schedules, fires }) =>
          schedules.length === 0 ? (
            <Nothing
              says="Nothing runs by itself yet. Give an agent schedules in baton.yaml:"
              command={'schedules:\n  nightly: { cron: "0 3 * * *", prompt: "Update the dependencies." }'}
            />
          ) : (
            <>
              <p class="sub">{summary(schedules, now.value)}</p>
              <NobodyFires />
              <div class="rows">
                {schedules.map((schedule) => (
                  <Line
                    key={idOf(schedule)}
                    schedule={schedule}
                    fires={fires.get(idOf(schedule)) ?? []}
                    now={now.value}
                    isChosen={idOf(schedule) === chosen.id}
                    isOpen={chosen.isOpen(idOf(schedule))}
                    choose={() => chosen.choose(idOf(schedule))}
                    toggle={() => chosen.toggle(idOf(schedule))}
                    run={() => void run(schedule)}
                    pause={(until) => void pause(schedule, until)}
                  />
                ))}
              </div>
              <Week schedules={schedules} now={now.value} />
            </>
          )
        }
      </Answer>
    </section>
  );
}

function summary(schedules: readonly Schedule[], at: Date): string {
  const [next] = schedules
    .filter((each) => each.next !== undefined)
    .toSorted((a, b) => ((a.next ?? "") < (b.next ?? "") ? -1 : 1));
  const count = counted(schedules.length, "schedule");
  if (!next?.next) return `${count} · none of them is due`;
  return `${count} · the next is ${next.name} of ${next.agent}, ${moment(next.next, at)}`;
}

/** What is due is only recorded while nobody is there to start it. */
function NobodyFires() {
  const state = fleet.value;
  if (!state) return null;
  if (state.halted)
    return <div class="notice">All work is stopped: what comes due now starts once the stop is lifted.</div>;
  const idle = state.projects.filter((project) => project.state === "not running");
  if (idle.length === 0) return null;
  const names =
    idle.length === state.projects.length ? "" : ` for ${idle.map(({ name }) => name).join(", ")}`;
  return (
    <div class="notice">
      No fleet runs{names}, so nothing would start these. Start it with <code>baton start</code>, or have it
      start when you sign in: <code>baton service install</code>
    </div>
  );
}

interface LineProps {
  schedule: Schedule;
  fires: readonly Fire[];
  now: Date;
  isChosen: boolean;
  isOpen: boolean;
  choose: () => void;
  toggle: () => void;
  run: () => void;
  pause: (until?: Date) => void;
}

const STATES = { on: "completed", paused: "paused", off: "cancelled" } as const;

function Line({ schedule, fires, now, isChosen, isOpen, choose, toggle, run, pause }: LineProps) {
  const { name, agent, when, timezone, state, upcoming, last, pausedUntil } = schedule;
  const words = cronInWords(when);
  return (
    <article
      id={idOf(schedule)}
      class={`entry${isChosen ? " chosen" : ""}`}
      aria-label={`${name} of ${agent}`}
      {...choosing(choose)}
    >
      <div class="line schedule">
        <Status
          status={STATES[state]}
          word={pausedUntil ? `paused until ${moment(pausedUntil, now)}` : state}
        />
        <span class="wide">
          <button type="button" class="plain title" aria-expanded={isOpen} onClick={toggle}>
            {name}
          </button>
          <span class="meta">{[agent, words ?? when, timezone].filter(Boolean).join(" · ")}</span>
        </span>
        <span class="meta wide">
          {upcoming.length === 0 ? "not due" : `next ${upcoming.map((at) => moment(at, now)).join(", ")}`}
        </span>
        <span class="wide">
          <Strip fires={fires} now={now} />
          <span class="meta">{last ? lastInWords(last, now) : "has not been due yet"}</span>
        </span>
        <span class="acts">
          <button type="button" onClick={run}>
            Run now{isChosen && <kbd>r</kbd>}
          </button>
          {state !== "off" && (
            <button type="button" onClick={() => pause()}>
              {state === "paused" ? "Resume" : "Pause"}
              {isChosen && <kbd>p</kbd>}
            </button>
          )}
        </span>
      </div>
      {isOpen && <Details schedule={schedule} fires={fires} now={now} pause={pause} />}
    </article>
  );
}

const TONES: Record<Fire["outcome"], string> = {
  ran: "ok",
  queued: "run",
  looking: "run",
  looked: "ok",
  skipped: "",
  coalesced: "",
  missed: "bad",
};

/** The last outcomes, the newest at the right. Their words are in the details. */
function Strip({ fires, now }: { fires: readonly Fire[]; now: Date }) {
  if (fires.length === 0) return null;
  const counts = Map.groupBy(fires, ({ outcome }) => outcome);
  const words = [...counts].map(([outcome, its]) => `${its.length} ${outcome}`).join(", ");
  return (
    <span class="strip" role="img" aria-label={`The last ${fires.length}: ${words}`}>
      {fires.toReversed().map((fire) => (
        <i
          key={fire.due}
          class={TONES[fire.outcome]}
          title={`${moment(fire.due, now)}: ${outcomeInWords(fire)}`}
        />
      ))}
    </span>
  );
}

function outcomeInWords({ outcome, count, reason }: Fire | NonNullable<Schedule["last"]>): string {
  const many = count > 1 ? ` ${count} times` : "";
  return `${outcome}${many}${reason === undefined ? "" : `: ${reason}`}`;
}

function lastInWords(last: NonNullable<Schedule["last"]>, at: Date): string {
  return `${outcomeInWords(last)} · ${moment(last.due, at)}`;
}

const OVERLAP: Record<Schedule["overlap"], string> = {
  queue: "If one still runs when the next is due, the next waits for it.",
  skip: "If one still runs when the next is due, the next is skipped.",
  parallel: "Runs may overlap.",
};

function catchUpInWords({ catchUp, catchUpWindowMs }: Schedule): string {
  const window = `missed in the last ${lasting(catchUpWindowMs)}`;
  if (catchUp === "skip") return "What was missed while no fleet ran is not made up for.";
  return catchUp === "all"
    ? `Every run ${window} is made up for.`
    : `Of those ${window}, the latest is made up for.`;
}

function usualInWords({ durationMs, costUsd, jobs }: NonNullable<Schedule["usual"]>): string {
  const cost = costUsd ? ` and costs ${money(costUsd)}` : "";
  return `A run usually takes ${lasting(durationMs)}${cost}, by ${jobs === 1 ? "the last one" : `the last ${jobs}`}.`;
}

interface DetailsProps {
  schedule: Schedule;
  fires: readonly Fire[];
  now: Date;
  pause: (until?: Date) => void;
}

function Details({ schedule, fires, now, pause }: DetailsProps) {
  const [until, setUntil] = useState("");
  const { usual, state } = schedule;
  return (
    <div class="details">
      <p>
        Written as <code>{schedule.when}</code>. {OVERLAP[schedule.overlap]} {catchUpInWords(schedule)}
        {usual && ` ${usualInWords(usual)}`}
      </p>
      {state === "paused" && (
        <p>
          It is paused:{" "}
          <a class="link" href="/activity">
            why?
          </a>
        </p>
      )}
      <Written schedule={schedule} />
      {state === "on" && (
        <form
          class="acts"
          onSubmit={(event) => {
            event.preventDefault();
            if (until !== "") pause(new Date(until));
          }}
        >
          <label>
            Pause until{" "}
            <input
              type="datetime-local"
              value={until}
              required
              onInput={(event) => setUntil(event.currentTarget.value)}
            />
          </label>
          <button type="submit">Pause</button>
        </form>
      )}
      {fires.length > 0 && (
        <ul class="plain-list">
          {fires.map((fire) => (
            <li key={fire.due} class="event">
              <span class="at">{moment(fire.due, now)}</span>
              <span />
              <span class="what">
                {fire.job === undefined ? (
                  outcomeInWords(fire)
                ) : (
                  <a class="link" href={`/jobs/${fire.job}`}>
                    {outcomeInWords(fire)}
                  </a>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Where it stands in the configuration. */
function Written({ schedule: { agent, name, project } }: { schedule: Schedule }) {
  const { value } = useAsked(
    (signal) => api.getAgentConfig({ agent, project }, undefined, { signal }),
    [agent, project],
  );
  const own = (value?.values ?? []).filter(({ key, from }) => from && isOf(key, name));
  const [first] = own;
  if (!first?.from) return null;
  return (
    <p>
      In <code>{first.from.file.split("/").at(-1)}</code>, line{" "}
      {Math.min(...own.map(({ from }) => from?.line ?? Infinity))}:{" "}
      {own.map(({ key, value: held }) => (
        <code key={key} class="block">
          {key}: {typeof held === "string" ? held : JSON.stringify(held)}
        </code>
      ))}
    </p>
  );
}

const isOf = (key: string, name: string) =>
  key === `schedules.${name}` || key.startsWith(`schedules.${name}.`);
