import type { CommandOptions, CommandRun } from "../processes/command.ts";
import type { Redact } from "../secrets/redact.ts";

/** The folder that a job works in, the same through all its sessions. */
export interface Workspace {
  strategy: "static" | "git_worktree";
  /** What the agent's working directory is. */
  path: string;
  branch?: string;
  /** The commit that the job began from. */
  base?: string;
  worktree?: Worktree;
}

/** What is known about a worktree that Baton made. */
export interface Worktree {
  /** The folder of the repository's main checkout, or of a bare repository. */
  repo: string;
  /** What the work is to be merged into. */
  baseBranch: string;
  /** Reserved for this job; in its environment. */
  ports: number[];
}

/** What happens to a workspace, for the journal: the ledger of worktrees is the fold of these. */
export type WorkspaceEvent =
  /** Written before anything is made. `takenUp`: the branch was there and holds work of an earlier job. */
  | {
      type: "workspace:creating";
      repo: string;
      path: string;
      branch: string;
      base: string;
      baseBranch: string;
      takenUp: boolean;
    }
  /** Another running job, `behind`, has the branch or the folder. */
  | { type: "workspace:waiting"; behind: string; message: string }
  | { type: "workspace:command"; command: string; ok: boolean; output: string; durationMs: number }
  | {
      type: "workspace:ready";
      strategy: string;
      path: string;
      branch?: string;
      base?: string;
      ports?: number[];
    }
  | { type: "workspace:committed"; commit: string; files: number }
  /** Written before the push: whoever finds it without the next one reads the remote first. */
  | { type: "workspace:pushing"; remote: string; branch: string; commit: string }
  /** The remote was read back, and has this commit. */
  | { type: "workspace:pushed"; remote: string; branch: string; commit: string }
  /** `created: false`: the page where a person can open it. */
  | { type: "workspace:proposed"; url: string; created: boolean }
  /** Written before the folder is moved to `trash`. `deleteBranch`: the commit that the branch must be at for that. */
  | { type: "workspace:removing"; trash: string; deleteBranch?: string; halfMade?: boolean }
  /** Written before what `workspace.keep` names is copied to the project. */
  | { type: "workspace:keeping"; paths: string[] }
  /** Ignored files that the job made, before its worktree goes. `more`: there are others. */
  | { type: "workspace:ignored"; files: NamedIgnored[]; more: boolean }
  | { type: "workspace:removed"; branchKept: boolean; reason?: string }
  | { type: "workspace:kept"; reason: string };

/** An ignored file, or a folder that is ignored as a whole. */
export interface NamedIgnored {
  /** Of a folder with a slash at its end. */
  path: string;
  files: number;
  bytes: number;
  /** `nowhere`: it goes with the worktree. */
  to: "project" | "checkpoint" | "nowhere";
  why?: string;
  /** Where the file is now that was in its place in the project. */
  instead?: string;
}

/**
 * `creating`: perhaps only half there. `removing`: perhaps half gone; it is in `trash`, or still in its place. `kept`:
 * it outlives the job, for `reason`.
 */
type WorkspaceState = "creating" | "ready" | "kept" | "removing" | "removed";

export interface WorkspaceRecord {
  strategy: string;
  path: string;
  branch: string | null;
  /** The commit that the job began from. */
  base: string | null;
  state: WorkspaceState;
  /** Of a worktree only. */
  repo: string | null;
  baseBranch: string | null;
  /** The branch was there before the job. */
  takenUp: boolean;
  ports: number[];
  /** The commit whose push was begun. Missing in the records of earlier versions. */
  pushing?: string;
  /** The commit that the remote has. */
  pushed: string | null;
  /** The pull request, or the page where a person opens it. */
  proposal: string | null;
  trash: string | null;
  /** What is being removed was never finished. */
  halfMade: boolean;
  /** The commit at which its branch may be deleted with it. */
  deleteBranch: string | null;
  /** The worktree is gone and its branch is not. */
  branchKept: boolean;
  /** Why it, or its branch, is still there. */
  reason: string | null;
}

