import { type Command, Option } from "commander";
import { command, examples, wholeNumber } from "../../command.ts";
import { QUEUE, withPlace } from "../../fleet/place.ts";
import { note } from "../../help.ts";
import { withChoice } from "../chosen.ts";
import { DETACH } from "../commands.ts";

const MESSAGE = wholeNumber(1, Number.MAX_SAFE_INTEGER);

/** What steers a job from outside. */
export function addSteering(baton: Command): void {
  const send = command(
    baton,
    "send [job] [message]",
    "send a message to the agent of a running job (default: the only one)",
  )
    .addOption(
      new Option(
        "--at <moment>",
        "when the agent gets it: at its next boundary (default), after its turn, or at the end",
      ).choices(["boundary", "turn", "end"]),
    )
    .option("--edit <number>", "change a message that waits: its text, or with --at its moment", MESSAGE)
    .option("--list", "list messages that no agent has read yet")
    .option("--remove <number>", "remove a message that waits", MESSAGE)
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { send } = await import("./send.ts");
      process.exitCode = await send(this.args, this.optsWithGlobals());
    });
  examples(
    send,
    `  $ baton send "Use port 8080"           to the job that runs here
  $ baton send 3k7 "Use port 8080"       to one of several, or to one that is paused
  $ baton send "Now the docs" --at end   once everything else is done
  $ git diff | baton send -              the message from standard input
  $ baton send --list                    what waits, with numbers
  $ baton send --edit 2 "Use port 9090"  say it differently
  $ baton send --remove 2                take one back`,
  );

  const messages = command(
    baton,
    "messages [job]",
    "list messages to agents: those that wait and, of one job, those that it got",
  ).action(async function (this: Command, id: string | undefined) {
    const { messages } = await import("./messages.ts");
    process.exitCode = await messages(id, this.optsWithGlobals());
  });
  examples(
    messages,
    `  $ baton messages               what no agent has read yet, of all jobs
  $ baton messages 3k7           all that was sent to this one, and when its agent got it
  $ baton messages 3k7 --json    the same for programs`,
  );

  const pause = command(
    baton,
    "pause [job]",
    "pause a job at its next boundary: running tools finish first (default: the only one that runs)",
  )
    .option("--wait", "return only when it has paused")
    .action(async function (this: Command, id: string | undefined) {
      const { pause } = await import("./pause.ts");
      process.exitCode = await pause(id, this.optsWithGlobals());
    });
  examples(
    pause,
    `  $ baton pause          the job that runs here
  $ baton pause 3k7      one of several, or one that is queued
  $ baton pause --wait   and wait until it has paused
  $ baton resume 3k7     continue it`,
  );

  const retry = withPlace(
    withChoice(command(baton, "retry <job>", "start a new job with the same prompt, from the beginning")),
  )
    .option(...DETACH)
    .option(...QUEUE)
    .action(async function (this: Command, id: string) {
      const { retry } = await import("./again.ts");
      process.exitCode = await retry(id, this.optsWithGlobals());
    });
  examples(
    retry,
    `  $ baton retry 3k7                  the same prompt, on a new branch from the base
  $ baton retry 3k7 --model opus     with another model
  $ baton retry 3k7 --detach         in the background`,
  );
  note(retry, WITH_FLEET);

  const fork = withPlace(
    withChoice(
      command(
        baton,
        "fork <job> [message]",
        "start a new job that continues the work of another in a worktree of its own",
      ),
    ),
  )
    .option("--from <moment...>", "handoff <n> or checkpoint <n> of the job (default: as it is now)")
    .option(...DETACH)
    .option(...QUEUE)
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { fork } = await import("./again.ts");
      process.exitCode = await fork(this.args, this.optsWithGlobals());
    });
  examples(
    fork,
    `  $ baton fork 3k7                               as it is now, while it keeps working
  $ baton fork 3k7 "Use SQLite instead"          with something else in mind
  $ baton fork 3k7 --from handoff 2              from the document and the files at that time
  $ baton fork 3k7 "Try again" --from checkpoint 4
  $ baton fork 3k7 --detach                      in the background`,
  );
  note(fork, `The other job does not change, and \`baton show\` names both. ${WITH_FLEET}`);
}

const WITH_FLEET = "If a fleet is running, the job goes into its queue.";
