import type { AgentConfig } from "../../config/config.ts";
import type { JournalEvent } from "../../jobs/events.ts";
import type { Journal } from "../../jobs/journal.ts";
import { eventLine } from "./event-line.ts";
import { liveLine } from "./live-line.ts";
import { paintFor } from "./style.ts";

const FRAME_MS = 100;
const CLEAR = "\r\u001b[2K";

/** Shows a running job. `stop` leaves the screen as a plain log would. */
export interface Screen {
  stop(): void;
}

/** One JSON event a line, for programs. */
export function jsonScreen(journal: Journal, out: NodeJS.WriteStream): Screen {
  return { stop: journal.subscribe((event) => out.write(`${JSON.stringify(event)}\n`)) };
}

/** A line for each event, and below them on a terminal one line that is always current. */
export function peopleScreen(journal: Journal, config: AgentConfig, out: NodeJS.WriteStream): Screen {
  const paint = paintFor(out, process.env);
  const live = out.isTTY === true && process.env.TERM !== "dumb";
  let frame: NodeJS.Timeout | undefined;

  const draw = () => {
    frame = undefined;
    const line = liveLine(journal.job, config, new Date(), out.columns ?? 80, paint);
    out.write(`${CLEAR}${line}`);
  };
  const soon = () => {
    if (live) frame ??= setTimeout(draw, FRAME_MS);
  };
  const print = (event: JournalEvent) => {
    const text = eventLine(event, paint);
    if (text !== undefined) out.write(live ? `${CLEAR}${text}\n` : `${text}\n`);
    soon();
  };

  const unsubscribe = journal.subscribe(print);
  const tick = live ? setInterval(soon, 1_000) : undefined;
  return {
    stop() {
      unsubscribe();
      clearTimeout(frame);
      clearInterval(tick);
      if (live) out.write(CLEAR);
    },
  };
}
