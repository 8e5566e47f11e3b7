import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { launchLike, startedWith } from "../../agents/claude/own/launch.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Elsewhere, Place } from "../../sessions/handoff/cycle.ts";
import { startedAs } from "../../sessions/handoff/successor.ts";
import { successorOf } from "../../sessions/record/handoff-questions.ts";
import type { Registry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { writeLaunch } from "../../sessions/terminal/launch.ts";
import { openWindow, runningServer } from "../../sessions/terminal/tmux.ts";
import { listJobs } from "../../store/job-list.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { startBehind } from "../background.ts";
import { ownProgram } from "../own-program.ts";
import { findProject, hasStore, lookIntoOwnStore } from "../project.ts";

const NEWEST_JOBS = 50;

/** Where a session in a terminal that cannot be typed into goes on. */
export function elsewhereFor(session: OwnSession, registry: Registry): Elsewhere {
  return {
    async window() {
      const socket = await runningServer(process.env);
      return socket === undefined ? undefined : windowOf(session, registry, socket);
    },
    job: () => jobOf(session, registry),
  };
}

function windowOf(session: OwnSession, registry: Registry, socket: string): Place {
  const id = successorOf(session.handoff) ?? randomUUID();
  return {
    name: "a new tmux window",
    id,
    async start(line) {
      const launch = await launchLike(session, id, line);
      if (!launch) return { why: "Claude Code was not found, so no new instance could be started" };
      const path = await writeLaunch(join(dirname(registry.folder), "launches"), launch);
      const pane = await openWindow(socket, [process.execPath, ownProgram, "internal", "launch", path]);
      if (pane) return { id };
      await rm(path, { force: true });
      return { why: "tmux could not open a new window" };
    },
    async begun(handoff) {
      const successor = successorOf(handoff);
      return successor ? startedAs(session, successor) : undefined;
    },
  };
}

function jobOf(session: OwnSession, registry: Registry): Place {
  return {
    name: "a job in the background",
    start: () => startJob(session, registry.beside("continued", session.id)),
    async begun({ documentPath }) {
      const id = await jobFrom(session.project, documentPath);
      return id === undefined ? undefined : { id };
    },
  };
}

/** Runs on by itself: `baton jobs` shows it, and `baton attach` watches it. */
async function startJob(session: OwnSession, log: string): ReturnType<Place["start"]> {
  const begun = await startBehind(
    {
      args: ["internal", "continue", session.id],
      cwd: session.project,
      env: ownEnvironment(startedWith(session.process)?.env),
      log,
    },
    startedIn,
  );
  return "pid" in begun ? begun.said : { why: `no job could be started: ${begun.printed}` };
}

/** What a job says first that continues a session. */
function startedIn(line: string): Awaited<ReturnType<Place["start"]>> | undefined {
  const said = fromJson(line);
  if (!isFields(said)) return undefined;
  const { job: id, refused, model, permissionMode: mode } = said;
  if (typeof refused === "string") return { why: refused };
  if (typeof id !== "string") return undefined;
  const on = typeof model === "string" ? ` on ${model}` : "";
  return {
    id,
    how: `It works${on} in permission mode ${mode}, as this session does. \`baton attach ${id}\` watches it.`,
  };
}

/** A start that was cut off may still have put its job on record. */
async function jobFrom(folder: string, document: string | undefined): Promise<string | undefined> {
  const project = findProject({}, folder);
  if (!hasStore(project)) return undefined;
  await using store = await lookIntoOwnStore(project);
  return (await listJobs(store, NEWEST_JOBS)).find(({ continues }) => continues?.document === document)?.id;
}
