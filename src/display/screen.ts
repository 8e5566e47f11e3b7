import type { AgentConfig } from "../config/config.ts";
import type { JournalEvent } from "../job/events.ts";
import type { Journal } from "../jobs/journal.ts";
import { escapedJson } from "../util/printable.ts";
import { eventLine } from "./event-line.ts";
import { liveLine } from "./live-line.ts";
import { onScreen, paintFor } from "./style.ts";

const FRAME_MS = 100;
/** The cursor rests at the start of the live line, so this clears it even where a narrower window has wrapped it. */
const CLEAR = "\r\u001b[J";

/** Shows a running job. */
export interface Screen {
  show(event: JournalEvent): void;
  /** Tells a person something that is not an event of the job. */
  say(text: string): void;
  /** Leaves the screen as a plain log would. */
  stop(): void;
}

/** One JSON event a line, for programs. */
export function jsonScreen(out: NodeJS.WriteStream): Screen {
  return { show: (event) => out.write(`${escapedJson(event)}\n`), say() {}, stop() {} };
}

/** A line for each event, and below them on a terminal one line that is always current. `keys`: Escape is heard. */
export function peopleScreen(
  journal: Journal,
  config: AgentConfig,
  out: NodeJS.WriteStream,
  keys: boolean,
): Screen {
  const paint = paintFor(out, process.env);
  const lineOf = (event: JournalEvent) => eventLine(event, paint);
  if (out.isTTY !== true || process.env.TERM === "dumb") return plainScreen(out, lineOf);
  // A line that reaches the last column would wrap on some terminals.
  const current = () => {
    const width = (out.columns || 80) - 1;
    return liveLine(journal.job, config, new Date(), width, paint, keys, undefined, journal.now());
  };
  return liveScreen(out, lineOf, current);
}

type LineOf = (event: JournalEvent) => string | undefined;

function plainScreen(out: NodeJS.WriteStream, lineOf: LineOf): Screen {
  const say = (text: string) => out.write(`${onScreen(text)}\n`);
  return {
    show(event) {
      const text = lineOf(event);
      if (text !== undefined) say(text);
    },
    say,
    stop() {},
  };
}

function liveScreen(out: NodeJS.WriteStream, lineOf: LineOf, current: () => string): Screen {
  let frame: NodeJS.Timeout | undefined;
  const draw = (above = "") => {
    clearTimeout(frame);
    frame = undefined;
    out.write(`${CLEAR}${onScreen(above + current())}\r`);
  };
  const soon = () => {
    frame ??= setTimeout(draw, FRAME_MS);
  };
  const say = (text: string) => draw(`${text}\n`);
  const stop = () => {
    clearTimeout(frame);
    clearInterval(tick);
    out.off("resize", soon);
    process.off("exit", stop);
    out.write(CLEAR);
  };
  const tick = setInterval(soon, 1_000);
  out.on("resize", soon);
  process.once("exit", stop);
  return {
    show(event) {
      const text = lineOf(event);
      if (text === undefined) soon();
      else say(text);
    },
    say,
    stop,
  };
}
