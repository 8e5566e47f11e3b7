import { withoutEnding } from "../../util/text.ts";
import { DEFAULTS } from "../defaults.ts";
import {
  exampleFix,
  key,
  lacks,
  listOf,
  markOf,
  type Reader,
  section,
  type ValueOf,
} from "../reader/reader.ts";
import { told } from "../reader/schema.ts";
import {
  duration,
  flag,
  formed,
  number,
  oneOf,
  path,
  pattern,
  shellCommand,
  text,
  wholeNumber,
} from "../reader/values.ts";

const MOST_PORTS = 20;

const envPrefixForm = formed(
  /^[A-Za-z][A-Za-z0-9_]*$/,
  "letters, digits and _, beginning with a letter",
  "OURS",
);

/** Said with the underscore that follows it or without. */
const envPrefix: Reader<string> = {
  ...envPrefixForm,
  read: (spot, report) => {
    const prefix = envPrefixForm.read(spot, report);
    return prefix === undefined ? undefined : withoutEnding(prefix, "_");
  },
};

export const workspaceKeys = {
  strategy: key(
    oneOf("static", "git_worktree"),
    "`static`: in `working_directory` itself. `git_worktree`: every job in a worktree and on a branch of its own",
    DEFAULTS.workspace.strategy,
  ),
  worktree_dir: key(
    text(".worktrees"),
    "where worktrees are created, relative to `working_directory`",
    DEFAULTS.workspace.worktree_dir,
  ),
  branch_pattern: key(
    pattern("agent/{agent}/{workItem}", ["agent", "workItem", "jobId", "date", "scheduleName"]),
    "what branches are called",
    DEFAULTS.workspace.branch_pattern,
  ),
  fetch_before_setup: key(
    flag,
    "fetch first, so that the job starts from what the remote has",
    DEFAULTS.workspace.fetch_before_setup,
  ),
  on_branch_conflict: key(
    oneOf("skip", "queue", "suffix"),
    "if another job has the branch: do not run, wait for it, or use another name",
    DEFAULTS.workspace.on_branch_conflict,
  ),
  on_folder_busy: key(
    oneOf("warn", "queue", "refuse"),
    "with `static`, if another job works in the same folder or checkout: warn, wait for it, or do not run",
    DEFAULTS.workspace.on_folder_busy,
  ),
  setup_command: key(shellCommand("npm ci"), "run in a new worktree before the agent starts"),
  setup_timeout: key(duration(1, "10m"), "how long that may take", DEFAULTS.workspace.setup_timeout),
  ports: key(
    number({ least: 0, most: MOST_PORTS, whole: true }, `a whole number up to ${MOST_PORTS}`, 2),
    "how many free ports to reserve",
    DEFAULTS.workspace.ports,
  ),
  env_prefix: key(
    envPrefix,
    "the prefix of the environment variables that tell the agent where it is",
    DEFAULTS.workspace.env_prefix,
  ),
  checkpoint_interval: key(
    duration(1, "10m"),
    "how often a checkpoint of the whole worktree is stored in git",
    DEFAULTS.workspace.checkpoint_interval,
  ),
  commit_message: key(
    pattern("agent: {summary}", ["summary", "agent", "jobId", "workItem"]),
    "message of the commit with what the agent left uncommitted; without a work item, `{workItem}` is empty",
    DEFAULTS.workspace.commit_message,
  ),
  commit_hooks: key(
    flag,
    "run the repository's hooks in Baton's own commits and pushes, which can run what the agent edited. By default only with `bypassPermissions` and no `denied_tools`",
  ),
  push_on_success: key(flag, "push the branch of a job that completed", DEFAULTS.workspace.push_on_success),
  on_push_failure: key(
    oneOf("fail", "warn", "retry"),
    "if the push fails: the job fails, completes with a warning, or retries and then fails",
    DEFAULTS.workspace.on_push_failure,
  ),
  create_pr: key(flag, "open a pull request for the branch", DEFAULTS.workspace.create_pr),
  keep: key(
    listOf(text("reports/"), "[reports/, '*.db']"),
    "ignored files to move to the project before the worktree is removed, in the syntax of `.gitignore`. Files that are already there are kept under another name",
    DEFAULTS.workspace.keep,
  ),
  cleanup_on_failure: key(
    flag,
    "remove the worktree of a job that failed; its work stays in git",
    DEFAULTS.workspace.cleanup_on_failure,
  ),
};

const PROJECT = "{ root: ./project }";

const directoryKeys = {
  root: key(path("./project"), "the folder"),
  repo: key(
    text("https://github.com/you/project.git"),
    "where `auto_clone` clones it from; not needed if the folder is already a repository",
  ),
  auto_clone: key(flag, "clone it if it does not exist", false),
  clone_depth: key(wholeNumber(1, 1), "how many commits `auto_clone` fetches; by default all"),
  default_branch: key(text("main"), "the branch that work starts from; by default the remote's own"),
};
const directory = section(directoryKeys, PROJECT);

export const workingDirectory: Reader<ValueOf<typeof directory>> = {
  expects: "a path, or a map",
  schema: {
    title: "working_directory",
    ...told({ type: "object" }, { ...directory.schema, required: ["root"] }, directoryKeys.root.schema),
  },
  ...(directory.keys && { keys: directory.keys }),
  whole: true,
  read(spot, report) {
    if (spot.value.kind !== "map") {
      const root = directoryKeys.root.read(spot, report);
      return root && { root };
    }
    const isKnown = ({ key }: { key: string }) => key in directoryKeys;
    if (lacks(spot.value, "root") && spot.value.entries.every(isKnown)) {
      report(markOf(spot), `${spot.name} has no root`, exampleFix(spot, PROJECT));
    }
    return directory.read(spot, report);
  },
};
