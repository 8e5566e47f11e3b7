import { given } from "../../util/given.ts";
import type { AgentConfig } from "../config.ts";
import { DEFAULTS, lasting } from "../defaults.ts";
import type { Place, Problem } from "../error.ts";
import type { AgentLayer } from "../keys/agent.ts";
import type { WorkSourceLayer } from "../keys/work-source.ts";
import { entryOf } from "../reader/reader.ts";
import type { AppAuth, TokenAuth, WorkSourceConfig, WrittenSource } from "../work-source.ts";
import { placeOf } from "../yaml/source.ts";
import type { Located } from "../yaml/tree.ts";

/** What a schedule says over what its agent says. */
export function mergedWorkSource(base: WorkSourceLayer = {}, over: WorkSourceLayer): WorkSourceLayer {
  return {
    ...base,
    ...over,
    labels: { ...base.labels, ...over.labels },
    states: { ...base.states, ...over.states },
    auth: { ...base.auth, ...over.auth },
  };
}

/** Undefined where it says too little to be one. */
export function resolveWorkSource(layer: WorkSourceLayer | undefined): WorkSourceConfig | undefined {
  const { type, repo, team, labels = {}, states = {} } = layer ?? {};
  if (layer === undefined || type === undefined) return undefined;
  const otherwise = DEFAULTS.work_source;
  const common = {
    labels: {
      ready: labels.ready ?? otherwise.labels.ready,
      inProgress: labels.in_progress ?? otherwise.labels.in_progress,
      failed: labels.failed ?? otherwise.labels.failed,
    },
    excludeLabels: layer.exclude_labels ?? [],
    cleanupOnFailure: layer.cleanup_on_failure ?? otherwise.cleanup_on_failure,
    attempts: layer.attempts ?? otherwise.attempts,
    pollMs: layer.poll ?? lasting(otherwise.poll),
    claims: layer.claims ?? otherwise.claims,
    trust: layer.trust ?? otherwise.trust,
  };
  const apiUrl = (usual: string) => (layer.api_url ?? usual).replace(/\/+$/, "");
  if (type === "linear") {
    const { api_url: url, auth } = DEFAULTS.linear;
    const { ready, in_progress: inProgress, in_review: inReview } = states;
    return team === undefined
      ? undefined
      : {
          ...{ type, team, apiUrl: apiUrl(url), ...common },
          states: given({ ready, inProgress, inReview }),
          auth: tokenAuth(layer.auth?.token_env ?? auth.token_env),
        };
  }
  if (repo === undefined) return undefined;
  const auth = appAuth(layer.auth?.app) ?? tokenAuth(layer.auth?.token_env);
  return { type, repo, apiUrl: apiUrl(otherwise.api_url), ...common, auth };
}

type AuthLayer = NonNullable<WorkSourceLayer["auth"]>;

function tokenAuth(env: AuthLayer["token_env"] = DEFAULTS.work_source.auth.token_env): TokenAuth {
  return { kind: "token", env };
}

function appAuth(app: AuthLayer["app"]): AppAuth | undefined {
  const { id, installation, private_key_env: env, private_key_file: file } = app ?? {};
  if (id === undefined || installation === undefined) return undefined;
  const privateKey = env === undefined ? file && { file: file.path } : { env };
  return privateKey && { kind: "app", id: String(id), installation: String(installation), privateKey };
}

interface Where {
  written: Located;
  file: string;
}

/** The sources that an agent takes work from, and what is wrong with them. */
export function workSourcesIn(
  agent: AgentConfig,
  layer: AgentLayer,
  where: Where,
): { sources: WrittenSource[]; problems: Problem[] } {
  const used = usedIn(agent, layer, where);
  const problems = used.flatMap((each) => wrongWith(agent, each));
  const sources = used.flatMap(({ source, schedule, place, keys }): WrittenSource[] =>
    source ? [{ agent: agent.name, ...given({ schedule }), source, place, keys }] : [],
  );
  return { sources, problems: [...problems, ...takenTwice(sources)] };
}

