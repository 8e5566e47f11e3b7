import type { JournalEvent } from "../src/job/events.ts";
import type { Phase } from "./phase.ts";
import type { AgentKind, Victim, WorkspaceKind } from "./plan.ts";
import { fileOf, isEdit, lineOf, STEPS, stepOfCall } from "./scenario.ts";

/** What can come of a kill. The first ones must not. */
export const FAULTS = [
  "steps lost",
  "steps repeated",
  "edits lost",
  "half documents",
  "broken stores",
  "orphans",
  "leftovers",
] as const;
/** `repeats unknown`: the journal did not know that the step was done. `scratch`: what a killed process had only for a while. */
export const NOTES = ["repeats unknown", "scratch", "stumbles"] as const;
export type Fault = (typeof FAULTS)[number];
export type Note = (typeof NOTES)[number];

export interface Finding {
  kind: Fault | Note;
  phase: Phase;
  what: string;
}

/** A kill that struck, and the last event that was durable by then. */
export interface Kill {
  phase: Phase;
  victim: Victim;
  seq: number;
}

export interface JobReport {
  index: number;
  workspace: WorkspaceKind;
  agent: AgentKind;
  kills: Kill[];
  completed: boolean;
  /** Kills that were planned and came too late. */
  missed: number;
  resumes: number;
  findings: Finding[];
}

/** The lines in the file of each step. */
export type Files = ReadonlyMap<number, readonly string[]>;

/** Steps that the journal has as done must be there, whatever was killed. */
export function lostOfKnown(events: readonly JournalEvent[], files: Files): number[] {
  return [...new Set(calls(events).flatMap(({ step, ended }) => (ended === undefined ? [] : [step])))].filter(
    (step) => isMissing(step, files),
  );
}

/** What is to be said of the files of a job that has completed, by the kill after which it happened. */
export function judgeFiles(events: readonly JournalEvent[], files: Files, kills: readonly Kill[]): Finding[] {
  const last = kills.at(-1)?.phase ?? "working";
  const known = calls(events);
  return Array.from({ length: STEPS }, (_, index) => index + 1).flatMap((step): Finding[] => {
    if (isMissing(step, files)) return [lost(step, last)];
    const own = known.filter((call) => call.step === step);
    const done = own.find(({ ended }) => ended !== undefined)?.ended;
    const again = own.filter(({ started }) => done !== undefined && started > done);
    const lines = (files.get(step) ?? []).length;
    const unknown = Math.max(0, lines - 1 - again.length);
    return [
      ...again.map(({ started }) => ({
        kind: "steps repeated" as const,
        phase: phaseBefore(started, kills),
        what: `${fileOf(step)}: its call had ended at event ${done}, and another began at ${started}`,
      })),
      ...Array.from({ length: unknown }, () => ({
        kind: "repeats unknown" as const,
        phase: phaseBefore(own.at(-1)?.started ?? 0, kills),
        what: `${fileOf(step)} has ${lines} lines`,
      })),
    ];
  });
}

export function lost(step: number, phase: Phase): Finding {
  return { kind: isEdit(step) ? "edits lost" : "steps lost", phase, what: `${fileOf(step)} is not there` };
}

interface Call {
  step: number;
  started: number;
  /** Where it went well. */
  ended: number | undefined;
}

function calls(events: readonly JournalEvent[]): Call[] {
  const ended = new Map(events.flatMap((event) => (event.type === "tool:end" ? [[event.id, event]] : [])));
  return events.flatMap((event): Call[] => {
    const step = event.type === "tool:start" ? stepOfCall(event) : undefined;
    if (event.type !== "tool:start" || step === undefined) return [];
    const end = ended.get(event.id);
    return [{ step, started: event.seq, ended: end?.ok ? end.seq : undefined }];
  });
}

function isMissing(step: number, files: Files): boolean {
  return !files.get(step)?.includes(lineOf(step));
}

function phaseBefore(seq: number, kills: readonly Kill[]): Phase {
  return (kills.findLast((kill) => kill.seq < seq) ?? kills.at(-1))?.phase ?? "working";
}
