import type { AgentConfig } from "../config/config.ts";
import type { JournalEvent } from "../job/events.ts";
import type { Job } from "../job/job.ts";
import { escapedJson } from "../util/printable.ts";
import { AgentWords } from "./agent-words.ts";
import { eventLine, saidLines } from "./event-line.ts";
import { screenWidth } from "./fold.ts";
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
  /** What stands below the live line has changed. */
  redraw(): void;
  /** Leaves the screen as a plain log would. */
  stop(): void;
  /** Whether the result of the job stands there already, as what the agent said last. */
  hasShown(result: string): boolean;
}

/** One JSON event a line, for programs. */
export function jsonScreen(out: NodeJS.WriteStream): Screen {
  return {
    show: (event) => out.write(`${escapedJson(event)}\n`),
    say() {},
    redraw() {},
    stop() {},
    hasShown: () => true,
  };
}

/** A job as whoever shows it knows it. */
export interface Shown {
  job: Job;
  /** The time as the job counts it. */
  now(): Date;
  config: Pick<AgentConfig, "session">;
}

interface ScreenOptions {
  /** Escape is heard. */
  keys: boolean;
  /** What stands below the live line: lines of at most this width. */
  below?: ((width: number) => string[]) | undefined;
}

/** True where a line can be drawn again in its place. */
export function isLive(out: NodeJS.WriteStream): boolean {
  return out.isTTY === true && process.env.TERM !== "dumb";
}

/** A line for each event, and below them on a terminal one line that is always current. */
export function peopleScreen(shown: Shown, out: NodeJS.WriteStream, { keys, below }: ScreenOptions): Screen {
  const paint = paintFor(out, process.env);
  const lineOf = (event: JournalEvent) => eventLine(event, paint, screenWidth(out));
  const words = new AgentWords((text) => saidLines(text, paint, screenWidth(out)).isWhole);
  if (!isLive(out)) return withWords(words, plainScreen(out, lineOf));
  const current = () => {
    // A line that reaches the last column would wrap on some terminals.
    const width = (out.columns || 80) - 1;
    const { job, config } = shown;
    const line = liveLine(job, config, new Date(), width, paint, keys, undefined, shown.now());
    // In a window of two rows there is no room for more.
    const most = Math.max(0, (out.rows || 24) - 2);
    return [line, ...(below?.(width).slice(-most || undefined) ?? [])];
  };
  return withWords(words, liveScreen(out, lineOf, current));
}

type Lines = Omit<Screen, "hasShown">;

function withWords(words: AgentWords, screen: Lines): Screen {
  return {
    ...screen,
    show: (event) => {
      for (const each of words.after(event)) screen.show(each);
    },
    stop() {
      for (const each of words.rest()) screen.show(each);
      screen.stop();
    },
    hasShown: (result) => words.hasShown(result),
  };
}

type LineOf = (event: JournalEvent) => string | undefined;

function plainScreen(out: NodeJS.WriteStream, lineOf: LineOf): Lines {
  const say = (text: string) => out.write(`${onScreen(text)}\n`);
  return {
    show(event) {
      const text = lineOf(event);
      if (text !== undefined) say(text);
    },
    say,
    redraw() {},
    stop() {},
  };
}

/** `current`: the live line, and what stands below it. */
function liveScreen(out: NodeJS.WriteStream, lineOf: LineOf, current: () => string[]): Lines {
  let frame: NodeJS.Timeout | undefined;
  const draw = (above = "") => {
    clearTimeout(frame);
    frame = undefined;
    const lines = current();
    const back = lines.length > 1 ? `\u001b[${lines.length - 1}A` : "";
    out.write(`${CLEAR}${onScreen(above + lines.join("\n"))}${back}\r`);
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
    redraw: () => draw(),
    stop,
  };
}
