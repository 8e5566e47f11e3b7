import type { Enqueued } from "../../app/fleet/enqueue.ts";
import { printJson, printWords } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";
import { shortId } from "../../display/words.ts";
import { deedIsOn } from "../audited.ts";
import { EXIT } from "../exit.ts";
import { NOT_RUNNING_WORDS } from "./head.ts";

/** Says where a job stands that was put into the queue. */
export function sayEnqueued({ job, queued, fleet }: Enqueued, { json = false }: { json?: boolean }): number {
  deedIsOn(job);
  if (json) {
    printJson({ job, status: "queued", ...(queued && { queued }), fleet: fleet.state });
    return EXIT.completed;
  }
  const id = shortId(job);
  const place = queued ? ` at place ${queued.position}` : "";
  const why = queued && fleet.state !== "not running" ? `\n  ${oneLine(queued.reason.text)}` : "";
  printWords(
    [
      `${job} is queued${place}.${why}`,
      `  baton attach ${id}   watch it`,
      `  baton cancel ${id}   take it out of the queue`,
      ...(fleet.state === "not running" ? [NOT_RUNNING_WORDS] : []),
    ].join("\n"),
  );
  return EXIT.completed;
}
