import { createVerify, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";
import { fromJson, isFields } from "../../src/util/json.ts";
import { Refusal } from "./refusal.ts";

export type Level = "read" | "write";
/** As fine-grained tokens and Apps have them. */
export type Rights = Partial<Record<"issues" | "pull_requests" | "contents" | "metadata", Level>>;

/** Who asks, and what the token lets them do. */
export interface Caller {
  login: string;
  kind: "classic" | "fine-grained" | "installation" | "app";
  rights?: Rights;
  scopes?: readonly string[];
  /** Repositories it can see at all; undefined: what its account can. */
  repos?: readonly string[];
}

interface Installation {
  id: number;
  repos: readonly string[];
  rights: Rights;
}

interface App {
  id: number;
  slug: string;
  publicKey: KeyObject;
  installation: Installation;
}

/** The same for all Apps of a process: to make one takes as long as many tests. */
let made: { publicKey: KeyObject; privateKey: KeyObject } | undefined;

function keyPair() {
  made ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
  return made;
}

const TOKEN_MS = 3_600_000;
const LONGEST_JWT_S = 600;
const SKEW_S = 60;

/** Tokens of people and Apps, and what they stand for. */
export class Accounts {
  readonly apps = new Map<number, App>();
  readonly #tokens = new Map<string, { caller: Caller; until: number }>();
  readonly #now: () => Date;
  #next = 1;

  constructor(now: () => Date) {
    this.#now = now;
  }

  token(
    login: string,
    may: { rights?: Rights; scopes?: readonly string[]; repos?: readonly string[] } = {},
  ): string {
    const kind = may.rights ? "fine-grained" : "classic";
    const token = `${kind === "classic" ? "ghp_" : "github_pat_"}${randomBytes(18).toString("hex")}`;
    const caller: Caller = {
      login,
      kind,
      ...may,
      ...(kind === "classic" && { scopes: may.scopes ?? ["repo"] }),
    };
    this.#tokens.set(token, { caller, until: Number.POSITIVE_INFINITY });
    return token;
  }

  revoke(token: string): void {
    this.#tokens.delete(token);
  }

  app(
    slug: string,
    repos: readonly string[],
    rights: Rights,
  ): { id: string; installation: string; privateKey: string } {
    const { publicKey, privateKey } = keyPair();
    const id = 1_000 + this.#next++;
    const installation = { id: 50_000 + id, repos, rights };
    this.apps.set(id, { id, slug, publicKey, installation });
    return {
      id: String(id),
      installation: String(installation.id),
      privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
    };
  }

  issue(appId: number, installation: string): { token: string; expires_at: string; permissions: Rights } {
    const app = this.apps.get(appId);
    if (!app || String(app.installation.id) !== installation) throw new Refusal(404, "Not Found");
    const { rights, repos } = app.installation;
    const token = `ghs_${randomBytes(18).toString("hex")}`;
    const until = this.#now().getTime() + TOKEN_MS;
    const caller: Caller = { login: `${app.slug}[bot]`, kind: "installation", rights, repos };
    this.#tokens.set(token, { caller, until });
    return { token, expires_at: new Date(until).toISOString().replace(/\.\d+Z$/, "Z"), permissions: rights };
  }

  /** Undefined: nobody. */
  caller(authorization: string | undefined): Caller | undefined {
    if (authorization === undefined) return undefined;
    const [, token = ""] = /^(?:bearer|token) (\S+)$/i.exec(authorization) ?? [];
    if (token.split(".").length === 3) return this.#appOf(token);
    const known = this.#tokens.get(token);
    if (!known || known.until <= this.#now().getTime()) throw new Refusal(401, "Bad credentials");
    return known.caller;
  }

  #appOf(jwt: string): Caller {
    const [head = "", payload = "", signature = ""] = jwt.split(".");
    const part = (text: string) => fromJson(Buffer.from(text, "base64url").toString());
    const [header, claims] = [part(head), part(payload)];
    const undecodable = new Refusal(401, "A JSON web token could not be decoded");
    if (!isFields(header) || header.alg !== "RS256" || !isFields(claims)) throw undecodable;
    const app = this.apps.get(Number(claims.iss));
    const { iat, exp } = claims;
    if (!app || typeof iat !== "number" || typeof exp !== "number") throw undecodable;
    const isSigned = createVerify("RSA-SHA256")
      .update(`${head}.${payload}`)
      .verify(app.publicKey, Buffer.from(signature, "base64url"));
    if (!isSigned) throw undecodable;
    const now = this.#now().getTime() / 1_000;
    if (iat > now + SKEW_S) {
      throw new Refusal(
        401,
        "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
      );
    }
    if (exp > now + LONGEST_JWT_S)
      throw new Refusal(401, "'Expiration time' claim ('exp') is too far in the future");
    if (exp <= now)
      throw new Refusal(
        401,
        "'Expiration time' claim ('exp') must be a numeric value representing the future time",
      );
    return { login: String(app.id), kind: "app" };
  }
}
