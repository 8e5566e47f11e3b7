import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { unknownCommand } from "../help.ts";
import { withChoice } from "../jobs/chosen.ts";
import { DETACH } from "../jobs/commands.ts";

export function addHandoffs(baton: Command): void {
  const handoff = command(
    baton,
    "handoff [job]",
    "hand off a job at its next boundary, or from facts if it is not running",
  )
    .option("--focus <text>", "what the handoff should focus on")
    .option("--to <agent>", "the agent that takes the job over, in the same folder")
    .option("--cancel", "cancel a handoff that is being made")
    .allowExcessArguments()
    .action(async function (this: Command, id: string | undefined) {
      // A job is named in one word: of two, the first was meant for a command.
      if (id !== undefined && this.args.length > 1) throw unknownCommand(id, this.commands);
      const { handoff } = await import("./handoff.ts");
      process.exitCode = await handoff(id, this.optsWithGlobals());
    });
  examples(
    handoff,
    `  $ baton handoff                                   hand off the job that runs here, and wait for it
  $ baton handoff 3k7 --focus "the failing test"    the same, saying what matters
  $ baton handoff 3k7 --to reviewer                 hand it to another agent of baton.yaml
  $ baton handoff 3k7 --cancel                      let the session continue instead, a job's or your own
  $ baton handoff show 2 --job 3k7                  read a handoff document
  $ baton handoff archive 3k7                       archive the documents of a job that is over`,
  );
  const show = command(handoff, "show <number-or-document>", "show a handoff document")
    .option("--job <job>", "the job that the number belongs to (default: the newest that has handed off)")
    .action(async function (this: Command, which: string) {
      const { handoffShow } = await import("./show.ts");
      process.exitCode = await handoffShow(which, this.optsWithGlobals());
    });
  examples(
    show,
    `  $ baton handoff show 2              the second of the newest job that has one
  $ baton handoff show 1 --job 3k7    the first of another
  $ baton handoff show notes.md       any document, by its path`,
  );
  const dismiss = command(
    handoff,
    "dismiss <document>",
    "stop offering a handoff; its document stays",
  ).action(async function (this: Command, document: string) {
    const { handoffDismiss } = await import("./dismiss.ts");
    process.exitCode = await handoffDismiss(document, this.optsWithGlobals());
  });
  examples(
    dismiss,
    `  $ baton handoffs                                          says which ones wait
  $ baton handoff dismiss handoff-2026-11-15-203551.md`,
  );
  const archive = command(handoff, "archive [job]", "archive the documents of a job, or the living one")
    .option("--epic <name>", "end an epic: archive the documents of all its finished jobs")
    .option("--clean", "delete documents that were archived more than handoff.retention_days ago")
    .option("--agent <agent>", "the agent whose living document or settings are meant (default: the first)")
    .action(async function (this: Command, id: string | undefined) {
      const { handoffArchive } = await import("./archive.ts");
      process.exitCode = await handoffArchive(id, this.optsWithGlobals());
    });
  examples(
    archive,
    `  $ baton handoff archive                 the living document: it starts over from its template
  $ baton handoff archive 3k7             the documents of one job
  $ baton handoff archive --epic login    those of all jobs in an epic, which ends with it
  $ baton handoff archive --clean         what has been archived for long enough`,
  );

  const handoffs = command(baton, "handoffs [job]", "list handoffs: of a job, or the newest of all").action(
    async function (this: Command, id: string | undefined) {
      const { handoffs } = await import("./handoffs.ts");
      process.exitCode = await handoffs(id, this.optsWithGlobals());
    },
  );
  examples(
    handoffs,
    `  $ baton handoffs        the newest
  $ baton handoffs 3k7    those of one job`,
  );
}

export function addContinue(baton: Command): void {
  const goOn = withChoice(
    command(baton, "continue <document> [agent]", "start a new job from a handoff document"),
  )
    .option("--agent <agent>", "the agent that continues (default: the one that wrote it)")
    .option("-y, --yes", "do not ask")
    .option(...DETACH)
    .action(async function (this: Command, document: string, agent: string | undefined) {
      const { continueFrom } = await import("../jobs/continue.ts");
      process.exitCode = await continueFrom(document, agent, this.optsWithGlobals());
    });
  examples(
    goOn,
    `  $ baton continue handoff-2026-11-15-203551.md    one in the folder of handoffs
  $ baton continue notes.md --agent coder --yes    any document with the same sections`,
  );
}
