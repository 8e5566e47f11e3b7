import { readFile } from "node:fs/promises";
import { findJob } from "../store/jobs.ts";
import { sendRequest } from "../store/requests.ts";
import { openStore } from "../store/store.ts";
import { EXIT, UsageError } from "./exit.ts";
import { followed } from "./follow.ts";

/** For hooks of on_context_threshold: has the built-in handoff made, and prints its document. */
export async function internalHandoff({ json = false }: { json?: boolean }): Promise<number> {
  const { BATON_STORE: path, BATON_JOB_ID: id } = process.env;
  if (!path || !id) {
    throw new UsageError(
      "`baton internal handoff` is for hooks of on_context_threshold. By hand: `baton handoff <job>`.",
    );
  }
  await using store = await openStore(path);
  const { seq } = await findJob(store, id);
  await sendRequest(store, id, { kind: "handoff-now", payload: null, at: new Date().toISOString() });
  for await (const event of followed(store, id, seq)) {
    if (event.type === "handoff:refused") {
      console.error(event.message);
      return EXIT.failed;
    }
    if (event.type !== "handoff:stored") continue;
    const document = await readFile(event.documentPath, "utf8");
    const { handoffNumber: number, outcome, documentPath } = event;
    console.log(json ? JSON.stringify({ number, outcome, documentPath, document }) : document);
    return EXIT.completed;
  }
  console.error(`${id} ended before the handoff was stored.`);
  return EXIT.failed;
}
