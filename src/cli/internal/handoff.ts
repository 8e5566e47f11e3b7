import { readDocument } from "../../app/handoffs/document.ts";
import { handoffNow } from "../../app/handoffs/handoff-now.ts";
import { UsageError } from "../../app/usage-error.ts";
import { print, printError, printJson } from "../../display/print.ts";
import { EXIT } from "../exit.ts";

/** For hooks of on_context_threshold: has the built-in handoff made, and prints its document. */
export async function internalHandoff({ json = false }: { json?: boolean }): Promise<number> {
  const { BATON_STORE: path, BATON_JOB_ID: id } = process.env;
  if (!path || !id) {
    throw new UsageError(
      "`baton internal handoff` is for hooks of on_context_threshold. By hand: `baton handoff <job>`.",
    );
  }
  const made = await handoffNow(path, id);
  if ("refused" in made) {
    printError(made.refused);
    return EXIT.failed;
  }
  const { number, outcome, documentPath } = made;
  const { text: document } = await readDocument(documentPath);
  if (json) printJson({ number, outcome, documentPath, document });
  else print(document);
  return EXIT.completed;
}
