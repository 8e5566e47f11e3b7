import type { Principal } from "../../app/access/principal.ts";
import { proofOf } from "../../app/access/tokens.ts";
import { cookieName } from "../guards/caller.ts";
import { Problem } from "../problem.ts";
import type { Web } from "../web.ts";
import type { Handlers } from "./handlers.ts";

export const accessHandlers: Handlers<"getSession" | "signOut" | "listTokens" | "revokeToken" | "listAudit"> =
  {
    async getSession({ web, caller: { principal, proof } }) {
      return { answer: shown(web, principal, proof) };
    },

    async signOut({ web, caller: { principal }, from }) {
      web.access.signOut(principal, from);
      return { answer: { ok: true }, headers: { "set-cookie": `${cookie(web, "")}; Max-Age=0` } };
    },

    async listTokens({ web, caller: { principal } }) {
      refuseOfOneProject(principal);
      return { answer: { tokens: web.access.tokens() } };
    },

    async revokeToken({ web, caller: { principal }, params, from }) {
      refuseOfOneProject(principal);
      return { answer: web.access.revoke(principal, params.token, from), target: params.token };
    },

    async listAudit({ web, caller: { principal }, query }) {
      const { before, who, what, target, limit } = query;
      const entries = web.access.auditTrail({
        limit,
        ...(before !== undefined && { before }),
        ...(who !== undefined && { who }),
        ...(what && { what }),
        ...(target !== undefined && { target }),
        ...(principal.projects && { projects: principal.projects }),
      });
      const last = entries.at(-1);
      return { answer: { entries, ...(entries.length === limit && last && { next: last.id }) } };
    },
  };

/** Tokens are of all projects: who is let into one of them does not end the others'. */
function refuseOfOneProject({ projects }: Principal): void {
  if (projects === null) return;
  throw new Problem(
    403,
    "scope",
    "This token is for some projects, and tokens are for all: use one made with --all.",
  );
}

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
