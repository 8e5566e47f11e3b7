import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launchLike, startedWith } from "../../agents/claude/own/launch.ts";
import { ownEnvironment } from "../../agents/own-environment.ts";
import { readBeginning } from "../../files/bounded-file.ts";
import type { Elsewhere, Place } from "../../sessions/handoff/cycle.ts";
import { startedAs } from "../../sessions/handoff/successor.ts";
import { successorOf } from "../../sessions/record/handoff-questions.ts";
import type { Registry } from "../../sessions/record/registry.ts";
import type { OwnSession } from "../../sessions/record/session.ts";
import { writeLaunch } from "../../sessions/terminal/launch.ts";
import { openWindow, runningServer } from "../../sessions/terminal/tmux.ts";
import { listJobs } from "../../store/jobs.ts";
import { fromJson, isFields } from "../../util/json.ts";
import { ownProgram } from "../own-program.ts";
import { findProject, hasStore, lookIntoOwnStore } from "../project.ts";

const NEWEST_JOBS = 50;
const LOOK_MS = 50;

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
      return { why: "tmux could open no new window" };
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

/** Of what a job prints at its start. */
const PRINTED_BYTES = 64 * 1024;

/**
 * Runs on by itself: `baton jobs` shows it, and `baton logs -f` follows it. What it prints goes to a file, because a job
 * whose output nobody reads any more would end.
 */
async function startJob(session: OwnSession, output: string): ReturnType<Place["start"]> {
  await mkdir(dirname(output), { recursive: true, mode: 0o700 });
  await using file = await open(output, "w", 0o600);
  const child = spawn(process.execPath, [ownProgram, "internal", "continue", session.id], {
    cwd: session.project,
    env: ownEnvironment(startedWith(session.process)?.env),
    detached: true,
    stdio: ["ignore", file.fd, file.fd],
  });
  let ended = false;
  child.once("close", () => {
    ended = true;
  });
  child.once("error", () => {
    ended = true;
  });
  for (;;) {
    const isLast = ended;
    const printed = readBeginning(output, PRINTED_BYTES);
    const [line, ...others] = printed.split("\n");
    child.unref();
    if (others.length > 0 || isLast) return startedIn(line ?? "") ?? { why: notStarted(printed) };
    await sleep(LOOK_MS);
  }
}

/** What the first line of a job says that continues a session. */
function startedIn(line: string): Awaited<ReturnType<Place["start"]>> | undefined {
  const said = fromJson(line);
  if (!isFields(said)) return undefined;
  const { job: id, refused, model, permissionMode: mode } = said;
  if (typeof refused === "string") return { why: refused };
  if (typeof id !== "string") return undefined;
  const on = typeof model === "string" ? ` on ${model}` : "";
  return {
    id,
    how: `It works${on} in permission mode ${mode}, as this session does. \`baton logs -f ${id}\` follows it.`,
  };
}

function notStarted(printed: string): string {
  return `no job could be started: ${printed.trim()}`;
}

/** A start that was cut off may still have put its job on record. */
async function jobFrom(folder: string, document: string | undefined): Promise<string | undefined> {
  const project = findProject({}, folder);
  if (!hasStore(project)) return undefined;
  await using store = await lookIntoOwnStore(project);
  return (await listJobs(store, NEWEST_JOBS)).find(({ continues }) => continues?.document === document)?.id;
}
