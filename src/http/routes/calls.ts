import { nameOf, type Principal } from "../../app/access/principal.ts";
import { answerCall, type Called, signedFor } from "../../app/served/calls.ts";
import type { ServedProject } from "../../app/served/projects.ts";
import { MINUTE_MS } from "../../util/time.ts";
import { boundedText, jsonIn } from "../guards/body.ts";
import { Problem, problemOf } from "../problem.ts";
import type { Web } from "../web.ts";

export const CALL_PATH = "/hooks/:agent/:schedule";

/** How far the clocks of a caller and of this machine may be apart. */
const WINDOW_MS = 5 * MINUTE_MS;
const DELIVERY = /^[\x21-\x7e]{1,200}$/;

interface CallTo {
  agent: string;
  schedule: string;
  /** A project, where several are served. */
  named: string | undefined;
  from: string;
}

/** A call of a schedule, by a token of its own or signed as Baton's own webhooks are. */
export async function called(web: Web, request: Request, to: CallTo): Promise<Called> {
  const { headers } = request;
  const text = await boundedText(request);
  const sentAt = headers.get("x-baton-timestamp");
  const signature = headers.get("x-baton-signature-256");
  const { where, principal } = await callerOf(web, headers, to, {
    given: signature,
    signed: sentAt === null ? text : `${sentAt}.${text}`,
  });
  const target = `${to.agent} ${to.schedule}`;
  const begun = web.access.audit(principal, {
    what: "callSchedule",
    target,
    project: where.project.root,
    origin: to.from,
    outcome: "begun",
  });
  const record = (outcome: string) => web.access.endDeed(begun, { outcome });
  try {
    if (sentAt !== null) refuseLate(sentAt);
    jsonIn(text, headers);
    const { access, served } = web;
    const isSigned = principal.id.startsWith("signed:");
    const key = isSigned ? (signature ?? undefined) : deliveryIn(headers);
    const isTimeless = isSigned && sentAt === null;
    // Each is decided by what the one before has put into the queue.
    const answer = await web.turns.during(`calls of ${where.key} ${target}`, () =>
      answerCall({ access, served, principal }, where, { ...to, text, key, isTimeless }),
    );
    if (answer.isRepeated) record("answered as before");
    else record(answer.job === undefined ? `${answer.outcome}: ${answer.reason}` : "done");
    return answer;
  } catch (error) {
    record(`refused: ${problemOf(error).message}`);
    throw error;
  }
}

async function callerOf(
  web: Web,
  headers: Headers,
  { agent, schedule, named, from }: CallTo,
  { given, signed }: { given: string | null; signed: string },
): Promise<{ where: ServedProject; principal: Principal }> {
  const token = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const principal = token === undefined ? undefined : web.access.holder(token);
  if (principal?.hook === `${agent}/${schedule}`)
    return { where: web.served.only(principal, named), principal };
  if (principal) {
    throw new Problem(
      403,
      "scope",
      `${nameOf(principal)} may not call this. It needs a token of its own: baton token create --hook.`,
    );
  }
  const signer =
    given === null ? undefined : await signedFor(web.served, { agent, schedule, named }, { given, signed });
  if (signer) return signer;
  web.limits.failure(from);
  throw new Problem(
    401,
    "token",
    "Send the token of this webhook, or x-baton-signature-256: a signature by the secret of webhooks.secret_env, which the fleet must have in its environment.",
    { headers: { "www-authenticate": 'Bearer realm="baton"' } },
  );
}

function refuseLate(sentAt: string): void {
  const at = Number(sentAt) * 1_000;
  if (Math.abs(Date.now() - at) <= WINDOW_MS) return;
  throw new Problem(
    401,
    "timestamp",
    "x-baton-timestamp is not within five minutes of now, in seconds since 1970.",
  );
}

function deliveryIn(headers: Headers): string | undefined {
  const named = headers.get("x-baton-delivery");
  if (named === null) return undefined;
  if (DELIVERY.test(named)) return named;
  throw new Problem(400, "delivery", "x-baton-delivery has 1 to 200 characters, without blanks.");
}
