import { useCallback, useEffect, useState } from "preact/hooks";
import { messageOf } from "../../src/util/errors.ts";
import { hear } from "./live.ts";

export interface Asked<T> {
  value?: T;
  error?: string;
  reload: () => void;
}

/** What a question to the server came to; asked again when one of `about` changes, or on demand. The last answer stays until then. */
export function useAsked<T>(ask: (signal: AbortSignal) => Promise<T>, about: readonly unknown[]): Asked<T> {
  const [held, hold] = useState<{ about: string; value?: T; error?: string }>({ about: "" });
  const [again, askAgain] = useState(0);
  const key = JSON.stringify(about);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question is what it is about.
  useEffect(() => {
    const gone = new AbortController();
    ask(gone.signal).then(
      (value) => hold({ about: key, value }),
      (error: unknown) => {
        if (!gone.signal.aborted) hold({ about: key, error: messageOf(error) });
      },
    );
    return () => gone.abort();
  }, [key, again]);
  const failed = held.about === key && held.error !== undefined;
  // What could not be answered is asked again once the server is back.
  useEffect(() => {
    if (!failed) return undefined;
    const again = () => askAgain((turn) => turn + 1);
    const ends = [hear("begin", again), hear("resume", again)];
    return () => {
      for (const end of ends) end();
    };
  }, [failed]);
  const reload = useCallback(() => askAgain((turn) => turn + 1), []);
  return {
    ...(held.value !== undefined && { value: held.value }),
    ...(held.about === key && held.error !== undefined && { error: held.error }),
    reload,
  };
}
