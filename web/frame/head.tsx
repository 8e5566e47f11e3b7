import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { fleet, rows } from "../data/fleet.ts";
import { inbox } from "../data/inbox.ts";
import { useKeys } from "../data/keys.ts";
import { connection, heardAt } from "../data/live.ts";
import { attempt } from "../parts/attempt.ts";
import { lasting, moment, money } from "../parts/words.ts";

/** On every page: how the fleet stands, what it waits for, how current this is, and the button that stops all of it. */
export function Head() {
  const stopAll = async () => {
    if (fleet.value?.halted) {
      await attempt(() => api.unhaltFleet({}), "Work may start again.");
    } else if (
      confirm("Stop all work of this machine's fleet? Nothing is lost: jobs continue when you lift it.")
    ) {
      await attempt(
        () => api.haltFleet({}),
        "Everything is being stopped. Nothing starts until you lift it.",
      );
    }
  };
  useKeys([{ key: "S", does: "stop all", run: () => void stopAll() }]);
  return (
    <header class="state">
      <FleetState />
      <Counts />
      <Limits />
      <Spend />
      <span class="end">
        <ConnectionState />
        <button type="button" class="stop" onClick={() => void stopAll()}>
          {fleet.value?.halted ? "Lift the stop" : "Stop all"}
        </button>
      </span>
    </header>
  );
}

function FleetState() {
  const state = fleet.value;
  if (!state) return <span>…</span>;
  if (state.halted) {
    return (
      <span>
        <i class="dot bad" />
        <b>Stopped since {moment(state.halted.since, now.value)}: nothing starts</b>
      </span>
    );
  }
  const running = state.projects.filter((project) => project.state !== "not running");
  if (running.length === 0) {
    return (
      <span>
        <i class="dot off" />
        <b>The fleet is not running: nothing will start.</b> <code>baton start</code>
      </span>
    );
  }
  const isDraining = running.every((project) => project.state === "draining");
  const isPaused = running.some((project) => project.isPaused);
  if (!isDraining && !isPaused) return <i class="dot live" role="img" aria-label="The fleet runs" />;
  return (
    <span>
      <i class="dot" />
      {isDraining ? "draining: nothing more starts" : "its queue is paused"}
    </span>
  );
}

function Counts() {
  const count = (status: string) => rows.value.filter((row) => row.status === status).length;
  return (
    <span>
      <b>{count("running")} running</b> · {count("waiting")} waiting · {count("queued")} queued ·{" "}
      <a class="link" href="/">
        {inbox.value.length} need{inbox.value.length === 1 ? "s" : ""} you
      </a>
    </span>
  );
}

/** Until when accounts are at their limit. */
function Limits() {
  const until = (fleet.value?.projects ?? []).flatMap(({ limits = [] }) => limits);
  const next = until.filter((limit) => Date.parse(limit.until) > now.value.getTime());
  const [first] = next.toSorted((a, b) => (a.until < b.until ? -1 : 1));
  if (!first) return null;
  return (
    <span title={first.message}>
      {first.account} limit resets in <b>{lasting(Date.parse(first.until) - now.value.getTime())}</b>
    </span>
  );
}

const SPEND_MS = 30_000;

/** Of the budgets of the whole fleet, that which ends first. */
function Spend() {
  const minute = Math.floor(now.value.getTime() / SPEND_MS);
  const { value } = useAsked((signal) => api.listBudgets({}, undefined, { signal }), [minute]);
  const [budget] = (value?.budgets ?? []).filter(({ scope }) => scope === "fleet");
  if (!budget) return null;
  const { spentUsd, costUsd, per, spentEstimated } = budget;
  return (
    <a href="/spend">
      this {per}{" "}
      <b>{spentUsd === undefined ? "unknown" : `${spentEstimated ? "est. " : ""}${money(spentUsd)}`}</b> of{" "}
      {money(costUsd)}
    </a>
  );
}

/** A changed file that cannot be used is not used: that must not stay unseen. */
export function ConfigurationProblems() {
  const broken = (fleet.value?.projects ?? []).filter(({ configurationProblem }) => configurationProblem);
  return (
    <>
      {broken.map(({ key, name, configurationProblem }) => (
        <p key={key} class="notice bad" role="alert">
          {name}: {configurationProblem?.problem}
        </p>
      ))}
    </>
  );
}

/** The server's heartbeat comes every 15 s. */
const BEHIND_MS = 20_000;

function ConnectionState() {
  const { value } = connection;
  switch (value.state) {
    case "live": {
      const silentMs = now.value.getTime() - heardAt.value.getTime();
      return <span>{silentMs > BEHIND_MS ? `behind ${lasting(silentMs)}` : "live"}</span>;
    }
    case "connecting":
      return <span>connecting …</span>;
    case "offline":
      return <b>offline since {moment(value.since, now.value)}</b>;
    case "refused":
      return <b>{value.problem}</b>;
    case "hidden":
      return <span>paused</span>;
  }
}
