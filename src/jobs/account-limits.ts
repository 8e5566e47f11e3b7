import { type Account, accountOf } from "../agents/account.ts";
import { thisProcess } from "../processes/owner.ts";
import { endTurn, limitsIn, phaseOf, recordLimit, takeTurn } from "../store/fleet/accounts.ts";
import { lookIntoFleetState, openFleetState } from "../store/sqlite/fleet-state.ts";
import type { Runner } from "./crew/crew.ts";
import type { Journal } from "./journal.ts";

/** The usage limits that a job shares with all others of its account. */
export interface SharedLimits {
  /** Nobody else of the account starts anything until then. `isKnown`: the program said so. */
  reached(limit: { until: number; isKnown: boolean; message: string }): Promise<void>;
  /** When the job may continue at the earliest, by what all of them know; undefined: it may now, and is the only one to try. */
  turn(now: Date): Promise<number | undefined>;
}

interface Job {
  journal: Pick<Journal, "job" | "subscribe">;
  now: () => Date;
  /** What could not be shared is no reason to stop. */
  warn: (message: string) => void;
}

/** After which it is asked again whether it is this job's turn. */
const NEXT_MS = 500;

/** Kept in the user's state folder, for whichever process and project. */
export function sharedLimits(runner: Runner, { journal, now, warn }: Job): SharedLimits {
  let known: Promise<Account> | undefined;
  const account = () => {
    known ??= accountOf(runner.agent, runner.config, runner.env);
    return known;
  };
  const unlessBroken = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      warn(`The usage limit could not be shared with other jobs of the account: ${String(error)}`);
      return undefined;
    }
  };
  return {
    async reached(limit) {
      await unlessBroken(async () => {
        const { id, label } = await account();
        using state = openFleetState();
        recordLimit(state, { account: id, label, ...limit });
      });
    },
    turn: (at) =>
      unlessBroken(async () => {
        const { id } = await account();
        using state = lookIntoFleetState();
        if (!state) return undefined;
        const { id: job } = journal.job;
        const turn = takeTurn(state, id, { job, owner: thisProcess() }, at);
        if (turn === "taken") endAtAnswer(journal, id, now);
        if (turn !== "wait") return undefined;
        const limit = limitsIn(state).find((each) => each.account === id);
        const isLimited = limit && phaseOf(limit, at) === "limited";
        return isLimited ? limit.until : at.getTime() + NEXT_MS;
      }),
  };
}

/** Lets the next one go as soon as the model has answered this job, or the job is over. */
export function endAtAnswer(
  journal: Pick<Journal, "job" | "subscribe">,
  account: string,
  now: () => Date,
): void {
  const off = journal.subscribe(({ type }) => {
    const isAnswer = type === "response";
    if (!isAnswer && !OVER.has(type)) return;
    off();
    using state = lookIntoFleetState();
    if (state) endTurn(state, account, journal.job.id, isAnswer ? now() : null);
  });
}

const OVER = new Set([
  "job:completed",
  "job:failed",
  "job:paused",
  "job:cancelled",
  "job:interrupted",
  "agent:switched",
]);
