/** Every operation of the API: where it is. What goes in and comes out stands in `contract.ts`. The client needs no more than this. */
export const OPERATIONS = {
  getSession: { method: "GET", path: "/session" },
  signIn: { method: "POST", path: "/session" },
  signOut: { method: "DELETE", path: "/session" },

  getFleet: { method: "GET", path: "/fleet" },

  listJobs: { method: "GET", path: "/jobs" },
  getJob: { method: "GET", path: "/jobs/:job" },
  getRelay: { method: "GET", path: "/jobs/:job/relay" },
  listEvents: { method: "GET", path: "/jobs/:job/events" },
  getEvent: { method: "GET", path: "/jobs/:job/events/:seq" },
} as const satisfies Record<string, { method: Method; path: `/${string}` }>;

export type Method = "GET" | "POST" | "PUT" | "DELETE";
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