interface Used {
  /** In messages. */
  name: string;
  schedule?: string;
  layer: WorkSourceLayer;
  source: WorkSourceConfig | undefined;
  place: Place;
  keys: Record<string, Place>;
}

/** That of the agent is what its schedules have in common, where any of them has one. */
function usedIn(agent: AgentConfig, layer: AgentLayer, { written, file }: Where): Used[] {
  const base = entryOf(written, "work_source");
  const nowhere = { file, line: 0, column: 0, excerpt: "" };
  const ofAgent = base ? placesIn(base.value) : {};
  const withOne = agent.schedules.filter(({ name }) => layer.schedules?.[name]?.work_source !== undefined);
  if (withOne.length > 0) {
    return withOne.map(({ name, workSource: source }) => {
      const over = layer.schedules?.[name]?.work_source ?? {};
      const at = entryOf(entryOf(entryOf(written, "schedules")?.value, name)?.value, "work_source");
      return {
        name: `schedules.${name}.work_source`,
        schedule: name,
        layer: mergedWorkSource(layer.work_source, over),
        source,
        place: at ? placeOf(at.keySpan) : nowhere,
        keys: { ...ofAgent, ...(at && placesIn(at.value)) },
      };
    });
  }
  if (!base || layer.work_source === undefined) return [];
  return [
    {
      name: "work_source",
      layer: layer.work_source,
      source: agent.workSource,
      place: placeOf(base.keySpan),
      keys: ofAgent,
    },
  ];
}

function placesIn(value: Located, above = ""): Record<string, Place> {
  if (value.kind !== "map") return {};
  const places: Record<string, Place> = {};
  for (const { key, keySpan, value: inner } of value.entries) {
    Object.assign(places, { [`${above}${key}`]: placeOf(keySpan) }, placesIn(inner, `${above}${key}.`));
  }
  return places;
}

function wrongWith({ name: agent, workspace, instances }: AgentConfig, used: Used): Problem[] {
  const { layer, place, keys } = used;
  const problem = (key: string, message: string, fix: string): Problem => ({
    ...(keys[key] ?? place),
    message: `${used.name} of agent "${agent}" ${message}`,
    fix,
  });
  const { type, api_url: url, labels = {}, exclude_labels: excluded = [], auth = {} } = layer;
  const ready = labels.ready ?? DEFAULTS.work_source.labels.ready;
  const inProgress = labels.in_progress ?? DEFAULTS.work_source.labels.in_progress;
  const failed = labels.failed ?? DEFAULTS.work_source.labels.failed;
  const own = [ready, inProgress, failed].map((label) => label.toLowerCase());
  const wrong: Problem[] = [];
  if (type === undefined) wrong.push(problem("type", "does not say which tracker it is", "add type: github"));
  wrong.push(...wrongKind(layer, problem));
  if (url !== undefined && isReadable(url))
    wrong.push(problem("api_url", "sends its token unencrypted", "start it with https://"));
  if (new Set(own).size < own.length)
    wrong.push(
      problem("labels", "uses one label for two things", "give ready, in_progress and failed different ones"),
    );
  if (excluded.some((label) => label.toLowerCase() === ready.toLowerCase()))
    wrong.push(
      problem("exclude_labels", `leaves out "${ready}", by which it takes items`, "keep one of them"),
    );
  if (auth.app !== undefined) wrong.push(...wrongApp(auth.app, problem));
  if (auth.app !== undefined && auth.token_env !== undefined)
    wrong.push(problem("auth", "signs in twice: with a token and as an App", "keep one of them"));
  if (workspace.strategy === "static" && instances.maxConcurrent > 1) {
    const fix = "add workspace: { strategy: git_worktree } to the agent, or instances: { max_concurrent: 1 }";
    wrong.push(problem("", `would have ${instances.maxConcurrent} items worked on in one folder`, fix));
  }
  return wrong;
}