/** What a strategy is told about the job that it works for. */
export interface WorkspaceJob {
  id: string;
  agent: string;
  prompt: string;
  workItem?: WorkItem;
  schedule?: string;
  /** It gets a new branch, whatever others did for the same work. */
  anew?: Anew;
  /** What the ledger says of its workspace: null for a new job. */
  before: WorkspaceRecord | null;
  /** Writes the event down soon. */
  note: (event: WorkspaceEvent) => void;
  /** Makes the event durable. */
  record: (event: WorkspaceEvent) => Promise<void>;
  warn: (message: string) => void;
  /** Ends whatever the agent left running. */
  endProcesses: () => Promise<void>;
  /** Patterns of ignored files that go back to the project when the worktree goes. */
  keep: readonly string[];
  checkpointed: (made: { ref: string; commit: string }) => void;
  /** For what leaves this machine. */
  redact: Redact;
  /** Of git and the programs of forges. The user's own commands get what they need of it, and what is `named`. */
  env: Record<string, string>;
  named: readonly string[];
  /** In place of the programs of forges, where the job's work item comes with a token. */
  openPullRequest?: OpenPullRequest;
  /** Runs the command that prepares a worktree, where not on this machine as it is. */
  runSetup?: (options: CommandOptions) => Promise<CommandRun>;
  /** Aborted when the job is to end. */
  signal: AbortSignal;
  /** Aborted when the job is somebody else's, so that nothing more may be done for it. */
  lost: AbortSignal;
  /** Throws where its item of work is not the job's any more. Called before anything leaves this machine. */
  confirmItem?: () => Promise<void>;
  now: () => Date;
}

/** Where the new branch of a job begins: without `head`, at the base. */
export interface Anew {
  head?: string;
  /** What its work is counted from, and to be merged into, where that is known. */
  base?: string;
  baseBranch?: string;
}

/** A branch that the remote has, as a pull request tells of it. */
export interface ProposedBranch {
  /** Of the remote, as git knows it. */
  address: string;
  branch: string;
  baseBranch: string;
  title: string;
  body: string;
  signal: AbortSignal;
}

/** Opens a pull request, or finds the open one of this branch. Undefined: the remote is somewhere else. */
export type OpenPullRequest = (
  proposed: ProposedBranch,
) => Promise<{ url: string } | { problem: string } | undefined>;

export interface WorkItem {
  id: string;
  title?: string;
  url?: string;
  /** The tracker that it is of, as Baton names it. Missing where a person named the item. */
  source?: string;
  /** What its branch and its sessions are called by, where its id could be another tracker's as well. */
  name?: string;
}

/** How the job went. */
export interface Outcome {
  kind: "completed" | "failed" | "cancelled";
  /** The agent's last word, or why the job ended. */
  text: string;
  /** The agent's commands, to tell what it did on purpose. */
  commands: string[];
}

/** `failure`: why the job cannot count as completed. */
export interface Teardown {
  failure?: string;
}

/** Called once each per job, whatever number of sessions is between. */
export interface WorkspaceStrategy {
  setup(job: WorkspaceJob): Promise<Workspace>;
  teardown(job: WorkspaceJob, workspace: Workspace, outcome: Outcome): Promise<Teardown>;
  /** This process has no more to do with the job, which may only rest. */
  release?(): void;
}

/** The job cannot begin: its workspace is not to be had. */
export class WorkspaceError extends Error {
  override readonly name = "WorkspaceError";
}

/** Another job works on the same thing, and the user said to leave it to that. */
export class WorkspaceTaken extends Error {
  override readonly name = "WorkspaceTaken";
}

/** The folder that a job works in is not there any more. */
export class WorkspaceGone extends Error {
  override readonly name = "WorkspaceGone";

  constructor(folder: string, job: string, how: "missing" | "replaced") {
    const what =
      how === "missing"
        ? "it was deleted, moved or unmounted"
        : "another folder is in its place, which the job knows nothing of";
    super(
      `${folder} is gone: ${what}. Bring it back if you can, then continue with \`baton resume ${job}\`.`,
    );
  }
}
