import type { Principal } from "../../app/access/principal.ts";
import { proofOf } from "../../app/access/tokens.ts";
import { cookieName } from "../guards/caller.ts";
import { Problem } from "../problem.ts";
import type { Web } from "../web.ts";
import type { Handlers } from "./handlers.ts";

export const sessionHandlers: Handlers<"getSession" | "signOut"> = {
  async getSession({ web, caller: { principal, proof } }) {
    return { answer: shown(web, principal, proof) };
  },

  async signOut({ web, caller: { principal }, from }) {
    web.access.signOut(principal, from);
    return { answer: { ok: true }, headers: { "set-cookie": `${cookie(web, "")}; Max-Age=0` } };
  },
};

/** The only change that needs no token, because it is how a browser gets one. */
export function signIn(
  web: Web,
  { code }: { code: string },
  { from, agent }: { from: string; agent: string },
) {
  const { sessionExpiryMs: lastsMs } = web.config;
  const signedIn = web.access.signIn(code, { from, agent, lastsMs });
  if (!signedIn) {
    web.limits.failure(from);
    throw new Problem(
      401,
      "link",
      "This link does not hold any more: it was used, or is too old. `baton dashboard` makes another.",
    );
  }
  const { principal, token } = signedIn;
  return {
    answer: shown(web, principal, proofOf(token)),
    headers: { "set-cookie": `${cookie(web, token)}; Max-Age=${Math.floor(lastsMs / 1_000)}` },
  };
}

function cookie({ origin }: Web, token: string): string {
  const secure = origin.startsWith("https:") ? "; Secure" : "";
  return `${cookieName(origin)}=${token}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

function shown(web: Web, principal: Principal, proof: string | undefined) {
  const { kind, name, scopes, expiresAt } = principal;
  return {
    ...{ kind, name, scopes: [...scopes] },
    projects: web.served
      .seenBy(principal)
      .map(({ key, name, project }) => ({ key, name, root: project.root })),
    ...(expiresAt !== null && { expiresAt }),
    ...(proof !== undefined && { csrf: proof }),
  };
}