/** What one tracker needs, and the other does not know. */
function wrongKind(
  { type, repo, team, states = {}, auth = {} }: WorkSourceLayer,
  problem: (key: string, message: string, fix: string) => Problem,
): Problem[] {
  const wrong: Problem[] = [];
  if (type === "linear") {
    if (team === undefined)
      wrong.push(problem("team", "does not say whose issues are taken", "add team: ENG"));
    if (repo !== undefined)
      wrong.push(problem("repo", "names a repository, and Linear has teams", "write team: ENG in its place"));
    if (auth.app !== undefined)
      wrong.push(
        problem(
          "auth.app",
          "signs in to Linear as an App of GitHub's",
          "write auth: { token_env: LINEAR_API_KEY }",
        ),
      );
    return wrong;
  }
  if (repo === undefined)
    wrong.push(problem("repo", "does not say whose issues are taken", "add repo: owner/name"));
  if (team !== undefined)
    wrong.push(
      problem(
        "team",
        "names a team, and GitHub has repositories",
        "write type: linear, or repo: owner/name in its place",
      ),
    );
  if (Object.keys(states).length > 0)
    wrong.push(
      problem(
        "states",
        "names states, and issues on GitHub have none",
        "leave it out: labels tell them apart there",
      ),
    );
  return wrong;
}

function wrongApp(
  { id, installation, private_key_env: env, private_key_file: file }: NonNullable<AuthLayer["app"]>,
  problem: (key: string, message: string, fix: string) => Problem,
): Problem[] {
  const wrong: Problem[] = [];
  if (id === undefined) wrong.push(problem("auth.app", "has an App without a number", "add id: 123456"));
  if (installation === undefined)
    wrong.push(problem("auth.app", "has an App that is installed nowhere", "add installation: 98765432"));
  if (env === undefined && file === undefined)
    wrong.push(problem("auth.app", "has an App without a key", "add private_key_env: BATON_APP_KEY"));
  if (env !== undefined && file !== undefined)
    wrong.push(problem("auth.app", "has an App with two keys", "keep private_key_env or private_key_file"));
  return wrong;
}

/** On its way to another machine. */
function isReadable(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && !["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

/** Of one tracker, whoever claims in one place would not see who claims in the other. */
export function claimedApart(sources: readonly WrittenSource[]): Problem[] {
  const first = new Map<string, WrittenSource>();
  return sources.flatMap((written): Problem[] => {
    const { agent, source, place, keys } = written;
    const [taken, of] = source.type === "github" ? [source.repo, "repository"] : [source.team, "team"];
    const which = JSON.stringify([source.apiUrl, taken.toLowerCase()]);
    const other = first.get(which) ?? written;
    first.set(which, other);
    if (other.source.claims === source.claims) return [];
    const message = `work_source of agent "${agent}" claims in ${source.claims}, and that of agent "${other.agent}" takes from the same ${of} and claims in ${other.source.claims}`;
    return [{ ...(keys.claims ?? place), message, fix: "write the same claims for both" }];
  });
}

/** What one schedule takes, the other would look for in vain. */
function takenTwice(sources: readonly WrittenSource[]): Problem[] {
  const seen = new Map<string, WrittenSource>();
  return sources.flatMap((written): Problem[] => {
    const { agent, schedule, source, place } = written;
    const which = JSON.stringify([
      ...[source.apiUrl, source.type === "github" ? source.repo.toLowerCase() : source.team.toLowerCase()],
      ...[source.labels.ready.toLowerCase(), source.type === "linear" && source.states, source.excludeLabels],
    ]);
    const other = seen.get(which);
    seen.set(which, written);
    if (!other) return [];
    const message = `schedules.${schedule}.work_source of agent "${agent}" takes the same items as schedules.${other.schedule}`;
    return [{ ...place, message, fix: "give them different labels.ready, or keep one of them" }];
  });
}
