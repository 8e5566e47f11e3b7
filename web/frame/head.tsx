import { api } from "../data/api.ts";
import { useAsked } from "../data/asked.ts";
import { now } from "../data/clock.ts";
import { fleet, rows } from "../data/fleet.ts";
import { needing } from "../data/inbox.ts";
import { useKeys } from "../data/keys.ts";
import { connection, heardAt } from "../data/live.ts";
import { isSure } from "../parts/ask.tsx";
import { attempt } from "../parts/attempt.ts";
import { costOf } from "../parts/job-line.tsx";
import { lasting, moment, money } from "../parts/words.ts";

/** On every page: how the fleet stands, what it waits for, how current this is, and the button that stops all of it. */
export function Head() {
  const stopAll = async () => {
    if (fleet.value?.halted) {
      await attempt(() => api.unhaltFleet({}), "Work may start again.");
    } else if (
      await isSure({
        title: "Stop all work on this machine?",
        text: "Nothing is lost: jobs rest where they are, nothing starts, and all continue once you lift it.",
        does: "Stop all",
      })
    ) {
      await attempt(
        () => api.haltFleet({}),
        "Everything is being stopped. Nothing starts until you lift it.",
      );
    }
  };
  useKeys([{ key: "!", does: "stop all", run: () => void stopAll() }]);
  return (
    <header class="state" ref={measured}>
      <span class="standing">
        <FleetState />
        <Counts />
      </span>
      <Limits />
      <Spend />
      <span class="end">
        <ConnectionState />
        <button type="button" class="stop" onClick={() => void stopAll()}>
          {fleet.value?.halted ? "Lift the stop" : "Stop all"}
          <kbd>!</kbd>
        </button>
      </span>
    </header>
  );
}

/** How much of the screen it takes: what stays on top of a page stays below it. */
function measured(head: HTMLElement | null): void {
  if (!head) return;
  const style = document.documentElement.style;
  new ResizeObserver(() => style.setProperty("--head", `${head.offsetHeight}px`)).observe(head);
}

function FleetState() {
  const state = fleet.value;
  if (!state) return <span>…</span>;
  if (state.halted) {
    return (
      <span>
        <i class="dot bad" />
        <b>
          Stopped since {moment(state.halted.since, now.value)} by {state.halted.by}: nothing starts
        </b>{" "}
        <Why did={["halt", "haltFleet"]} />
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
      {isDraining ? "draining: nothing more starts" : "its queue is paused"}{" "}
      <Why did={isDraining ? ["stop", "drainFleet"] : ["queue pause", "pauseFleet"]} />
    </span>
  );
}

/** Who made it so stands on the audit trail: on a terminal, or here. */
function Why({ did }: { did: readonly string[] }) {
  return (
    <a class="link" href={`/activity?what=${encodeURIComponent(did.join(","))}`}>
      why?
    </a>
  );
}

function Counts() {
  const count = (status: string) => rows.value.filter((row) => row.status === status).length;
  return (
    <span>
      <b>{count("running")} running</b>
      {["waiting", "queued"].map((status) => (
        // A narrow screen has room for what there is.
        <span key={status} class={count(status) === 0 ? "only-wide" : undefined}>
          {" "}
          · {count(status)} {status}
        </span>
      ))}{" "}
      ·{" "}
      <a class="link" href="/">
        {needing.value} need{needing.value === 1 ? "s" : ""} you
      </a>
    </span>
  );
}

/** Until when accounts are at their limit: the one that resets first, and how many others there are. */
function Limits() {
  const until = (fleet.value?.projects ?? []).flatMap(({ limits = [] }) => limits);
  const held = new Map(
    until
      .filter((limit) => Date.parse(limit.until) > now.value.getTime())
      .map((limit) => [limit.account, limit]),
  );
  const [first, ...others] = [...held.values()].toSorted((a, b) => (a.until < b.until ? -1 : 1));
  if (!first) return null;
  return (
    <a href="/spend" title={first.message}>
      {first.account} limit resets in <b>{lasting(Date.parse(first.until) - now.value.getTime())}</b>
      {others.length > 0 && ` (and ${others.length} more)`}
    </a>
  );
}

const SPEND_MS = 30_000;

/** Of the budgets of the whole fleet, that which ends first; without one, what was spent today. */
function Spend() {
  const minute = Math.floor(now.value.getTime() / SPEND_MS);
  const { value } = useAsked(spent, [minute]);
  return (
    value && (
      <a href="/spend">
        {value.per} <b>{value.usd}</b> {value.of}
      </a>
    )
  );
}

async function spent(signal: AbortSignal): Promise<{ per: string; usd: string; of?: string }> {
  const { budgets } = await api.listBudgets({}, undefined, { signal });
  const [budget] = budgets.filter(({ scope }) => scope === "fleet");
  if (budget) {
    const { per, costUsd, spentUsd, spentEstimated } = budget;
    const usd = spentUsd === undefined ? "unknown" : `${spentEstimated ? "est. " : ""}${money(spentUsd)}`;
    return { per: per === "day" ? "today" : `this ${per}`, usd, of: `of ${money(costUsd)}` };
  }
  const since = new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
  const { projects } = await api.getCost({ by: "day", since, limit: 1 }, undefined, { signal });
  const totals = projects.map(({ total }) => total);
  const usd = costOf({
    costUsd: totals.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    costEstimated: totals.some(({ costEstimated }) => costEstimated),
    simulatedCostUsd: totals.reduce((sum, { simulatedCostUsd = 0 }) => sum + simulatedCostUsd, 0),
  });
  return { per: "today", usd };
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
const BEHIND_MS = 17_000;

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
