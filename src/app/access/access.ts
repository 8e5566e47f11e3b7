import { thisProcess } from "../../processes/owner.ts";
import { type AuditEntry, type AuditFilter, auditIn } from "../../store/access/audit.ts";
import {
  beginDelivery,
  type Delivery,
  dropDelivery,
  endDelivery,
  forgetDeliveries,
} from "../../store/access/deliveries.ts";
import {
  beginRequest,
  dropRequest,
  endRequest,
  forgetRequests,
  type Replay,
} from "../../store/access/replays.ts";
import { addServer, removeServer } from "../../store/access/servers.ts";
import {
  addStarted,
  forgetStarted,
  hasStarted,
  type StartedJob,
  startedAs,
  startedBy,
} from "../../store/access/started-jobs.ts";
import { forgetTokens } from "../../store/access/tokens.ts";
import { type AccessState, openAccessState } from "../../store/sqlite/access-state.ts";
import { DAY_MS, HOUR_MS } from "../../util/time.ts";
import { audit, endDeed } from "./audit.ts";
import { nameOf, type Principal } from "./principal.ts";
import { type SignedIn, signIn, signOut } from "./sign-in.ts";
import { holderOf, revokeIn, stillHolds, type TokenView, tokensNow } from "./tokens.ts";

/** For so long a request can be sent again by its name. */
const REPLAY_MS = DAY_MS;
const KEPT_TOKENS_MS = 90 * DAY_MS;

/** Who may ask for what, as long as a server runs. */
export class Access implements Disposable {
  readonly #state: AccessState;
  readonly #timer: NodeJS.Timeout;
  #server: number | undefined;

  private constructor(state: AccessState) {
    this.#state = state;
    forgetOld(state);
    this.#timer = setInterval(() => this.#forget(), HOUR_MS).unref();
  }

  static open(): Access {
    return new Access(openAccessState());
  }

  /** A server may run for months. */
  #forget(): void {
    try {
      forgetOld(this.#state);
    } catch {
      // What is held for a moment is forgotten an hour later.
    }
  }

  /** So that `baton dashboard` finds it. */
  announce(url: string, projects: readonly string[]): void {
    this.#server = addServer(this.#state, thisProcess(), { url, projects: [...projects] }, new Date());
  }

  holder(token: string): Principal | undefined {
    return holderOf(this.#state, token, new Date());
  }

  stillHolds(principal: Principal): Principal | undefined {
    return stillHolds(this.#state, principal, new Date());
  }

  signIn(code: string, how: { from: string; agent: string; lastsMs: number }): SignedIn | undefined {
    return signIn(this.#state, code, how);
  }

  signOut(principal: Principal, from: string): void {
    signOut(this.#state, principal, from);
  }

  /** Records what somebody did, was refused, or is about to do, which `endDeed` says the end of. */
  audit(
    principal: Principal,
    deed: { what: string; target?: string; project?: string; origin: string; outcome?: string },
  ): number {
    return audit(this.#state, { who: nameOf(principal), ...deed });
  }

  endDeed(id: number, became: Parameters<typeof endDeed>[2]): void {
    endDeed(this.#state, id, became);
  }

  begin(principal: Principal, key: string, request: string): Replay | undefined {
    return beginRequest(this.#state, { token: principal.id, key, request }, new Date());
  }

  end(principal: Principal, key: string, answer: { status: number; body: string }): void {
    endRequest(this.#state, { token: principal.id, key }, answer);
  }

  drop(principal: Principal, key: string): void {
    dropRequest(this.#state, { token: principal.id, key });
  }

  beginDelivery(delivery: Parameters<typeof beginDelivery>[1]): Delivery | undefined {
    return beginDelivery(this.#state, delivery, new Date());
  }

  endDelivery(of: { hook: string; key: string }, became: { outcome: string; reason: string | null }): void {
    endDelivery(this.#state, of, became);
  }

  dropDelivery(of: { hook: string; key: string }): void {
    dropDelivery(this.#state, of);
  }

  willStart({ id: token }: Principal, started: Pick<StartedJob, "project" | "job" | "request">): void {
    addStarted(this.#state, { token, ...started, at: new Date().toISOString() });
  }

  startedAs({ id }: Principal, request: string): StartedJob | undefined {
    return startedAs(this.#state, id, request);
  }

  startedToday({ id }: Principal): StartedJob[] {
    return startedBy(this.#state, id, new Date(Date.now() - DAY_MS));
  }

  hasStarted({ id }: Principal, job: string): boolean {
    return hasStarted(this.#state, id, job);
  }

  /** The newest first. */
  tokens(): TokenView[] {
    return tokensNow(this.#state, new Date());
  }

  revoke(principal: Principal, token: string, from: string): TokenView {
    return revokeIn(this.#state, token, { who: nameOf(principal), from });
  }

  auditTrail(filter: AuditFilter): AuditEntry[] {
    return auditIn(this.#state, filter);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    if (this.#server !== undefined) removeServer(this.#state, this.#server);
    this.#state[Symbol.dispose]();
  }
}

function forgetOld(state: AccessState): void {
  const now = Date.now();
  forgetRequests(state, new Date(now - REPLAY_MS));
  forgetDeliveries(state, new Date(now));
  forgetStarted(state, new Date(now - KEPT_TOKENS_MS));
  forgetTokens(state, new Date(now - KEPT_TOKENS_MS));
}
