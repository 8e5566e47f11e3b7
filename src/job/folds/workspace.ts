import type { WorkspaceEvent, WorkspaceRecord } from "../../workspace/workspace.ts";

/** Those that change it. */
type Event = Exclude<
  WorkspaceEvent,
  {
    type:
      | "workspace:waiting"
      | "workspace:command"
      | "workspace:committed"
      | "workspace:keeping"
      | "workspace:ignored";
  }
>;

/** The ledger entry of a workspace after one more event. */
export function workspaceAfter(before: WorkspaceRecord | null, event: Event): WorkspaceRecord | null {
  switch (event.type) {
    case "workspace:creating": {
      const { type: _, ...made } = event;
      return { ...nothing, ...made, strategy: "git_worktree", state: "creating" };
    }
    case "workspace:ready": {
      const { strategy, path, branch = null, base = null, ports = [] } = event;
      const known = before?.path === path ? before : nothing;
      return { ...known, strategy, path, branch, base, ports, state: "ready", reason: null };
    }
    case "workspace:pushing":
      return before && { ...before, pushing: event.commit };
    case "workspace:pushed":
      return before && { ...before, pushed: event.commit };
    case "workspace:proposed":
      return before && { ...before, proposal: event.url };
    case "workspace:removing": {
      const { trash, deleteBranch = null, halfMade = false } = event;
      return before && { ...before, state: "removing", trash, deleteBranch, halfMade };
    }
    case "workspace:removed": {
      const { branchKept, reason = null } = event;
      return before && { ...before, state: "removed", branchKept, reason };
    }
    case "workspace:kept": {
      // What is only half made stays that, until it is gone: nobody may work in it.
      const state = before?.state === "creating" ? "creating" : "kept";
      return before && { ...before, state, reason: event.reason };
    }
  }
}

const nothing = {
  strategy: "",
  path: "",
  branch: null,
  base: null,
  repo: null,
  baseBranch: null,
  takenUp: false,
  ports: [],
  pushed: null,
  proposal: null,
  trash: null,
  halfMade: false,
  deleteBranch: null,
  branchKept: false,
  reason: null,
};
