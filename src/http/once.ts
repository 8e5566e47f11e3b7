import { createHash } from "node:crypto";
import type { Access } from "../app/access/access.ts";
import type { Principal } from "../app/access/principal.ts";
import { Problem, problemOf } from "./problem.ts";

const NAME = /^[\x21-\x7e]{1,200}$/;

/** What its sender calls a request, so that it can be sent again without being done again. */
export function nameOfRequest(headers: Headers): string | undefined {
  const name = headers.get("idempotency-key");
  if (name === null) return undefined;
  if (NAME.test(name)) return name;
  throw new Problem(400, "idempotency-key", "An Idempotency-Key has 1 to 200 characters, without blanks.");
}

interface Named {
  named: string;
  /** Method and path. */
  path: string;
  said: unknown;
  /** What was begun before, and perhaps not done, can be begun again: it finds what there is. */
  canBegin: boolean;
}

interface Done<A> {
  answer: A;
  headers: Record<string, string>;
  status: number;
}

/** Does a request, or answers what came of it before. What is about to be done is on record first. */
export async function once<A>(
  access: Access,
  principal: Principal,
  { named, path, said, canBegin }: Named,
  does: () => Promise<Done<A>>,
): Promise<Done<A>> {
  const request = createHash("sha256")
    .update(`${path}\n${JSON.stringify(said ?? null)}`)
    .digest("hex");
  const before = access.begin(principal, named, request);
  if (before) {
    if (before.request !== request) {
      throw new Problem(
        422,
        "idempotency-key",
        "This Idempotency-Key was sent with another request. Choose a new one.",
      );
    }
    if (before.status !== null) {
      return {
        answer: JSON.parse(before.body ?? "{}"),
        status: before.status,
        headers: { "idempotency-replayed": "true" },
      };
    }
    if (!canBegin) {
      throw new Problem(
        409,
        "unknown",
        "A request with this Idempotency-Key was begun, and whether it was done is not known. Look before you send another.",
      );
    }
  }
  try {
    const done = await does();
    access.end(principal, named, { status: done.status, body: JSON.stringify(done.answer) });
    return done;
  } catch (error) {
    // What was refused was not done.
    if (problemOf(error).status < 500) access.drop(principal, named);
    throw error;
  }
}
