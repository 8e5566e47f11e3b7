import { inWords } from "../../config/reader/duration.ts";
import { counted } from "../../util/figures.ts";
import { oneLine } from "../../util/printable.ts";
import type { JobEvent, LifeSign } from "../events.ts";

type Stalled = Pick<
  Extract<JobEvent, { type: "stall:suspected" }>,
  "quietMs" | "actsInMs" | "watched" | "tool"
>;
type Circling = Pick<Extract<JobEvent, { type: "circles:suspected" }>, "kind" | "what" | "times" | "failing">;

export function stallTitle({ quietMs, tool }: Pick<Stalled, "quietMs" | "tool">): string {
  const during = tool === undefined ? "" : ` while it waits for ${oneLine(tool)}`;
  return `may be stalled: no sign of life for ${inWords(quietMs)}${during}`;
}

export function stallText({ actsInMs, watched }: Stalled): string {
  const nothing = watched.map((sign) => NOTHING[sign]).join(", ");
  return `${nothing}. Its program is ended and its session resumed in ${inWords(actsInMs)} (session.stall_timeout).`;
}

const NOTHING: Record<LifeSign, string> = {
  events: "The agent said nothing",
  processes: "its commands used no processor and printed nothing",
  files: "no file changed",
  git: "git did not change",
};

export function circlesInWords({ kind, what, times, failing = [] }: Circling): string {
  const named = oneLine(what);
  switch (kind) {
    case "commands":
      return `ran ${named} ${counted(times, "time")} with the same output`;
    case "edits":
      return `undid its own edits of ${named} ${counted(times, "time")}`;
    case "tests":
      return `${named} has failed in ${counted(times, "run")} and no fewer tests fail (${failing.join(", ")})`;
  }
}
