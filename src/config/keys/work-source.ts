import { DEFAULTS } from "../defaults.ts";
import { key, listOf, markOf, type Reader, section, type ValueOf } from "../reader/reader.ts";
import { duration, flag, formed, oneOf, path, webAddress, wholeNumber } from "../reader/values.ts";
import { variableName } from "./hook.ts";

const REPO = formed(
  /^[A-Za-z0-9_.-]+\/[A-Za-z0-9_.-]+$/,
  "the owner and the name of a repository, as owner/name",
  "acme/shop",
);

/** GitHub takes no longer ones. */
const label = (example: string) =>
  formed(/^(?=.*\S)[^,]{1,50}$/, "a label: up to 50 characters, without commas", example);

/** What others know, and Baton does not. */
const OTHERS: Readonly<Record<string, string>> = {
  gitlab: "GitLab: merge requests as today, see workspace.create_pr; Baton takes no work from its issues",
  jira: "Baton takes no work from Jira",
  notion: "Baton takes no work from Notion",
};

const TEAM = formed(
  /^[A-Za-z0-9]{1,20}$/,
  "the key of a team in Linear, the part before the number in ENG-42",
  "ENG",
);

const kind = oneOf("github", "linear");

const type: Reader<"github" | "linear"> = {
  ...kind,
  read(spot, report) {
    const given = spot.value.kind === "scalar" ? spot.value.value : undefined;
    const why = typeof given === "string" ? OTHERS[given.toLowerCase()] : undefined;
    if (why === undefined) return kind.read(spot, report);
    report(
      markOf(spot),
      `${spot.name}: ${why}`,
      "write type: github or type: linear, or leave work_source out",
    );
    return undefined;
  },
};

const labels = section(
  {
    ready: key(label("todo"), "marks an item as free to be taken", DEFAULTS.work_source.labels.ready),
    in_progress: key(
      label("in progress"),
      "marks an item that a job works on, for people to see",
      DEFAULTS.work_source.labels.in_progress,
    ),
    failed: key(
      label("stuck"),
      "marks an item on which too many jobs have failed",
      DEFAULTS.work_source.labels.failed,
    ),
  },
  "{ ready: ready }",
);

const state = (example: string) => formed(/^(?=.*\S).{1,100}$/, "the name of a state in Linear", example);

const states = section(
  {
    ready: key(
      state("Ready for work"),
      "the state that an item is in to be taken, and in again after a failure; otherwise any that is unstarted, in the backlog or in triage, and then the first that is unstarted",
    ),
    in_progress: key(
      state("Doing"),
      "the state of an item that a job works on; otherwise the first that is started",
    ),
    in_review: key(
      state("QA"),
      "the state of an item whose work was delivered; otherwise the second that is started, if there is one",
    ),
  },
  "{ in_review: QA }",
);

const app = section(
  {
    id: key(wholeNumber(1, 123_456), "the number of the App"),
    installation: key(wholeNumber(1, 98_765_432), "the number of its installation in your organisation"),
    private_key_env: key(variableName, "the environment variable with its private key, as PEM"),
    private_key_file: key(path("~/.config/baton/app.pem"), "a file with its private key, as PEM"),
  },
  "{ id: 123456, installation: 98765432, private_key_env: BATON_APP_KEY }",
);

const auth = section(
  {
    token_env: key(
      variableName,
      "the environment variable with a token, read when `baton start` begins; for Linear, `LINEAR_API_KEY` where it is left out",
      DEFAULTS.work_source.auth.token_env,
    ),
    app: key(app, "on GitHub: the App that Baton signs in as, in place of a token"),
  },
  "{ token_env: GITHUB_TOKEN }",
);

const keys = section(
  {
    type: key(type, "which tracker it is"),
    repo: key(REPO, "on GitHub: whose issues are taken, as `owner/name`"),
    team: key(TEAM, "in Linear: the key of the team whose issues are taken"),
    states: key(states, "in Linear: the names of states, where they are not told by their types"),
    api_url: key(
      webAddress("https://github.example.com/api/v3"),
      "where GitHub Enterprise answers; for Linear, `https://api.linear.app/graphql` where it is left out",
      DEFAULTS.work_source.api_url,
    ),
    labels: key(labels, "the labels by which items are told apart"),
    exclude_labels: key(
      listOf(label("wip"), "[wip]"),
      "an item with one of these is left alone",
      DEFAULTS.work_source.exclude_labels,
    ),
    cleanup_on_failure: key(
      flag,
      "whether an item whose job failed is ready again, until `attempts` jobs have failed",
      DEFAULTS.work_source.cleanup_on_failure,
    ),
    attempts: key(
      wholeNumber(1, 3),
      "how many jobs may fail on one item, until it gets `labels.failed`",
      DEFAULTS.work_source.attempts,
    ),
    poll: key(duration(1_000, "1m"), "how often the tracker is asked what is new", DEFAULTS.work_source.poll),
    claims: key(
      oneOf("refs", "comments"),
      "where it is entered who has an item: in refs of the remote, or, if that takes no such refs, in comments of the issue; the same for all fleets that take from a tracker",
      DEFAULTS.work_source.claims,
    ),
    trust: key(
      oneOf("collaborators", "anyone"),
      "whose `labels.ready` counts, and whose words the agent reads: those of people who may write to the repository, or anyone's",
      DEFAULTS.work_source.trust,
    ),
    auth: key(auth, "how Baton signs in to the tracker"),
  },
  "{ type: github, repo: acme/shop }",
  (word) => {
    if (word === "cleanup_in_progress")
      return "leave it out: what a dead process had claimed is given up at every start";
    if (word === "owner") return "write both in repo: repo: owner/name";
    if (word === "token_env" || word === "app") return `"${word}" belongs in "auth"`;
    if (["ready", "in_progress", "failed"].includes(word)) return `"${word}" belongs in "labels"`;
    if (word === "token")
      return "no token is written in a file: name the variable that holds it, auth: { token_env: GITHUB_TOKEN }";
    return undefined;
  },
);

/** Written once in the schema. */
export const workSource = { ...keys, schema: { ...keys.schema, title: "work_source" } };

export type WorkSourceLayer = ValueOf<typeof workSource>;
