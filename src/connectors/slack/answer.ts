import { UndeliveredError } from "../error.ts";
import { ownAddress } from "./files.ts";
import { contentOf } from "./message.ts";
import { MESSAGE_LIMIT } from "./text.ts";

const ANSWER_MS = 10_000;

/** To the one who asked, and to nobody else. */
export async function answerAlone(
  to: string,
  text: string,
  base: string,
  signal: AbortSignal,
): Promise<void> {
  const url = ownAddress(to, base);
  if (!url)
    throw new UndeliveredError("Slack named a place for an answer that is none of its own.", "", false);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify({
      response_type: "ephemeral",
      ...contentOf({ text: text.slice(0, MESSAGE_LIMIT) }),
    }),
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  });
  await response.body?.cancel();
  if (!response.ok) {
    throw new UndeliveredError(
      `Slack did not take the answer (status ${response.status}).`,
      "",
      response.status >= 500,
    );
  }
}
