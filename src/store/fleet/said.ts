import { DAY_MS } from "../../util/time.ts";
import type { FleetState } from "../sqlite/fleet-state.ts";

/** Longer than anything that is said once is of. */
const KEPT_MS = 62 * DAY_MS;

/** Whether nobody of this user has said it before. From now on somebody has. */
export function saysFirst({ db }: FleetState, what: string, now: Date): boolean {
  return db
    .transaction(() => {
      db.prepare("DELETE FROM said WHERE at < ?").run(now.getTime() - KEPT_MS);
      const { changes } = db
        .prepare("INSERT INTO said (what, at) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .run(what, now.getTime());
      return changes > 0;
    })
    .immediate();
}
