import { createPrivateKey, createSign, type KeyObject } from "node:crypto";
import { z } from "zod";
import { MINUTE_MS } from "../../util/time.ts";
import { SourceError } from "../source.ts";
import { type ConnectionOptions, GitHubConnection, RefusedError } from "./connection.ts";

/** As whom Baton asks. */
export interface SignIn {
  token(signal: AbortSignal): Promise<string>;
  /** The last token was not accepted: true where the next one is another. */
  renew?(): boolean;
}

/** A token of a person or of a machine's account. `from`: where it stands, for whoever has to correct it. */
export function tokenSignIn(token: string | undefined, from: string): SignIn {
  const value = token?.trim() ?? "";
  return {
    async token() {
      if (value === "")
        throw new SourceError("no-access", `${from} is not set: put a token for GitHub into it.`);
      if (!/^[\x21-\x7e]+$/.test(value)) {
        throw new SourceError("no-access", `${from} holds characters that no token has.`);
      }
      return value;
    },
  };
}

export interface AppIdentity {
  id: string;
  installation: string;
  /** In PEM, as GitHub gives it out. */
  privateKey: string;
  /** Where it stands, for whoever has to correct it. */
  from: string;
}

/** A GitHub App, which is an account of its own: its tokens hold for an hour. */
export interface AppSignIn extends SignIn {
  /** The name under which it writes. */
  login(signal: AbortSignal): Promise<string>;
  /** What the App may do where it is installed. */
  rights(signal: AbortSignal): Promise<Record<string, string>>;
}

const App = z.object({ slug: z.string().regex(/^[\w.-]{1,100}$/) });
const Issued = z.object({
  token: z.string().regex(/^[\x21-\x7e]{1,1000}$/),
  expires_at: z.iso.datetime({ offset: true }),
  permissions: z.record(z.string(), z.string()).default({}),
});

/** A token is renewed while it still holds, so that no request is under way when it ends. */
const RENEWED_BEFORE_MS = 5 * MINUTE_MS;
/** GitHub takes ten minutes at most, by its own clock. */
const JWT_MS = 9 * MINUTE_MS;
const JWT_BEFORE_MS = MINUTE_MS;

interface Held {
  token: string;
  until: number;
  rights: Record<string, string>;
}

export function appSignIn(app: AppIdentity, options: Omit<ConnectionOptions, "signIn">): AppSignIn {
  const now = options.now ?? (() => new Date());
  /** How far the server's clock is ahead. A JWT that is dated by a wrong clock is refused. */
  let aheadMs = 0;
  const asApp: SignIn = {
    token: async () => jwt(app, now().getTime() + aheadMs),
    renew() {
      const before = aheadMs;
      const time = connection.serverTime;
      if (time) aheadMs = time.getTime() - now().getTime();
      return Math.abs(aheadMs - before) > JWT_BEFORE_MS / 2;
    },
  };
  const connection = new GitHubConnection({ ...options, signIn: asApp });
  let held: Held | undefined;
  let underWay: { issued: Promise<Held>; signal: AbortSignal } | undefined;
  let slug: string | undefined;

  async function issue(signal: AbortSignal): Promise<Held> {
    const path = `/app/installations/${encodeURIComponent(app.installation)}/access_tokens`;
    const { body } = await connection.ask({ method: "POST", path, signal }).catch((error: unknown) => {
      if (!(error instanceof RefusedError && error.status === 404)) throw error;
      throw new SourceError(
        "no-access",
        `The App ${app.id} has no installation ${app.installation}: its number is at the end of the address of its settings, under auth.app.installation.`,
      );
    });
    const issued = Issued.safeParse(body);
    if (!issued.success)
      throw new SourceError("refused", `${connection.apiUrl.host} issued no token that can be used.`);
    const { token, expires_at, permissions: rights } = issued.data;
    return { token, until: Date.parse(expires_at) - aheadOfUs(), rights };
  }

  const aheadOfUs = () => (connection.serverTime ? connection.serverTime.getTime() - now().getTime() : 0);

  async function current(signal: AbortSignal): Promise<Held> {
    if (held && held.until - RENEWED_BEFORE_MS > now().getTime()) return held;
    const begun = underWay ?? { issued: issue(signal), signal };
    underWay = begun;
    try {
      held = await begun.issued;
      return held;
    } catch (error) {
      // Whoever began it may have left, and that is nobody else's end.
      if (begun.signal === signal || !begun.signal.aborted) throw error;
    } finally {
      if (underWay === begun) underWay = undefined;
    }
    return current(signal);
  }

  return {
    token: async (signal) => (await current(signal)).token,
    renew() {
      const wasHeld = held !== undefined;
      held = undefined;
      return wasHeld;
    },
    rights: async (signal) => (await current(signal)).rights,
    async login(signal) {
      if (slug === undefined) {
        const parsed = App.safeParse((await connection.ask({ path: "/app", signal })).body);
        if (!parsed.success)
          throw new SourceError("refused", `${connection.apiUrl.host} does not say what the App is called.`);
        ({ slug } = parsed.data);
      }
      return `${slug}[bot]`;
    },
  };
}

/** Signed with RS256, as GitHub wants it. */
function jwt({ id, privateKey, from }: AppIdentity, nowMs: number): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iat: Math.floor((nowMs - JWT_BEFORE_MS) / 1_000),
    exp: Math.floor((nowMs + JWT_MS) / 1_000),
    iss: id,
  };
  const signed = `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}`;
  const signature = createSign("RSA-SHA256").update(signed).sign(keyFrom(privateKey, from));
  return `${signed}.${signature.toString("base64url")}`;
}

/** In a variable, its line breaks are often written as `\n`. */
function keyFrom(pem: string, from: string): KeyObject {
  try {
    const key = createPrivateKey(pem.includes("\n") ? pem : pem.replaceAll("\\n", "\n"));
    if (key.asymmetricKeyType === "rsa") return key;
  } catch {
    // What it says of the key is not for a log.
  }
  throw new SourceError("no-access", `${from} does not hold a private key of a GitHub App (RSA, in PEM).`);
}
