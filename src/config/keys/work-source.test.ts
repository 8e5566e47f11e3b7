import { expect, it } from "vitest";
import { ConfigError } from "../error.ts";
import { parseConfig } from "../layers/parse.ts";

const textOf = (agent: string, defaults = "") =>
  `${defaults}agents:\n  - name: coder\n${agent.replace(/^/gm, "    ")}\n`;

const parsedText = (text: string) => parseConfig(text, "/project/baton.yaml", "/home/someone", {});
const parsed = (agent: string, defaults = "") => parsedText(textOf(agent, defaults));
const refused = (agent: string) => refusedIn(textOf(agent));

function refusedIn(text: string): string {
  try {
    parsedText(text);
    return "";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ line, message, fix }) => `${line}: ${message} | ${fix}`).join("\n");
  }
}

it("lays what a schedule says over what its agent says, and that over the defaults", () => {
  const { agents, workSources } = parsed(
    `work_source: { labels: { ready: todo }, auth: { token_env: SHOP_TOKEN } }
workspace: { strategy: git_worktree }
schedules:
  bugs: { interval: 5m, work_source: { labels: { in_progress: busy }, exclude_labels: [wip] } }
  chores: { interval: 1h, work_source: { labels: { ready: chore } } }`,
    "defaults:\n  work_source: { type: github, repo: acme/shop, poll: 30s, labels: { failed: stuck } }\n",
  );
  expect(agents[0]?.schedules.map(({ workSource }) => workSource)).toMatchObject([
    {
      ...{ type: "github", repo: "acme/shop", pollMs: 30_000, excludeLabels: ["wip"] },
      labels: { ready: "todo", inProgress: "busy", failed: "stuck" },
      auth: { kind: "token", env: "SHOP_TOKEN" },
    },
    { labels: { ready: "chore", inProgress: "agent-working", failed: "stuck" } },
  ]);
  // What schedules have in common is no source of its own.
  expect(workSources.map(({ schedule, place }) => [schedule, place.line])).toEqual([
    ["bugs", 8],
    ["chores", 9],
  ]);
});

it("is an agent's own where no schedule of it has one, and says where each key stands", () => {
  const { workSources } = parsed(
    "work_source:\n  type: github\n  repo: acme/shop\n  labels: { ready: todo }",
  );
  expect(workSources).toMatchObject([{ agent: "coder", place: { line: 3 } }]);
  expect(workSources[0]?.keys["labels.ready"]?.line).toBe(6);
});

const SHOP = "type: github, repo: acme/shop";

it.each([
  [
    "{ type: gitlab, repo: acme/shop }",
    /^3: .*type: GitLab: merge requests as today.* \| write type: github or type: linear/,
  ],
  ["{ type: linear }", /^3: .*does not say whose issues are taken \| add team: ENG/],
  ["{ type: linear, team: ENG-42 }", /^3: .*team must be the key of a team in Linear/],
  ["{ type: linear, team: ENG, repo: acme/shop }", /^3: .*names a repository, and Linear has teams/],
  [
    "{ type: linear, team: ENG, auth: { app: { id: 1, installation: 2, private_key_env: B } } }",
    /^3: .*signs in to Linear as an App of GitHub's/,
  ],
  [`{ ${SHOP}, team: ENG }`, /^3: .*names a team, and GitHub has repositories \| write type: linear/],
  [`{ ${SHOP}, states: { ready: Todo } }`, /^3: .*names states, and issues on GitHub have none/],
  [`{ ${SHOP}, labels: { in_review: QA } }`, /^3: unknown key "in_review"/],
  ["{ type: githb, repo: acme/shop }", /^3: .*type must be .*github.*linear.*, found the text "githb"/],
  [
    "{ repo: acme/shop }",
    /^3: work_source of agent "coder" does not say which tracker it is \| add type: github/,
  ],
  ["{ type: github }", /^3: .*does not say whose issues are taken \| add repo: owner\/name/],
  ["{ type: github, repo: shop }", /^3: .*repo must be the owner and the name of a repository/],
  [`{ ${SHOP}, owner: acme }`, /^3: unknown key "owner".*\| write both in repo/],
  [
    `{ ${SHOP}, cleanup_in_progress: true }`,
    /^3: unknown key.*\| leave it out: what a dead process had claimed/,
  ],
  [`{ ${SHOP}, auth: { token: ghp_abc } }`, /^3: unknown key "token"/],
  [
    `{ ${SHOP}, api_url: "http://github.example.com" }`,
    /^3: .*sends its token unencrypted \| start it with https/,
  ],
  [`{ ${SHOP}, labels: { ready: busy, in_progress: Busy } }`, /^3: .*uses one label for two things/],
  [`{ ${SHOP}, labels: { ready: "${"x".repeat(51)}" } }`, /^3: .*must be a label: up to 50 characters/],
  [`{ ${SHOP}, exclude_labels: [READY] }`, /^3: .*leaves out "ready", by which it takes items/],
  [`{ ${SHOP}, poll: 10ms }`, /^3: .*poll must be 1s at least/],
  [`{ ${SHOP}, attempts: 0 }`, /^3: .*attempts must be a whole number of 1 or more/],
  [
    `{ ${SHOP}, auth: { app: { id: 1 } } }`,
    /has an App that is installed nowhere(?:.|\n)*has an App without a key/,
  ],
  [
    `{ ${SHOP}, auth: { token_env: A, app: { id: 1, installation: 2, private_key_env: B } } }`,
    /signs in twice: with a token and as an App/,
  ],
])("refuses %s", (source, expected) => {
  expect(refused(`work_source: ${source}`)).toMatch(expected);
});

it("asks Linear where it is, with a key of its own, and a team in place of a repository", () => {
  const { agents } = parsed("work_source: { type: linear, team: ENG, states: { in_review: QA } }");
  expect(agents[0]?.workSource).toMatchObject({
    ...{ type: "linear", team: "ENG", states: { inReview: "QA" }, apiUrl: "https://api.linear.app/graphql" },
    auth: { kind: "token", env: "LINEAR_API_KEY" },
  });
});

it("refuses two schedules that take the same items, and one folder for several of them", () => {
  const one = `{ interval: 1h, work_source: { ${SHOP} } }`;
  const twice = `schedules:\n  a: ${one}\n  b: ${one}`;
  expect(refused(twice)).toMatch(
    /^5: schedules.b.work_source .* takes the same items as schedules.a \| give them/,
  );
  expect(refused(`instances: { max_concurrent: 2 }\nwork_source: { ${SHOP} }`)).toMatch(
    /^4: .*would have 2 items worked on in one folder \| add workspace: \{ strategy: git_worktree \}/,
  );
});

it.each([
  [SHOP, "repository"],
  ["type: linear, team: ENG", "team"],
])("refuses two agents that take from one place and claim in different ones: %s", (source, place) => {
  const two = (claims: string) =>
    refusedIn(
      `agents:
  - name: coder
    work_source: { ${source}, labels: { ready: bug } }
  - name: writer
    work_source: { ${source}, labels: { ready: docs }, claims: ${claims} }
`,
    );
  expect(two("refs")).toBe("");
  expect(two("comments")).toMatch(
    new RegExp(`^5: .*"writer" claims in comments, and that of agent "coder" .* same ${place} .* in refs`),
  );
});
