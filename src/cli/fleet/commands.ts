import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";
import { withPlace } from "./place.ts";

export function addFleet(baton: Command): void {
  const start = command(baton, "start", "run what is queued, many jobs at once, until you stop it").action(
    async function (this: Command) {
      const { start } = await import("./start.ts");
      process.exitCode = await start(this.optsWithGlobals());
    },
  );
  examples(
    start,
    `  $ baton start              in this terminal, until Ctrl-C
  $ baton run "Fix it" --queue    from another one: it starts when it has a slot`,
  );
  note(
    start,
    "What runs when it ends, however it ends, continues with the next `baton start`. It also watches your own sessions, as `baton watch` does, and removes what old jobs left.",
  );

  const stop = command(baton, "stop", "end the fleet of this project; what runs continues with the next one")
    .option("--drain", "start nothing more, and wait for what runs to end by itself")
    .option("--now", "kill it, without waiting for anything")
    .action(async function (this: Command) {
      const { stop } = await import("./stop.ts");
      process.exitCode = await stop(this.optsWithGlobals());
    });
  examples(
    stop,
    `  $ baton stop            interrupt what runs; the next baton start continues it
  $ baton stop --drain    let what runs end first
  $ baton stop --now      kill it; nothing is lost by that`,
  );

  const trigger = withPlace(
    command(baton, "trigger <agent>", "queue a job of an agent, with its default_prompt"),
  )
    .option("--prompt <text>", "ask this of it")
    .action(async function (this: Command, agent: string) {
      const { trigger } = await import("./trigger.ts");
      process.exitCode = await trigger(agent, this.optsWithGlobals());
    });
  examples(
    trigger,
    `  $ baton trigger reviewer                       what its default_prompt says
  $ baton trigger reviewer --prompt "Look at #12"  or this
  $ baton trigger reviewer --after 3k7           once that job is completed`,
  );
}
