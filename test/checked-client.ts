import { expect } from "vitest";
import type { Client } from "../src/client.ts";
import { CONTRACT } from "../src/http/contract.ts";
import type { OperationName } from "../src/http/operations.ts";

/** A client that holds every answer to its schema, and remembers which operations it has run. */
export function checkedClient(client: Client, ran: Set<string>): Client {
  return new Proxy(client, {
    get(target, name: OperationName) {
      const call = target[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const answer = await call(...args);
        const { error } = CONTRACT[name].answer.safeParse(answer);
        expect(error, `${name} answers ${JSON.stringify(answer)}`).toBeUndefined();
        ran.add(name);
        return answer;
      };
    },
  });
}

/** Operations that `work-api.test.ts` runs. */
export const WITH_A_TRACKER = ["claimWork", "releaseWork", "ignoreWork"];
