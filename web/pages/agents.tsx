import type { AnswerOf } from "../../src/http/contract.ts";
import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { choosing, useChosen } from "../data/chosen.ts";
import { fleet, rows } from "../data/fleet.ts";
import { useKeys } from "../data/keys.ts";
import { Answer, Nothing } from "../parts/answer.tsx";
import { attempt } from "../parts/attempt.ts";
import { Bar } from "../parts/bar.tsx";
import { Status } from "../parts/status.tsx";
import { counted, lasting, money } from "../parts/words.ts";

type Agent = AnswerOf<"listAgents">["agents"][number];

const idOf = ({ project, name }: Agent) => `${project}/${name}`;

/** Who works here: how much of each may run, what their jobs take, and what they were denied. */
export default function Agents() {
  const changes = rows.value.map(({ status }) => status).join();
  const answer = useAsked(
    (signal) => api.listAgents({}, undefined, { signal }),
    [changes, fleet.value?.projects.map(({ isPaused }) => isPaused)],
  );
  const all = answer.value?.agents ?? [];
  const chosen = useChosen(all.map(idOf), "agent");
  const current = all.find((agent) => idOf(agent) === chosen.id);
  const pause = async ({ name: agent, project, isPaused }: Agent) => {
    const isDone = isPaused
      ? await attempt(() => api.resumeAgent({ agent }, { project }), `Jobs of ${agent} start again.`)
      : await attempt(
          () => api.pauseAgent({ agent }, { project }),
          `No more jobs of ${agent} start. What runs goes on.`,
        );
    if (isDone) answer.reload();
  };
  useKeys(current ? [{ key: "p", does: "pause or resume the agent", run: () => void pause(current) }] : []);
  return (
    <section>
      <h1>Agents</h1>
      <Answer of={answer}>
        {({ agents }) =>
          agents.length === 0 ? (
            <Nothing says="No agent is configured. Write a baton.yaml:" command="baton init" />
          ) : (
            <>
              <p class="sub">
                {counted(agents.length, "agent")} · {agents.reduce((sum, { slots }) => sum + slots.taken, 0)}{" "}
                at work
                <span class="hint only-wide">
                  {" · "}
                  <kbd>o</kbd>opens what holds for one
                </span>
              </p>
              <div class="rows">
                {agents.map((agent) => (
                  <Line
                    key={idOf(agent)}
                    agent={agent}
                    isChosen={idOf(agent) === chosen.id}
                    isOpen={chosen.isOpen(idOf(agent))}
                    choose={() => chosen.choose(idOf(agent))}
                    toggle={() => chosen.toggle(idOf(agent))}
                    pause={() => void pause(agent)}
                  />
                ))}
              </div>
            </>
          )
        }
      </Answer>
    </section>
  );
}

interface LineProps {
  agent: Agent;
  isChosen: boolean;
  isOpen: boolean;
  choose: () => void;
  toggle: () => void;
  pause: () => void;
}

function Line({ agent, isChosen, isOpen, choose, toggle, pause }: LineProps) {
  const { name, runtime, model, workspace, slots, queued, isPaused, schedules } = agent;
  const status = isPaused ? "paused" : slots.taken > 0 ? "running" : "queued";
  const about = [runtime, model, workspace === "static" ? undefined : workspace.replaceAll("_", " ")];
  return (
    <article
      id={idOf(agent)}
      class={`entry${isChosen ? " chosen" : ""}`}
      aria-label={name}
      {...choosing(choose)}
    >
      <div class="line agent">
        <Status status={status} word={isPaused ? "paused" : slots.taken > 0 ? "at work" : "idle"} />
        <span class="wide">
          <button type="button" class="plain title" aria-expanded={isOpen} onClick={toggle}>
            {name}
          </button>
          <span class="meta">
            {[...about, schedules > 0 ? counted(schedules, "schedule") : undefined]
              .filter(Boolean)
              .join(" · ")}
            {isPaused && (
              <>
                {" "}
                · paused:{" "}
                <a class="link" href="/activity">
                  why?
                </a>
              </>
            )}
          </span>
        </span>
        <span class="gauge wide">
          <Bar share={slots.total === 0 ? 0 : slots.taken / slots.total} isNear={false} />
          <span>
            {slots.taken} of {slots.total} running{queued > 0 && ` · ${queued} queued`}
          </span>
        </span>
        <span class="meta wide wraps">{usualInWords(agent)}</span>
        <span class="acts">
          <button type="button" onClick={pause}>
            {isPaused ? "Resume" : "Pause"}
            {isChosen && <kbd>p</kbd>}
          </button>
        </span>
      </div>
      {isOpen && <Details agent={agent} />}
    </article>
  );
}

function usualInWords({ usual, counts }: Agent): string {
  const [done = 0, failed = 0] = [counts.completed, counts.failed];
  if (!usual) return "no job of it has ended yet";
  const parts = [
    `usually ${lasting(usual.durationMs)}`,
    ...(usual.costUsd ? [money(usual.costUsd)] : []),
    counted(usual.handoffs, "handoff"),
    `${done} completed, ${failed} failed`,
  ];
  return parts.join(" · ");
}

function Details({ agent }: { agent: Agent }) {
  const { name, project, denied } = agent;
  const config = useAsked(
    (signal) => api.getAgentConfig({ agent: name, project }, undefined, { signal }),
    [name, project],
  );
  return (
    <div class="details">
      {denied.length > 0 && (
        <>
          <h2>Denied most in its last jobs</h2>
          <ul class="plain-list">
            {denied.map(({ tool, call, times, job }) => (
              <li key={`${tool} ${call}`}>
                <a class="link" href={`/jobs/${job}`}>
                  <code>
                    {tool} {call}
                  </code>
                </a>{" "}
                <span class="soft">{times === 1 ? "once" : `${times} times`}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <h2>What holds for it</h2>
      <Answer of={config}>
        {({ values }) => (
          <>
            <Values of={values.filter(({ from }) => from)} />
            <details>
              <summary>{counted(values.filter(({ from }) => !from).length, "value")} built in</summary>
              <Values of={values.filter(({ from }) => !from)} />
            </details>
          </>
        )}
      </Answer>
    </div>
  );
}

type Value = AnswerOf<"getAgentConfig">["values"][number];

function Values({ of }: { of: readonly Value[] }) {
  return (
    <dl class="config">
      {of.map(({ key, value, from }) => (
        <div key={key}>
          <dt>
            <code>{key}</code>
          </dt>
          <dd>
            <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
          </dd>
          <dd class="meta" title={from?.file}>
            {from && `${from.file.split("/").at(-1)}:${from.line}`}
          </dd>
        </div>
      ))}
    </dl>
  );
}
