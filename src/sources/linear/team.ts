import { SourceError } from "../source.ts";
import type { LinearApi } from "./api.ts";
import { CREATE_LABEL, LABELS, TEAM } from "./queries.ts";
import { LabelMade, Labels, type Person, read, type State, Team } from "./shapes.ts";

/** Names of states; where one is missing, it is told by its type and place. */
export interface WantedStates {
  ready?: string;
  inProgress?: string;
  inReview?: string;
}

/** A team as it is now: names mean nothing across teams, ids are what counts. */
export interface KnownTeam {
  id: string;
  key: string;
  viewer: Person;
  states: State[];
}

const sameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();
const byPlace = (a: State, b: State) => a.position - b.position;

/** Undefined: there is none of this key, or the account may not see it. */
export async function readTeam(
  api: LinearApi,
  key: string,
  signal: AbortSignal,
): Promise<KnownTeam | undefined> {
  const { viewer, teams } = read(Team, await api.ask({ query: TEAM, variables: { key }, signal }));
  const [team] = teams.nodes;
  return team && { id: team.id, key: team.key, viewer, states: team.states.nodes.toSorted(byPlace) };
}

export interface TeamStates {
  ready: State | undefined;
  inProgress: State | undefined;
  inReview: State | undefined;
}

/** Todo is the first that is unstarted, In Progress the first that is started, In Review the next one after that. Never one that is done. */
export function statesOf({ states }: KnownTeam, wanted: WantedStates): TeamStates {
  const started = states.filter(({ type }) => type === "started");
  const named = (name: string | undefined, otherwise: State | undefined) =>
    name === undefined ? otherwise : states.find((state) => sameName(state.name, name));
  return {
    ready: named(
      wanted.ready,
      states.find(({ type }) => type === "unstarted"),
    ),
    inProgress: named(wanted.inProgress, started[0]),
    inReview: named(wanted.inReview, started[1]),
  };
}

/** Labels of the team, and those of all teams. By name, in small letters. */
export async function labelIds(
  api: LinearApi,
  { id: team }: Pick<KnownTeam, "id">,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const variables = { names: names.map((name) => ({ name: { eqIgnoreCase: name } })) };
  const { issueLabels } = read(Labels, await api.ask({ query: LABELS, variables, signal }));
  const usable = issueLabels.nodes.filter(
    (label) => !label.isGroup && (!label.team || label.team.id === team),
  );
  // The team's own comes last, and so counts.
  const ordered = usable.toSorted((a, b) => Number(Boolean(a.team)) - Number(Boolean(b.team)));
  return new Map(ordered.map(({ id, name }) => [name.toLowerCase(), id]));
}

/** One that somebody made meanwhile, or an answer that was lost, is as good. */
export async function createLabel(
  api: LinearApi,
  team: Pick<KnownTeam, "id">,
  name: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const variables = { input: { name, teamId: team.id } };
    const made = await api.ask({ query: CREATE_LABEL, variables, signal });
    return read(LabelMade, made).issueLabelCreate.issueLabel.id;
  } catch (error) {
    if (!(error instanceof SourceError && error.code === "refused")) throw error;
    const id = (await labelIds(api, team, [name], signal)).get(name.toLowerCase());
    if (id === undefined) throw error;
    return id;
  }
}
