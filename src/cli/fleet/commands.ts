import type { Command } from "commander";
import { command, examples, wholeNumber } from "../command.ts";
import { note } from "../help.ts";
import { DETACH } from "../jobs/commands.ts";
import { withPlace } from "./place.ts";

export function addFleet(baton: Command): void {
  addStart(baton);
  addStop(baton);
  addReload(baton);
  addQueue(baton);
  addTrigger(baton);
  addHalt(baton);
}

function addStart(baton: Command): void {
  const start = command(baton, "start", "run the queued jobs, many at once, until you stop it", {
    folders: "run the project of this folder; give it again for each project",
  })
    .option("--all", "run all projects that your own file names")
    .option(DETACH[0], "give the terminal back at once: the fleet runs in the background")
    .option("--web", "serve the API and the dashboard, whatever web.enabled says")
    .option("--no-web", "serve neither")
    .option("--port <port>", "where they listen; 0 takes any that is free", wholeNumber(0, 65_535))
    .action(async function (this: Command) {
      const { start } = await import("./start.ts");
      process.exitCode = await start(this.optsWithGlobals());
    });
  examples(
    start,
    `  $ baton start                        in this terminal, until Ctrl-C
  $ baton start --detach               in the background, until baton stop
  $ baton start -C ~/site -C ~/shop    for two projects, with the same slots
  $ baton start --all                  for those of projects: in your own file
  $ baton start --port 4000            with the dashboard there; --no-web leaves it out
  $ baton run "Fix it" --queue         from another terminal: it starts when it has a slot`,
  );
  note(
    start,
    "However it ends, running jobs continue with the next `baton start`. It also watches your own sessions, as `baton watch` does, and removes what old jobs left.",
  );
}

function addStop(baton: Command): void {
  const stop = command(
    baton,
    "stop",
    "end the fleet of this project; running jobs continue with the next one",
  )
    .option("--drain", "start nothing more, and wait for running jobs to finish")
    .option("--now", "kill it, without waiting for anything")
    .action(async function (this: Command) {
      const { stop } = await import("./stop.ts");
      process.exitCode = await stop(this.optsWithGlobals());
    });
  examples(
    stop,
    `  $ baton stop            interrupt running jobs; the next baton start continues them
  $ baton stop --drain    let running jobs finish first
  $ baton stop --now      kill it; no work is lost`,
  );
}

function addReload(baton: Command): void {
  const reload = command(
    baton,
    "reload",
    "make the fleet read its configuration now, and print the result",
  ).action(async function (this: Command) {
    const { reload } = await import("./reload.ts");
    process.exitCode = await reload(this.optsWithGlobals());
  });
  examples(
    reload,
    "  $ baton reload    after a change of baton.yaml; a fleet also notices it within two seconds",
  );
  note(
    reload,
    "A file that is broken, or that you have not trusted, is refused: the fleet keeps the configuration that it read before.",
  );
}

function addQueue(baton: Command): void {
  const queue = command(baton, "queue", "list the jobs that wait for a slot, and why they wait").action(
    async function (this: Command) {
      const { queue } = await import("./queue.ts");
      process.exitCode = await queue(this.optsWithGlobals());
    },
  );
  examples(
    queue,
    `  $ baton queue                     what waits, in its order, with the reason
  $ baton queue pause               start nothing more; running jobs continue
  $ baton queue pause reviewer      start no more jobs of one agent
  $ baton queue resume              start again
  $ baton queue move 3k7 first      before all others
  $ baton queue move 3k7 --free     without waiting for other jobs`,
  );
  const pause = command(
    queue,
    "pause [agent]",
    "start nothing more from the queue, or no more jobs of one agent",
  ).action(async function (this: Command, agent: string | undefined) {
    const { queuePause } = await import("./queue.ts");
    process.exitCode = await queuePause(agent, this.optsWithGlobals());
  });
  examples(
    pause,
    `  $ baton queue pause             of all agents
  $ baton queue pause reviewer    of one`,
  );
  const resume = command(queue, "resume [agent]", "start jobs from the queue again").action(async function (
    this: Command,
    agent: string | undefined,
  ) {
    const { queueResume } = await import("./queue.ts");
    process.exitCode = await queueResume(agent, this.optsWithGlobals());
  });
  examples(
    resume,
    `  $ baton queue resume             after baton queue pause
  $ baton queue resume reviewer    after baton queue pause reviewer`,
  );
  const move = withPlace(
    command(queue, "move <job> [place]", "move a job to the front or the end, or by its priority"),
  )
    .option("--free", "let it wait for no other job")
    .action(async function (this: Command, job: string, place: string | undefined) {
      const { queueMove } = await import("./queue.ts");
      process.exitCode = await queueMove(job, place, this.optsWithGlobals());
    });
  examples(
    move,
    `  $ baton queue move 3k7 first          before all others
  $ baton queue move 3k7 last           after all others
  $ baton queue move 3k7 --priority 5   before those with less
  $ baton queue move 3k7 --after a4h    once that job is completed
  $ baton queue move 3k7 --free         without waiting for other jobs`,
  );
}

function addTrigger(baton: Command): void {
  const trigger = withPlace(
    command(baton, "trigger <agent>", "queue a job for an agent, with its default_prompt"),
  )
    .option("--prompt <text>", "use this prompt")
    .option("--schedule <name>", "use the prompt of this schedule")
    .action(async function (this: Command, agent: string) {
      const { trigger } = await import("./trigger.ts");
      process.exitCode = await trigger(agent, this.optsWithGlobals());
    });
  examples(
    trigger,
    `  $ baton trigger reviewer                         what its default_prompt says
  $ baton trigger reviewer --prompt "Look at #12"  or this
  $ baton trigger reviewer --schedule nightly      with the prompt of its schedule
  $ baton trigger reviewer --after 3k7             once that job is completed`,
  );
}

function addHalt(baton: Command): void {
  const halt = command(baton, "halt", "stop all work, in all projects, and let nothing start").action(
    async function (this: Command) {
      const { halt } = await import("./halt.ts");
      process.exitCode = await halt(this.optsWithGlobals());
    },
  );
  examples(
    halt,
    "  $ baton halt    every job of yours is interrupted, and nothing starts until baton unhalt",
  );
  const unhalt = command(baton, "unhalt", "let work start again after baton halt").action(async function (
    this: Command,
  ) {
    const { unhalt } = await import("./halt.ts");
    process.exitCode = unhalt(this.optsWithGlobals());
  });
  examples(
    unhalt,
    "  $ baton unhalt    a running fleet continues what was stopped; continue the rest with baton resume",
  );
}
