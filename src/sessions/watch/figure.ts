import { lineEvents } from "../../agents/claude/own/transcript-line.ts";
import { compactsAt, models } from "../../agents/claude/own/window.ts";
import { type ContextState, initialContext, pendingTokens, track, turnsLeft } from "../../context/tracker.ts";
import { type OpenFile, openRegular } from "../../files/bounded-file.ts";
import { type About, NOTHING_TOLD, told } from "../record/about.ts";
import type { ContextFigure, OwnSession, Reading } from "../record/session.ts";

// Imported by name, files bring their promises along, which takes a hook longer than all it does.
const { readSync } = process.getBuiltinModule("node:fs");

/** The figure needs the newest answers only, so the beginning of a very long transcript need not be read. */
const MOST_READ_AT_ONCE = 32 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface Figured {
  /** Null where no answer with a known window is on record. */
  figure: ContextFigure | null;
  reading: Reading | null;
}

const NOTHING: Figured = { figure: null, reading: null };

/**
 * How full a session's window is, and what it is about, by its transcript. Reads only what is new since its last reading, and at once: a session
 * waits for the hook that asks.
 */
export function figureOf(
  { transcript, reading, settings }: Pick<OwnSession, "transcript" | "reading" | "settings">,
  configuredWindow?: number,
): Figured {
  if (transcript === null) return NOTHING;
  const opened = openedOrNone(transcript);
  if (opened === undefined) return NOTHING;
  using file = opened;
  const { fd, inode, size } = file;
  const known = isOf(reading, transcript, inode, size) ? reading : undefined;
  const start = Math.max(known?.offset ?? 0, size - MOST_READ_AT_ONCE);
  const fresh = wholeLines(fd, start, size);
  const first = known?.context ?? initialContext(configuredWindow === undefined ? {} : { configuredWindow });
  const before = { context: first, about: known?.about ?? NOTHING_TOLD };
  const now = withLines(before, fresh.toString("utf8"), settings?.checkMessage);
  const next = { path: transcript, inode, offset: start + fresh.length, ...now };
  return { figure: figureFrom(now.context), reading: next };
}

/** Whatever stands in its place, a person's session goes on. */
function openedOrNone(path: string): OpenFile | undefined {
  try {
    return openRegular(path);
  } catch {
    return undefined;
  }
}

/** One that was replaced or cut short is another file. What an earlier version read is read again: it kept less of it. */
function isOf(reading: Reading | null, path: string, inode: number, size: number): reading is Reading {
  const isSame = reading?.path === path && reading.inode === inode && reading.offset <= size;
  return isSame && reading.about !== undefined;
}

/** The last line can be half-written: it is left for the next time. */
function wholeLines(file: number, start: number, end: number): Buffer {
  const buffer = Buffer.allocUnsafe(end - start);
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, start + length);
    if (read === 0) break;
    length += read;
  }
  const whole = buffer.subarray(0, length);
  return whole.subarray(0, whole.lastIndexOf(NEWLINE) + 1);
}

interface Told {
  context: ContextState;
  about: About;
}

function withLines(before: Told, lines: string, check: string | undefined): Told {
  let { context, about } = before;
  for (const line of lines.split("\n")) {
    for (const event of lineEvents(line)) {
      context = track(context, event, models);
      about = told(about, event, check);
    }
  }
  return { context, about };
}

/** Where the agent's program would compact the session by itself. Undefined where it does not, or nobody knows. */
export function compactionOf(
  figure: ContextFigure | null,
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  return figure ? compactsAt(figure.window, env) : undefined;
}

/** Null where no answer with a known window was heard. */
export function figureFrom(context: ContextState): ContextFigure | null {
  const { tokens, window, turns, growth, model } = context;
  if (tokens === 0 || window === undefined) return null;
  const left = turnsLeft(context);
  const pending = pendingTokens(context);
  return {
    tokens,
    window: window.tokens,
    percent: Math.min(100, (tokens / window.tokens) * 100),
    ...(pending > 0 && { pending }),
    turns,
    ...(growth !== undefined && { growth }),
    ...(left !== undefined && { turnsLeft: left }),
    ...(model !== undefined && { model }),
    source: "transcript",
  };
}
