import { createHash, randomBytes } from "node:crypto";
import { serversIn } from "../../store/access/servers.ts";
import { addSignIn, takeSignIn } from "../../store/access/sign-ins.ts";
import { revoke, SCOPES } from "../../store/access/tokens.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";
import type { Project } from "../project.ts";
import { refuseInsideAgent } from "../trust/person.ts";
import { UsageError } from "../usage-error.ts";
import { audit } from "./audit.ts";
import { browserName } from "./browser-name.ts";
import type { Principal } from "./principal.ts";
import { principalOf } from "./principal.ts";
import { newToken, proofOf } from "./tokens.ts";

/** Time enough for a browser to start. */
const CODE_MS = 2 * 60_000;

/** Of a code that only a process of this user may trade for a session. */
const OWN = "own.";

export function isForOwnUser(code: string): boolean {
  return code.startsWith(OWN);
}

/**
 * A link that signs one browser in, once. The code is behind a `#`, which browsers send to nobody. `isOpened`: it is given to a
 * program that opens it, and can be read in the list of processes by every user of this machine.
 */
export async function signInLink(
  { root }: Project,
  { isOpened = false } = {},
): Promise<{ url: string; link: string; expiresAt: string }> {
  await refuseInsideAgent("open the dashboard");
  using state = openAccessState();
  const server = serversIn(state).findLast(({ projects }) => projects.includes(root));
  if (!server) {
    throw new UsageError(
      "No fleet serves the dashboard of this project. Start one with `baton start`, or with `baton start --web` where `web.enabled` is false.",
    );
  }
  const code = `${isOpened ? OWN : ""}${randomBytes(32).toString("base64url")}`;
  const expiresAt = new Date(Date.now() + CODE_MS);
  addSignIn(state, hashOf(code), expiresAt);
  audit(state, { who: "person", what: "sign-in.link", origin: "terminal", project: root });
  return { url: server.url, link: `${server.url}/sign-in#${code}`, expiresAt: expiresAt.toISOString() };
}

export interface SignedIn {
  principal: Principal;
  /** For the cookie. */
  token: string;
  /** For the page. */
  proof: string;
}

/** Takes a code for a session of a browser. Undefined for one that does not hold. */
export function signIn(
  state: AccessState,
  code: string,
  { from, agent, lastsMs }: { from: string; agent: string; lastsMs: number },
): SignedIn | undefined {
  const now = new Date();
  if (!takeSignIn(state, hashOf(code), now)) {
    audit(state, {
      who: "unknown",
      what: "sign-in",
      origin: from,
      outcome: "refused: the link does not hold",
    });
    return undefined;
  }
  const { record, secret } = newToken(
    state,
    "browser",
    {
      name: browserName(agent),
      scopes: SCOPES,
      projects: null,
      expiresAt: new Date(now.getTime() + lastsMs),
    },
    now,
  );
  audit(state, { who: "person", what: "sign-in", target: record.id, origin: from });
  return { principal: principalOf(record), token: secret, proof: proofOf(secret) };
}

export function signOut(state: AccessState, { id }: Principal, from: string): void {
  revoke(state, id, new Date());
  audit(state, { who: "person", what: "sign-out", target: id, origin: from });
}

function hashOf(code: string): string {
  return createHash("sha256").update(code).digest("hex");
}
