import { readFile } from "node:fs/promises";
import { followed } from "../../app/follow.ts";
import { UsageError } from "../../app/usage-error.ts";
import type { HandoffRecord } from "../../job/job.ts";
import { getJob } from "../../store/jobs.ts";
import { sendRequest } from "../../store/requests.ts";
import { openStore } from "../../store/store.ts";
import { EXIT } from "../exit.ts";

/** For hooks of on_context_threshold: has the built-in handoff made, and prints its document. */
export async function internalHandoff({ json = false }: { json?: boolean }): Promise<number> {
  const { BATON_STORE: path, BATON_JOB_ID: id } = process.env;
  if (!path || !id) {
    throw new UsageError(
      "`baton internal handoff` is for hooks of on_context_threshold. By hand: `baton handoff <job>`.",
    );
  }
  await using store = await openStore(path);
  const { seq, handoffs } = await getJob(store, id);
  const made = handoffs.at(-1);
  // Another hook has had it made, and no session has taken it over.
  if (made && made.toSession === null) return print(made, json);
  await sendRequest(store, id, { kind: "handoff-now", payload: null, at: new Date().toISOString() });
  for await (const event of followed(store, id, seq)) {
    if (event.type === "handoff:refused") {
      console.error(event.message);
      return EXIT.failed;
    }
    if (event.type === "handoff:stored") return print({ ...event, number: event.handoffNumber }, json);
  }
  console.error(`${id} ended before the handoff was stored.`);
  return EXIT.failed;
}

async function print(handoff: Pick<HandoffRecord, "number" | "outcome" | "documentPath">, json: boolean) {
  const { number, outcome, documentPath } = handoff;
  const document = await readFile(documentPath, "utf8");
  console.log(json ? JSON.stringify({ number, outcome, documentPath, document }) : document);
  return EXIT.completed;
}
