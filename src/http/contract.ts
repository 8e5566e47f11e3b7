import { z } from "zod";
import type { Scope } from "../app/access/principal.ts";
import type { OperationName } from "./operations.ts";
import { fleet, session, signInBody } from "./schemas/fleet.ts";
import { event, eventPage, eventsQuery, job, jobPage, jobsQuery, message } from "./schemas/jobs.ts";
import * as records from "./schemas/records.ts";
import { relay } from "./schemas/relay.ts";
import * as schedules from "./schemas/schedules.ts";
import { doctor, server } from "./schemas/server.ts";
import * as spending from "./schemas/spending.ts";
import * as steering from "./schemas/steering.ts";
import * as work from "./schemas/work.ts";

/** What an operation takes and answers. Types, the OpenAPI document and the checks of requests come from it. */
export interface Contract {
  /** `none`: without a token. */
  scope: Scope | "none";
  /** For people. */
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  answer: z.ZodType;
  /** It starts programs, as git is. */
  starts?: true;
  /** Of an answer that went well. */
  status?: 200 | 201 | 202;
}

/** Nothing to say but that it was done. */
const done = z.object({ ok: z.literal(true) }).meta({ id: "Done" });
const ofProject = records.ofProject;

const ACCESS = {
  getSession: { scope: "view", summary: "Who asks, and what they may", answer: session },
  signIn: {
    scope: "none",
    summary: "Sign a browser in with the code of a one-time link, for a cookie",
    body: signInBody,
    answer: session,
  },
  signOut: {
    scope: "view",
    summary: "Sign out: this browser's cookie, or this token, is revoked",
    answer: done,
  },
  listTokens: {
    scope: "admin",
    summary: "All tokens, and browsers that are signed in",
    answer: records.tokens,
  },
  revokeToken: { scope: "admin", summary: "End a token, by its name or id", answer: records.token },
  listAudit: { scope: "admin", summary: "Who did what", query: records.auditQuery, answer: records.audit },
} as const;

const FLEET = {
  getFleet: {
    scope: "view",
    summary: "The fleet, by project: what runs, what waits and why",
    query: ofProject,
    answer: fleet,
  },
  pauseFleet: {
    scope: "admin",
    summary: "Start nothing more from the queue of a project",
    body: ofProject,
    answer: done,
  },
  resumeFleet: { scope: "admin", summary: "Start from the queue again", body: ofProject, answer: done },
  haltFleet: {
    scope: "admin",
    summary: "Stop all work of this user, and let nothing start",
    answer: done,
    status: 202,
  },
  unhaltFleet: { scope: "admin", summary: "Let work start again", answer: done },
  drainFleet: {
    scope: "admin",
    summary: "Start nothing more, and end the fleet when running jobs have finished",
    body: ofProject,
    answer: done,
    status: 202,
  },
  reloadFleet: {
    scope: "admin",
    summary: "Read the configuration again",
    body: ofProject,
    answer: records.reloaded,
  },
  getPlan: {
    scope: "view",
    summary: "What the next 24 hours bring",
    query: ofProject,
    answer: schedules.plan,
  },
  listAgents: {
    scope: "view",
    summary: "Agents, with their slots and what their jobs usually take",
    query: ofProject,
    answer: records.agents,
  },
  getAgentConfig: {
    scope: "view",
    summary: "What holds for an agent, with file and line; secrets are left out",
    query: ofProject,
    answer: records.agentConfig,
  },
  pauseAgent: { scope: "admin", summary: "Start no more jobs of an agent", body: ofProject, answer: done },
  resumeAgent: { scope: "admin", summary: "Start jobs of an agent again", body: ofProject, answer: done },
} as const;

const JOBS = {
  listJobs: { scope: "view", summary: "Jobs, the newest first", query: jobsQuery, answer: jobPage },
  startJob: {
    scope: "start",
    summary: "Put a job into the queue",
    body: steering.startBody,
    answer: steering.started,
    status: 201,
  },
  getJob: { scope: "view", summary: "One job, by its id or the beginning of it", answer: job },
  getRelay: { scope: "view", summary: "The sessions of a job, each as its window filled", answer: relay },
  getJobCost: {
    scope: "view",
    summary: "What a job cost, by session and by model",
    answer: spending.jobCost,
  },
  getWhy: { scope: "view", summary: "Why a job is what it is", answer: records.why },
  listEvents: {
    scope: "view",
    summary: "Events of a job: the newest, or those before or after one",
    query: eventsQuery,
    answer: eventPage,
  },
  getEvent: { scope: "view", summary: "One event, whole", answer: event },
  listCheckpoints: {
    scope: "view",
    summary: "The checkpoints of a job, oldest first",
    answer: records.checkpoints,
    starts: true,
  },
  getDiff: {
    scope: "view",
    summary: "What a job changed, between where it began, checkpoints and now",
    query: records.diffQuery,
    answer: records.diff,
    starts: true,
  },
  getHandoff: { scope: "view", summary: "The document of a handoff", answer: records.handoff },
  exportJob: {
    scope: "view",
    summary: "A job in one page of HTML, without secrets, as `baton export --html` writes it",
    answer: records.exported,
    starts: true,
  },
} as const;

