import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../../src/util/errors.ts";
import { api } from "../data/api.ts";

/** The whole of an event: what a tool printed, or all that is on record. */
export function EventBody({ job, seq, isRaw }: { job: string; seq: number; isRaw?: boolean }) {
  const [text, setText] = useState<string | undefined>(undefined);
  useEffect(() => {
    const gone = new AbortController();
    api.getEvent({ job, seq: String(seq) }, undefined, { signal: gone.signal }).then(
      (event) => setText(isRaw ? JSON.stringify(event, null, 2) : wordsOf(event)),
      (error: unknown) => !gone.signal.aborted && setText(`It could not be loaded: ${messageOf(error)}`),
    );
    return () => gone.abort();
  }, [job, seq, isRaw]);
  return <pre class="body">{text ?? "Loading …"}</pre>;
}

function wordsOf(event: Record<string, unknown>): string {
  const { output, text, message, error } = event;
  const words = [output, text, message, error].find((value) => typeof value === "string" && value !== "");
  return typeof words === "string" ? words : JSON.stringify(event, null, 2);
}
