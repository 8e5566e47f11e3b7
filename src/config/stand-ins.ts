import { given } from "../util/given.ts";
import { nearest } from "../util/nearest.ts";
import type { AgentConfig, Config } from "./config.ts";
import type { Problem } from "./error.ts";
import { entryOf } from "./reader/reader.ts";
import { alternatives } from "./reader/values.ts";
import { knowsCost } from "./runtimes/refuse.ts";
import { abilitiesOf } from "./runtimes/runtimes.ts";
import type { ActingPart } from "./trust/acting.ts";
import { placeOf } from "./yaml/source.ts";
import type { Located } from "./yaml/tree.ts";

/**
 * Another agent as it runs a job of the first one: on its own program, with its own model, rights and window. Where the job
 * works, what it may spend, who hears of it, how it hands off and what comes after a limit stay the first one's.
 */
export function standingIn(first: AgentConfig, other: AgentConfig): AgentConfig {
  const { workingDirectory, repository, workspace, handoff, hooks, notify, limits } = first;
  const { mode, timeoutMs, maxHandoffsPerJob, onLimit, notAfter, fallback, switchBack } = first.session;
  const { maxRetries, retryBackoffMs } = first.session;
  const { notAfter: _its, ...itsOwn } = other.session;
  return {
    ...other,
    ...{ workingDirectory, repository, workspace, handoff, hooks, notify, limits },
    session: {
      ...itsOwn,
      ...{ mode, timeoutMs, maxHandoffsPerJob, onLimit, fallback, switchBack, maxRetries, retryBackoffMs },
      ...given({ notAfter }),
    },
  };
}

/** An agent as the files have it, where the user chose another model for the one that they start. */
export function withOwnModel({ model, ...agent }: AgentConfig, { configuredModels }: Config): AgentConfig {
  const own = configuredModels ? configuredModels[agent.name] : model;
  return { ...agent, ...given({ model: own }) };
}

/** What the files say of each agent, in the same order. */
type WrittenInOrder = readonly { name: string; value: Located }[];

/** A list that holds for several agents, as one in `defaults` does, holds for each without itself. */
export function withoutThemselves(agents: readonly AgentConfig[], written: WrittenInOrder): AgentConfig[] {
  const places = written.map(({ value }) => entryOf(entryOf(value, "session")?.value, "fallback")?.keySpan);
  const isShared = (index: number) =>
    places.filter((at) => at?.file === places[index]?.file && at?.start === places[index]?.start).length > 1;
  return agents.map((agent, index) => {
    const { fallback, onLimit } = agent.session;
    if (!fallback.includes(agent.name) || !isShared(index)) return agent;
    const others = fallback.filter((name) => name !== agent.name);
    const alone = others.length === 0 && onLimit === "switch" ? { onLimit: "wait" as const } : {};
    return { ...agent, session: { ...agent.session, fallback: others, ...alone } };
  });
}

interface WrittenAgents extends Pick<Config, "chosen"> {
  agents: readonly AgentConfig[];
  written: WrittenInOrder;
  acting: readonly ActingPart[];
  file: string;
}

/** What is wrong with who stands in for whom, at the place where it is written. */
export function wrongStandIns({ agents, written, acting, file, chosen }: WrittenAgents): Problem[] {
  const isChosenCost = chosen?.maxCostUsd !== undefined;
  return agents.flatMap((agent, index) => {
    const session = entryOf(written[index]?.value, "session")?.value;
    const named = entryOf(session, "fallback");
    const items = named?.value.kind === "list" ? named.value.items : [];
    const at = (item: number) => {
      const span = items[item]?.span ?? named?.keySpan;
      return span ? placeOf(span) : { file };
    };
    const names = agents.map(({ name }) => name);
    const { fallback, onLimit } = agent.session;
    const problems: Problem[] = fallback.flatMap((name, item) => {
      const wrong = wrongName({ agent, name, earlier: fallback.slice(0, item), names, agents, isChosenCost });
      return wrong ? [{ ...at(item), ...wrong }] : [];
    });
    // Whoever has not agreed to the list yet is asked for that first.
    const isWithheld = acting.some(
      ({ key, trust, agent: of }) =>
        key.endsWith("session.fallback") && trust.state !== "trusted" && (of ?? agent.name) === agent.name,
    );
    if (onLimit === "switch" && fallback.length === 0 && (named || !isWithheld)) {
      const where = entryOf(session, "on_limit");
      const others = names.filter((name) => name !== agent.name);
      problems.push({
        ...(where ? placeOf(where.keySpan) : { file }),
        message: `session.on_limit of agent "${agent.name}" is switch, and nobody is named to switch to`,
        fix:
          others.length > 0
            ? `name who takes over: fallback: [${others[0]}]`
            : "configure another agent and name it in session.fallback, or use wait",
      });
    }
    if (onLimit !== "switch" && fallback.length > 0) {
      problems.push({
        ...at(-1),
        message: `session.fallback of agent "${agent.name}" is never used: session.on_limit is ${onLimit}`,
        fix: "set on_limit: switch beside it, or leave it out",
      });
    }
    const back = switchBackOf(written[index]?.value);
    // One in defaults is for those that do switch.
    const isForAnother = agents.some((other, at) => {
      const theirs = switchBackOf(written[at]?.value);
      const isSame = theirs?.file === back?.file && theirs?.start === back?.start;
      return isSame && (at < index || other.session.onLimit === "switch");
    });
    if (back && !isForAnother) {
      problems.push({
        ...placeOf(back),
        message: `session.switch_back of agent "${agent.name}" is never used: session.on_limit is ${onLimit}`,
        fix: "set on_limit: switch beside it, or leave it out",
      });
    }
    return problems;
  });
}

function switchBackOf(agent: Located | undefined) {
  return entryOf(entryOf(agent, "session")?.value, "switch_back")?.keySpan;
}

interface NamedStandIn {
  agent: AgentConfig;
  name: string;
  /** Those that are named before it. */
  earlier: readonly string[];
  names: readonly string[];
  agents: readonly AgentConfig[];
  /** The limit in dollars is for the job at hand, and looked at with that. */
  isChosenCost: boolean;
}

function wrongName({
  agent,
  name,
  earlier,
  names,
  agents,
  isChosenCost,
}: NamedStandIn): Pick<Problem, "message" | "fix"> | undefined {
  const of = `session.fallback of agent "${agent.name}"`;
  const other = agents.find((each) => each.name === name);
  if (!other) {
    const close = nearest(name, names);
    const others = names.filter((each) => each !== agent.name);
    return {
      message: `${of} names "${name}", and there is no such agent`,
      fix:
        close !== undefined && close !== agent.name
          ? `did you mean "${close}"?`
          : others.length > 0
            ? `name one of your agents: ${alternatives(others)}`
            : "configure that agent, or leave it out",
    };
  }
  if (name === agent.name) {
    return { message: `${of} names the agent itself`, fix: "name another one, or leave it out" };
  }
  if (earlier.includes(name)) return { message: `${of} names "${name}" twice`, fix: "leave one out" };
  const can = abilitiesOf(other.runtime, other.command);
  if (agent.limits.costUsd !== undefined && !isChosenCost && !knowsCost(can, other)) {
    const instead = "limit turns or duration instead";
    return {
      message: `${of} names "${name}", whose runtime ${other.runtime} does not tell what it costs, so limits.cost_usd could not hold`,
      fix:
        can.usage === "each response"
          ? `say what its models cost in prices of "${name}", or ${instead}`
          : instead,
    };
  }
  return undefined;
}
