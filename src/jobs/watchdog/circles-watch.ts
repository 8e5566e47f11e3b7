import { Circles } from "../../job/watchdog/circles.ts";
import type { Journal } from "../journal.ts";

/** Says in the journal where a job seems to make no progress, until it is disposed. What it knew before it was resumed is not counted. */
export function watchCircles(journal: Journal): Disposable {
  const circles = new Circles();
  const unsubscribe = journal.subscribe((event) => {
    const found = circles.after(event);
    if (!found || !("session" in event)) return;
    journal.append({ type: "circles:suspected", session: event.session, ...found });
  });
  return { [Symbol.dispose]: unsubscribe };
}
