import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Connection, isAnotherUsers } from "../../app/access/peer.ts";
import { may, type Principal, type Scope } from "../../app/access/principal.ts";
import { isForOwnUser } from "../../app/access/sign-in.ts";
import { proofOf } from "../../app/access/tokens.ts";
import { PROOF_HEADER } from "../operations.ts";
import { Problem } from "../problem.ts";
import type { Web } from "../web.ts";

/** Who asks. `proof`: what a browser's page must send with each change. */
export interface Caller {
  principal: Principal;
  proof?: string;
}

/** Whose token came with a request, if it holds. `isSent`: as a header, and not as a browser's cookie. */
export function holderIn(
  web: Web,
  headers: Headers,
): { token: string; principal: Principal; isSent: boolean } | undefined {
  const given = /^Bearer (\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = given ?? cookieIn(headers, web.origin);
  const principal = token === undefined ? undefined : web.access.holder(token);
  return token && principal ? { token, principal, isSent: given !== undefined } : undefined;
}

/** Who asks, if they may ask at all. */
export function callerOf(
  web: Web,
  headers: Headers,
  from: string,
  { changes }: { changes: boolean },
): Caller {
  const holder = holderIn(web, headers);
  if (!holder) {
    web.limits.failure(from);
    throw new Problem(
      401,
      "token",
      "Send a valid token: Authorization: Bearer … `baton token create` makes one; `baton dashboard` signs a browser in.",
      { headers: { "www-authenticate": 'Bearer realm="baton"' } },
    );
  }
  const { token, principal, isSent } = holder;
  // A cookie comes along by itself, whoever made the browser send the request; this does not.
  if (isSent) return { principal };
  const proof = proofOf(token);
  if (changes && !isSame(headers.get(PROOF_HEADER) ?? "", proof)) {
    throw new Problem(
      403,
      "csrf",
      `With a cookie, a change needs the header ${PROOF_HEADER}: what GET /session says.`,
    );
  }
  return { principal, proof };
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** One server's cookie is not another's: browsers keep them by machine, whatever the port. */
export function cookieName(origin: string): string {
  return `baton_${new URL(origin).port || "web"}`;
}

function cookieIn(headers: Headers, origin: string): string | undefined {
  const name = cookieName(origin);
  for (const part of (headers.get("cookie") ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name) return value;
  }
  return undefined;
}

/** What could be an agent's answer to its own question, or a change of who may answer. */
const FOR_PEOPLE: ReadonlySet<Scope> = new Set(["answer", "admin"]);

export async function checkScope(
  web: Web,
  { principal }: Caller,
  scope: Scope,
  incoming: IncomingMessage,
): Promise<void> {
  if (!may(principal, scope)) {
    throw new Problem(
      403,
      "scope",
      `This token may not do that: it needs the scope ${scope}, and has ${principal.scopes.join(", ") || "none"}.`,
    );
  }
  if (FOR_PEOPLE.has(scope)) await refuseAgents(web, incoming);
}

/** Whatever token an agent has found, what its processes send is not a person's. */
export async function refuseAgents(web: Web, incoming: IncomingMessage): Promise<void> {
  const why = await agentAt(web, incoming);
  if (why === undefined) return;
  throw new Problem(403, "agent", `Only a person may do that, and this request is not a person's: ${why}.`);
}

/** A link that was opened for a person stood in the list of processes, where all users of this machine could read it. */
export function refuseOthersCode(code: string, incoming: IncomingMessage): void {
  const connection = connectionOf(incoming);
  if (!isForOwnUser(code) || (connection && !isAnotherUsers(connection))) return;
  throw new Problem(
    403,
    "user",
    "This link was opened for the user who runs the fleet. `baton dashboard --print` makes one for any browser.",
  );
}

/** A connection stays whose it is. */
const known = new WeakMap<object, Promise<string | undefined>>();

function agentAt(web: Web, incoming: IncomingMessage): Promise<string | undefined> {
  const { socket } = incoming;
  const found = known.get(socket);
  if (found) return found;
  const connection = connectionOf(incoming);
  if (!connection) return Promise.resolve("its connection is closed");
  const looked = web.agentAtOtherEnd(connection);
  known.set(socket, looked);
  return looked;
}

/** Undefined where it is closed. */
function connectionOf({ socket }: IncomingMessage): Connection | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = socket;
  if (
    remoteAddress === undefined ||
    remotePort === undefined ||
    localAddress === undefined ||
    localPort === undefined
  )
    return undefined;
  return {
    remote: { address: remoteAddress, port: remotePort },
    local: { address: localAddress, port: localPort },
  };
}
