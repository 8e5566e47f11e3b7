/** Every operation of the API: where it is. What goes in and comes out stands in `contract.ts`. The client needs no more than this. */
export const OPERATIONS = {
  getSession: { method: "GET", path: "/session" },
  signIn: { method: "POST", path: "/session" },
  signOut: { method: "DELETE", path: "/session" },
  listTokens: { method: "GET", path: "/tokens" },
  revokeToken: { method: "DELETE", path: "/tokens/:token" },
  listAudit: { method: "GET", path: "/audit" },

  getFleet: { method: "GET", path: "/fleet" },
  pauseFleet: { method: "POST", path: "/fleet/pause" },
  resumeFleet: { method: "POST", path: "/fleet/resume" },
  haltFleet: { method: "POST", path: "/fleet/halt" },
  unhaltFleet: { method: "POST", path: "/fleet/unhalt" },
  drainFleet: { method: "POST", path: "/fleet/drain" },
  reloadFleet: { method: "POST", path: "/fleet/reload" },
  getPlan: { method: "GET", path: "/plan" },

  listAgents: { method: "GET", path: "/agents" },
  getAgentConfig: { method: "GET", path: "/agents/:agent/config" },
  pauseAgent: { method: "POST", path: "/agents/:agent/pause" },
  resumeAgent: { method: "POST", path: "/agents/:agent/resume" },

  listJobs: { method: "GET", path: "/jobs" },
  startJob: { method: "POST", path: "/jobs" },
  getJob: { method: "GET", path: "/jobs/:job" },
  getRelay: { method: "GET", path: "/jobs/:job/relay" },
  getJobCost: { method: "GET", path: "/jobs/:job/cost" },
  getWhy: { method: "GET", path: "/jobs/:job/why" },
  listEvents: { method: "GET", path: "/jobs/:job/events" },
  getEvent: { method: "GET", path: "/jobs/:job/events/:seq" },
  listCheckpoints: { method: "GET", path: "/jobs/:job/checkpoints" },
  getDiff: { method: "GET", path: "/jobs/:job/diff" },
  getHandoff: { method: "GET", path: "/jobs/:job/handoffs/:number" },
  exportJob: { method: "GET", path: "/jobs/:job/export" },
  listMessages: { method: "GET", path: "/jobs/:job/messages" },
  sendMessage: { method: "POST", path: "/jobs/:job/messages" },
  changeMessage: { method: "PUT", path: "/jobs/:job/messages/:message" },
  removeMessage: { method: "DELETE", path: "/jobs/:job/messages/:message" },
  pauseJob: { method: "POST", path: "/jobs/:job/pause" },
  resumeJob: { method: "POST", path: "/jobs/:job/resume" },
  cancelJob: { method: "POST", path: "/jobs/:job/cancel" },
  retryJob: { method: "POST", path: "/jobs/:job/retry" },
  forkJob: { method: "POST", path: "/jobs/:job/fork" },
  handOffJob: { method: "POST", path: "/jobs/:job/handoff" },
  moveJob: { method: "POST", path: "/jobs/:job/priority" },

  listInbox: { method: "GET", path: "/inbox" },
  answerAsk: { method: "POST", path: "/inbox/:ask/answer" },
  getAlways: { method: "GET", path: "/inbox/:ask/always" },
  leaveInbox: { method: "POST", path: "/inbox/done" },

  listSchedules: { method: "GET", path: "/schedules" },
  listFires: { method: "GET", path: "/schedules/history" },
  runSchedule: { method: "POST", path: "/schedules/:agent/:name/run" },
  pauseSchedule: { method: "POST", path: "/schedules/:agent/:name/pause" },
  resumeSchedule: { method: "POST", path: "/schedules/:agent/:name/resume" },

  listWork: { method: "GET", path: "/work" },
  claimWork: { method: "POST", path: "/work/:id/claim" },
  releaseWork: { method: "POST", path: "/work/:id/release" },
  ignoreWork: { method: "POST", path: "/work/:id/ignore" },

  getCost: { method: "GET", path: "/cost" },
  listBudgets: { method: "GET", path: "/budgets" },
  getTime: { method: "GET", path: "/time" },
  listAccounts: { method: "GET", path: "/accounts" },
  listWorkspaces: { method: "GET", path: "/workspaces" },
  listOwnSessions: { method: "GET", path: "/sessions" },

  getServer: { method: "GET", path: "/server" },
  getDoctor: { method: "GET", path: "/doctor" },
} as const satisfies Record<string, { method: Method; path: `/${string}` }>;

type Method = "GET" | "POST" | "PUT" | "DELETE";
export type OperationName = keyof typeof OPERATIONS;

/** The names in a path, such as `job` of `/jobs/:job`. */
export type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name | keyof ParamsOf<Rest>]: string }
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : Record<never, never>;

export const API = "/api/v1";

/** What a page sends along with what it changes, beside its cookie: another site cannot know it. */
export const PROOF_HEADER = "x-baton-csrf";
