import { signal } from "@preact/signals";
import { createClient } from "../../src/client.ts";

/** Since when the server cannot be reached, if it cannot. */
export const awaySince = signal<Date | undefined>(undefined);

/** The one door to the server. */
export const api = createClient({
  async fetch(input, init) {
    try {
      const answer = await fetch(input, init);
      awaySince.value = undefined;
      return answer;
    } catch (error) {
      if (!init?.signal?.aborted) awaySince.value ??= new Date();
      throw error;
    }
  },
});
