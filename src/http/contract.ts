import { z } from "zod";
import type { Scope } from "../app/access/principal.ts";
import type { OperationName } from "./operations.ts";
import { fleet, fleetQuery, session, signInBody } from "./schemas/fleet.ts";
import { event, eventPage, eventsQuery, job, jobPage, jobsQuery } from "./schemas/jobs.ts";
import { relay } from "./schemas/relay.ts";

/** What an operation takes and answers. Types, the OpenAPI document and the checks of requests come from it. */
export interface Contract {
  /** `none`: without a token. */
  scope: Scope | "none";
  /** For people. */
  summary: string;
  query?: z.ZodObject;
  body?: z.ZodType;
  answer: z.ZodType;
  /** Of an answer that went well. */
  status?: 200 | 201 | 202;
}

/** Nothing to say but that it was done. */
const done = z.object({ ok: z.literal(true) }).meta({ id: "Done" });

export const CONTRACT = {
  getSession: { scope: "view", summary: "Who asks, and what they may", answer: session },
  signIn: {
    scope: "none",
    summary: "Sign a browser in with the code of a one-time link, for a cookie",
    body: signInBody,
    answer: session,
  },
  signOut: {
    scope: "view",
    summary: "Sign out: this browser's cookie, or this token, holds no more",
    answer: done,
  },

  getFleet: {
    scope: "view",
    summary: "The fleet, by project: what runs, what waits and why",
    query: fleetQuery,
    answer: fleet,
  },

  listJobs: { scope: "view", summary: "Jobs, the newest first", query: jobsQuery, answer: jobPage },
  getJob: { scope: "view", summary: "One job, by its id or the beginning of it", answer: job },
  getRelay: { scope: "view", summary: "The sessions of a job, each as its window filled", answer: relay },
  listEvents: {
    scope: "view",
    summary: "Events of a job: the newest, or those before or after one",
    query: eventsQuery,
    answer: eventPage,
  },
  getEvent: { scope: "view", summary: "One event, whole", answer: event },
} as const satisfies Record<OperationName, Contract>;

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
