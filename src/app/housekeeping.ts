import type { AgentConfig, MaintenanceConfig } from "../config/config.ts";
import { archiveOld } from "../jobs/end/archive.ts";
import { maintainRegularly } from "../jobs/end/maintenance.ts";
import type { Journal } from "../jobs/journal.ts";
import { tidyDocuments } from "../sessions/record/archive.ts";
import { userRegistry } from "../sessions/record/registry.ts";
import type { Store } from "../store/store.ts";
import { messageOf } from "../util/errors.ts";

/**
 * Archives old documents, deletes archived ones that have outlived their days, and removes what older jobs left:
 * once the agent is up, beside its work. Whoever wants the job to end need not wait for it.
 */
export function keepHouse(
  store: Store,
  journal: Journal,
  config: AgentConfig,
  maintenance: MaintenanceConfig,
  ending: AbortSignal,
): AsyncDisposable {
  let work = Promise.resolve();
  let regularly: AsyncDisposable | undefined;
  const unsubscribe = journal.subscribe(({ type }) => {
    if (type !== "session:started") return;
    unsubscribe();
    regularly = maintainRegularly(store, maintenance, ending, (why) =>
      journal.append({ type: "warning", message: `What older jobs left could not be removed: ${why}` }),
    );
    work = tidyUp(store, config, ending).catch((error: unknown) => {
      const why = messageOf(error);
      journal.append({ type: "warning", message: `Old handoff documents could not be archived: ${why}` });
    });
  });
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      await regularly?.[Symbol.asyncDispose]();
      await work;
    },
  };
}

async function tidyUp(store: Store, { handoff }: AgentConfig, signal: AbortSignal): Promise<void> {
  const now = new Date();
  await archiveOld(store, now, signal);
  if (!signal.aborted) await tidyDocuments(userRegistry(), handoff, now);
}
