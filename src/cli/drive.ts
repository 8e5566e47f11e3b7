import { ownEnvironment } from "../agents/claude/own-environment.ts";
import { agentFor } from "../agents/registry.ts";
import type { AgentConfig, MaintenanceConfig } from "../config/config.ts";
import { jsonScreen, peopleScreen, type Screen } from "../display/screen.ts";
import { paintFor } from "../display/style.ts";
import type { Job } from "../job/job.ts";
import { Journal } from "../jobs/journal.ts";
import { notifyPeople } from "../jobs/notices.ts";
import { Control } from "../jobs/run/control.ts";
import type { Conversation } from "../jobs/run/conversation.ts";
import type { Prestarted } from "../jobs/run/prestart.ts";
import { runJob } from "../jobs/run/relay.ts";
import { FIRST_ATTEMPT, jobEnvironment } from "../jobs/run/spec.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "../store/claims.ts";
import { readEvents } from "../store/events.ts";
import type { Store } from "../store/store.ts";
import { listenForEndings } from "./endings.ts";
import { keepHouse } from "./housekeeping.ts";
import { hasKeyboard, listenForEscape } from "./keyboard.ts";
import { reachOf } from "./reach.ts";
import { refuseCompleted } from "./ready.ts";

interface DriveOptions {
  store: Store;
  config: AgentConfig;
  maintenance: MaintenanceConfig;
  job: string;
  json: boolean;
  /** Said in the journal first when a job is taken up again. */
  resumed?: string;
  /** What the agent's environment is made from, where it is not this process's own. */
  env?: Record<string, string>;
  /** The agent's program, started ahead for this job. */
  prestarted?: Prestarted;
  /** A person who takes part, at a screen and a keyboard of their own. */
  attended?: Attended;
}

interface Attended {
  conversation: Conversation;
  control: Control;
  /** Aborted when they end the job. */
  signal: AbortSignal;
  screen(journal: Journal): Screen;
}

/** Runs a job in this process until it ends, showing it as it goes: a new one from its first event. */
export async function drive(options: DriveOptions): Promise<Job> {
  const { store, config, maintenance, job: id, json, resumed, prestarted, env = ownEnvironment() } = options;
  const { attended } = options;
  const claim = await claimJob(store, id, thisProcess(), new Date());
  await using journal = new Journal(store, claim, () => new Date());
  // Whoever had the job before may have finished it since it was last looked at.
  refuseCompleted(journal.job);
  const control = attended?.control ?? new Control();
  using endings = listenForEndings(control.ending);
  const keys = !json && !attended && hasKeyboard(process.stdin);
  const screen = attended?.screen(journal) ?? screenFor(journal, config, json, keys);
  const signal = AbortSignal.any([endings.signal, ...(attended ? [attended.signal] : [])]);
  using _escape = keys ? listenForEscape(process.stdin, escapeFor(control, screen)) : undefined;
  await using _house = keepHouse(store, journal, config, maintenance, signal);
  const reach = reachOf(process.stderr, process.env);
  const ours = jobEnvironment(env, config, { job: id, attempt: claim.attempt });
  await using _people = notifyPeople(journal, config, reach, ours);
  signal.addEventListener("abort", () =>
    screen.say("Ending the agent … Ctrl-C now ends Baton without waiting for it."),
  );
  try {
    if (resumed === undefined) for (const event of await readEvents(store, id, 0)) screen.show(event);
    journal.subscribe(screen.show);
    if (resumed !== undefined) await journal.record({ type: "job:resumed", message: resumed });
    const more = {
      // It carries the marks of a first attempt: a later one ends it, as all that earlier ones left.
      ...(prestarted && claim.attempt === FIRST_ATTEMPT && { prestarted }),
      ...(attended && { conversation: attended.conversation }),
    };
    const agent = await agentFor(config);
    return await runJob({ journal, config, agent, env, signal, control, ...more });
  } finally {
    await journal.flush().catch(() => {});
    screen.stop();
  }
}

function screenFor(journal: Journal, config: AgentConfig, json: boolean, keys: boolean): Screen {
  return json ? jsonScreen(process.stdout) : peopleScreen(journal, config, process.stdout, keys);
}

function escapeFor(control: Control, screen: Screen): () => void {
  let told = false;
  return () => {
    if (control.callOff() || told) return;
    told = true;
    const paint = paintFor(process.stdout, process.env);
    screen.say(paint("dim", "  Esc cancels a handoff, and none is being made. Ctrl-C ends the job."));
  };
}
