import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { QUEUE, withPlace } from "../fleet/place.ts";
import { note } from "../help.ts";
import { withChoice } from "./chosen.ts";

/** For commands that run a job. */
export const DETACH = [
  "-d, --detach",
  "give the terminal back at once: the job runs in the background",
] as const;

export function addJobs(baton: Command): void {
  const run = withPlace(withChoice(command(baton, "run [agent] [prompt]", "run a job until it ends")))
    .option("--prompt-file <file>", "read the prompt from a file")
    .option("--epic <name>", "what the job belongs to: the handoffs of an epic are kept until you end it")
    .option("--work-item <id>", "the work item, such as an issue: the branch is named after it")
    .option("--title <text>", "the title of the work item")
    .option("--schedule <name>", "the schedule that starts it, for the name of its branch")
    .option(...DETACH)
    .option(...QUEUE)
    .allowExcessArguments()
    .action(async function (this: Command) {
      const { run } = await import("./run.ts");
      process.exitCode = await run(this.args, this.optsWithGlobals());
    });
  examples(
    run,
    `  $ baton run "Fix the failing tests"
  $ baton run coder "Fix the failing tests"     with an agent of baton.yaml
  $ baton run "Try it" --model opus --max-cost 5  with another model, for $5 at most
  $ baton run "Fix it" --worktree               in a worktree, on a branch of its own
  $ baton run "Port it to ESM" --detach         in the background; baton attach shows it
  $ baton run "Fix the docs" --queue            when the fleet has a slot: baton start runs it
  $ baton run -C ~/site "Fix the footer"        in another folder
  $ baton run coder "Do it" --work-item LIN-42  its branch is named after the item
  $ git diff | baton run reviewer -             the prompt from standard input
  $ baton run coder "Go" --json                 one event of the job on each line
  $ baton run -- "-v prints nothing: fix it"    a prompt that begins with -`,
  );

  const chat = withChoice(
    command(baton, "chat [agent]", "talk to an agent, through as many windows as it takes"),
  )
    .option("--resume [job]", "continue a chat that was interrupted or cancelled (default: the newest)")
    .action(async function (this: Command, agent: string | undefined) {
      const { chat } = await import("./chat.ts");
      process.exitCode = await chat(agent, this.optsWithGlobals());
    });
  examples(
    chat,
    `  $ baton chat                  with the first agent of baton.yaml
  $ baton chat reviewer         with another one
  $ baton chat --model opus     with another model
  $ baton chat --resume         continue the newest chat that was cut off
  $ baton chat --resume 3k7     continue this one`,
  );

  const resume = withPlace(
    withChoice(
      command(baton, "resume [job]", "continue a job that stopped before it was done (default: the newest)"),
    ),
  )
    .option(...DETACH)
    .option(...QUEUE)
    .action(async function (this: Command, id: string | undefined) {
      const { resume } = await import("./resume.ts");
      process.exitCode = await resume(id, this.optsWithGlobals());
    });
  examples(
    resume,
    `  $ baton resume                        the newest that can be resumed
  $ baton resume 3k7                    by the beginning of its id's last part
  $ baton resume job-2026-11-15-3k7x2a  or by its whole id
  $ baton resume 3k7 --max-cost 5       for $5 more at most; your other choices stay
  $ baton resume 3k7 --detach           in the background
  $ baton resume 3k7 --queue            when the fleet has a slot`,
  );

  const attach = command(
    baton,
    "attach [job]",
    "watch a job that runs in the background or in another terminal (default: the only one)",
  ).action(async function (this: Command, id: string | undefined) {
    const { attach } = await import("./attach.ts");
    process.exitCode = await attach(id, this.optsWithGlobals());
  });
  examples(
    attach,
    `  $ baton attach               the job that runs here; Ctrl-C detaches, and it continues
  $ baton attach 3k7           one of several
  $ baton attach 3k7 --json    one event of the job on each line, from the first`,
  );
  note(attach, "It ends with the job, and exits with the job's exit code, or with 130 after Ctrl-C.");

  const cancel = command(
    baton,
    "cancel [job]",
    "end a job, whichever process runs it (default: the only one)",
  ).action(async function (this: Command, id: string | undefined) {
    const { cancel } = await import("./cancel.ts");
    process.exitCode = await cancel(id, this.optsWithGlobals());
  });
  examples(
    cancel,
    `  $ baton cancel        the job that runs here; its work stays, and baton resume continues it
  $ baton cancel 3k7    one of several`,
  );
}