const STEERING = {
  listMessages: { scope: "view", summary: "What was sent to a job", answer: steering.messages },
  sendMessage: {
    scope: "start",
    summary: "Send the agent of a job something",
    body: steering.messageBody,
    answer: message,
    status: 201,
  },
  changeMessage: {
    scope: "start",
    summary: "Change a message that waits",
    body: steering.changeBody,
    answer: message,
  },
  removeMessage: { scope: "start", summary: "Take a message back that waits", answer: message },
  pauseJob: { scope: "start", summary: "Let a job rest at its next boundary", answer: steering.steered },
  resumeJob: {
    scope: "start",
    summary: "Put a job that rests into the queue",
    body: steering.resumeBody,
    answer: steering.started,
  },
  cancelJob: { scope: "start", summary: "End a job; it can be resumed", answer: steering.steered },
  retryJob: {
    scope: "start",
    summary: "A new job with the same prompt, from the beginning",
    answer: steering.started,
    status: 201,
  },
  forkJob: {
    scope: "start",
    summary: "A new job that continues the work of another in a worktree of its own",
    body: steering.forkBody,
    answer: steering.started,
    starts: true,
    status: 201,
  },
  handOffJob: {
    scope: "start",
    summary: "Hand a job off now",
    body: steering.handOffBody,
    answer: steering.steered,
  },
  moveJob: {
    scope: "start",
    summary: "Give a job another place in the queue",
    body: steering.moveBody,
    answer: steering.started,
  },
  listInbox: {
    scope: "view",
    summary: "What waits for a person, the most expensive first",
    query: ofProject,
    answer: steering.inbox,
  },
  answerAsk: {
    scope: "answer",
    summary: "Answer what an agent asks: once, however many try",
    body: steering.answerBody,
    answer: steering.answered,
  },
  getAlways: {
    scope: "view",
    summary: "The line of the configuration that would allow such a call from now on",
    answer: steering.always,
  },
  leaveInbox: {
    scope: "answer",
    summary: "Take something out of the inbox until it changes, as `baton inbox done`",
    body: steering.leaveBody,
    answer: done,
  },
} as const;

const RECORDS = {
  listSchedules: {
    scope: "view",
    summary: "Schedules, with when each runs next",
    query: ofProject,
    answer: schedules.schedules,
  },
  listWork: {
    scope: "view",
    summary: "What would be taken from trackers, and why the rest is not",
    query: ofProject,
    answer: work.work,
  },
  claimWork: {
    scope: "start",
    summary: "Have an agent work on an item now",
    body: work.claimBody,
    answer: work.itemSteered,
    status: 201,
  },
  releaseWork: {
    scope: "start",
    summary: "Take an item away from whoever has it",
    body: work.itemBody,
    answer: work.itemSteered,
  },
  ignoreWork: {
    scope: "start",
    summary: "Ignore an item, or stop ignoring it",
    body: work.ignoreBody,
    answer: work.itemSteered,
  },
  listFires: {
    scope: "view",
    summary: "The outcomes of due times, newest first",
    query: schedules.firesQuery,
    answer: schedules.fires,
  },
  runSchedule: {
    scope: "start",
    summary: "Run a schedule now",
    body: ofProject,
    answer: steering.started,
    status: 201,
  },
  pauseSchedule: {
    scope: "start",
    summary: "Skip the due times of a schedule",
    body: schedules.pauseScheduleBody,
    answer: done,
  },
  resumeSchedule: { scope: "start", summary: "Let a schedule run again", body: ofProject, answer: done },
  getCost: {
    scope: "view",
    summary: "What was spent, by day, agent, job or model",
    query: spending.costQuery,
    answer: spending.cost,
  },
  listBudgets: {
    scope: "view",
    summary: "What is left of budgets",
    query: ofProject,
    answer: spending.budgets,
  },
  getTime: {
    scope: "view",
    summary: "Where the time of jobs went",
    query: spending.timeQuery,
    answer: spending.times,
  },
  listWorkspaces: {
    scope: "view",
    summary: "Worktrees and branches of jobs, and why they are kept",
    query: records.workspacesQuery,
    answer: records.workspaces,
    starts: true,
  },
  listOwnSessions: {
    scope: "view",
    summary: "Sessions that a person started themselves",
    answer: records.ownSessions,
  },
  listAccounts: {
    scope: "view",
    summary: "Accounts whose usage limit some job has met, and when it resets",
    answer: spending.accounts,
  },
} as const;

const SERVER = {
  getServer: {
    scope: "view",
    summary: "The server itself: how it is reached, and how much room there is",
    answer: server,
  },
  getDoctor: {
    scope: "view",
    summary: "What Baton needs and can use here, as `baton doctor` finds it",
    query: ofProject,
    answer: doctor,
    starts: true,
  },
} as const;

export const CONTRACT = {
  ...ACCESS,
  ...FLEET,
  ...JOBS,
  ...STEERING,
  ...RECORDS,
  ...SERVER,
} satisfies Record<OperationName, Contract>;

type Of<K extends OperationName> = (typeof CONTRACT)[K];

export type QueryOf<K extends OperationName> =
  Of<K> extends { query: infer Q extends z.ZodType } ? z.output<Q> : Record<never, never>;
export type BodyOf<K extends OperationName> =
  Of<K> extends { body: infer B extends z.ZodType } ? z.output<B> : undefined;
export type AnswerOf<K extends OperationName> = z.input<Of<K>["answer"]>;

/** As a client sends them. */
export type SentQueryOf<K extends OperationName> =
  Of<K> extends { query: infer Q extends z.ZodType } ? z.input<Q> : undefined;
export type SentBodyOf<K extends OperationName> =
  Of<K> extends { body: infer B extends z.ZodType } ? z.input<B> : undefined;
