import { randomUUID } from "node:crypto";
import { withoutEnding } from "../../util/text.ts";
import { SourceError, type SourceFinding } from "../source.ts";
import type { LinearApi } from "./api.ts";
import { isOver } from "./items.ts";
import type { LinearSettings } from "./linear.ts";
import { UPDATE } from "./queries.ts";
import { labelIds, readTeam, statesOf } from "./team.ts";

/** What keeps work from being taken from a team, each with what to do. */
export async function checkTeam(
  api: LinearApi,
  { team: key, states: wanted, labels }: Pick<LinearSettings, "team" | "states" | "labels">,
  signal: AbortSignal,
): Promise<SourceFinding[]> {
  const findings: SourceFinding[] = [];
  try {
    const team = await readTeam(api, key, signal);
    if (!team) {
      const problem = `There is no team with the key ${key}, or the account may not see it`;
      return [{ key: "team", problem, remedy: "Write its key, the part before the number in ENG-42." }];
    }
    const found = statesOf(team, wanted);
    const names = team.states.map(({ name }) => name).join(", ");
    const keys = { ready: "states.ready", inProgress: "states.in_progress", inReview: "states.in_review" };
    for (const [which, name] of Object.entries(wanted)) {
      const state = found[which as keyof typeof found];
      if (name !== undefined && !state) {
        const problem = `${key} has no state ${JSON.stringify(name)}`;
        findings.push({ key: keys[which as keyof typeof keys], problem, remedy: `It has: ${names}.` });
      }
      if (name !== undefined && state && isOver(state.type)) {
        const problem = `${JSON.stringify(name)} is a state of issues that are over`;
        const remedy = "Baton closes no issue: name one of those before it.";
        findings.push({ key: keys[which as keyof typeof keys], problem, remedy });
      }
    }
    const known = await labelIds(api, team, [labels.ready], signal);
    if (!known.has(labels.ready.toLowerCase())) {
      const problem = `${key} has no label ${JSON.stringify(labels.ready)}, so no issue can be ready`;
      findings.push({ key: "labels.ready", problem, remedy: "Create it there, or name one that it has." });
    }
    findings.push(...(await ofRights(api, signal)));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    findings.push(findingOf(error));
  }
  return findings;
}

/** A key does not say what it may do. An issue that is not there is changed by nobody, and refused for the key's rights before that. */
async function ofRights(api: LinearApi, signal: AbortSignal): Promise<SourceFinding[]> {
  try {
    await api.ask({ query: UPDATE, variables: { id: randomUUID(), input: {} }, signal });
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    if (error.code === "refused") return [];
    if (error.code !== "no-access") throw error;
    const problem = `The key may not change issues: ${withoutEnding(error.message, ".")}`;
    const remedy = "Make one with the permission to write, under Security & access in Linear.";
    return [{ key: "auth.token_env", problem, remedy }];
  }
  return [];
}

function findingOf({ code, message }: SourceError): SourceFinding {
  const problem = withoutEnding(message, ".");
  switch (code) {
    case "unreachable":
      return {
        key: "api_url",
        problem,
        remedy: "Check the address and the network, then try again.",
        passes: true,
      };
    case "limited":
      return { key: "auth.token_env", problem, remedy: "Try again then.", passes: true };
    case "no-access":
      return { key: "auth.token_env", problem, remedy: "See docs/work-sources.md for what it may need." };
    case "not-found":
      return { key: "team", problem, remedy: "Correct the key of the team." };
    case "refused":
    case "conflict":
      return { key: "api_url", problem, remedy: "Linear's API is at https://api.linear.app/graphql." };
  }
}
