import { liveness, type ProcessIdentity } from "../../processes/owner.ts";
import { MINUTE_MS } from "../../util/time.ts";
import type { FleetState } from "../sqlite/fleet-state.ts";

/** The last usage limit of an account that some job met, in whichever project and process. */
export interface AccountLimit {
  account: string;
  /** For people. */
  label: string;
  /** When it resets, in milliseconds since 1970. */
  until: number;
  message: string;
  /** Who was let go last after the reset, and has not been answered yet. */
  trying: Trying | null;
  /** When the model last answered one of those. */
  answeredAt: number | null;
}

interface Trying {
  job: string;
  owner: ProcessIdentity;
  since: number;
}

/** `one-by-one`: it has reset, and nobody knows yet whether all that waited for it can work at once. */
export type LimitPhase = "limited" | "one-by-one" | "over";

/** For which nobody waits any more after the last one was answered. */
const CALM_MS = MINUTE_MS;
/** After which the next one is let go, whatever came of the one before. */
const PATIENCE_MS = 2 * MINUTE_MS;

export function phaseOf({ until, trying, answeredAt }: AccountLimit, now: Date): LimitPhase {
  if (now.getTime() < until) return "limited";
  if (isTrying(trying, now)) return "one-by-one";
  return answeredAt !== null && now.getTime() - answeredAt > CALM_MS ? "over" : "one-by-one";
}

/** Whether somebody was let go of whom it is not known yet what came of it. */
export function isTrying(trying: Trying | null, now: Date): trying is Trying {
  return trying !== null && now.getTime() - trying.since < PATIENCE_MS && liveness(trying.owner) !== "dead";
}

/**
 * A job has met a usage limit. One that says when it resets takes the place of what was known; one that does not, and is only tried
 * again by and by, makes no time shorter.
 */
export function recordLimit(
  { db }: FleetState,
  limit: Pick<AccountLimit, "account" | "label" | "until" | "message"> & { isKnown: boolean },
): void {
  const { isKnown, ...row } = limit;
  db.prepare(
    `INSERT INTO accounts (account, label, until, message) VALUES (@account, @label, @until, @message)
     ON CONFLICT DO UPDATE SET label = excluded.label, message = excluded.message, trying = NULL, trying_job = NULL, answered_at = NULL,
       until = ${isKnown ? "excluded.until" : "max(until, excluded.until)"}`,
  ).run(row);
}

export function limitsIn({ db }: FleetState): AccountLimit[] {
  return db.prepare<[], Row>(`${SELECT} ORDER BY until`).all().map(limitOf);
}

export type Turn = "free" | "taken" | "wait";

/**
 * Whether a job of the account may work now. `taken`: after a reset, as the only one until it is answered, which its owner
 * says with `endTurn`. `free`: as there is nothing to be careful about.
 */
export function takeTurn({ db }: FleetState, account: string, who: Omit<Trying, "since">, now: Date): Turn {
  return db
    .transaction((): Turn => {
      const row = db.prepare<[string], Row>(`${SELECT} WHERE account = ?`).get(account);
      const limit = row && limitOf(row);
      const phase = limit ? phaseOf(limit, now) : "over";
      if (!limit || phase === "over") return "free";
      const isOthers = limit.trying?.job !== who.job && isTrying(limit.trying, now);
      if (phase === "limited" || isOthers) return "wait";
      const trying: Trying = { ...who, since: now.getTime() };
      db.prepare("UPDATE accounts SET trying = ?, trying_job = ? WHERE account = ?").run(
        JSON.stringify(trying),
        who.job,
        account,
      );
      return "taken";
    })
    .immediate();
}

/** The next one may go. `answered`: because the model works for the account again. */
export function endTurn({ db }: FleetState, account: string, job: string, answered: Date | null): void {
  db.prepare(
    `UPDATE accounts SET trying = NULL, trying_job = NULL, answered_at = coalesce(?, answered_at)
     WHERE account = ? AND trying_job = ?`,
  ).run(answered?.getTime() ?? null, account, job);
}

interface Row {
  account: string;
  label: string;
  until: number;
  message: string;
  trying: string | null;
  answered_at: number | null;
}

const SELECT = "SELECT account, label, until, message, trying, answered_at FROM accounts";

function limitOf({ answered_at: answeredAt, trying, ...row }: Row): AccountLimit {
  return { ...row, answeredAt, trying: trying === null ? null : JSON.parse(trying) };
}
