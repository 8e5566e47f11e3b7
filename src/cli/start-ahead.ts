import type { AgentConfig } from "../config/config.ts";
import { ownEnvironment } from "../jobs/environment.ts";
import type { Prestarted } from "../jobs/prestart.ts";

/** A program that is starting up. Closed with its scope unless somebody has taken it. */
export interface Ahead extends AsyncDisposable {
  take(): Prestarted;
}

/** Starts the agent's program before the modules of the store and the relay are even loaded: it takes the longest. */
export async function startAhead(config: AgentConfig, job: string): Promise<Ahead> {
  const [{ claude }, { prestart }, { jobEnvironment }] = await Promise.all([
    import("../agents/claude.ts"),
    import("../jobs/prestart.ts"),
    import("../jobs/spec.ts"),
  ]);
  const env = jobEnvironment(ownEnvironment(), config, job);
  const prestarted = prestart(claude, { config, cwd: config.workingDirectory, env });
  let taken = false;
  return {
    take() {
      taken = true;
      return prestarted;
    },
    async [Symbol.asyncDispose]() {
      if (!taken) await prestarted.session.close();
    },
  };
}
