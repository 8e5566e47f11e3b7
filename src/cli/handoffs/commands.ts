import type { Command } from "commander";
import { command, examples } from "../command.ts";

export function addHandoffs(baton: Command): void {
  const handoff = command(
    baton,
    "handoff [job]",
    "hand off: a running job at its next boundary, another from facts",
  )
    .option("--focus <text>", "what the handoff should focus on")
    .option("--cancel", "cancel a handoff that is being made")
    .action(async function (this: Command, id: string | undefined) {
      const { handoff } = await import("./handoff.ts");
      process.exitCode = await handoff(id, this.optsWithGlobals());
    });
  examples(
    handoff,
    `  $ baton handoff 3k7 --focus "the failing test"    hand off now, and wait until that is done
  $ baton handoff 3k7 --cancel                      let the session continue instead
  $ baton handoff show 2 --job 3k7                  read a handoff document
  $ baton handoff archive 3k7                       archive the documents of a job that is over`,
  );
  command(handoff, "show <number-or-document>", "show a handoff document")
    .option("--job <job>", "the job that the number belongs to (default: the newest that has handed off)")
    .action(async function (this: Command, which: string) {
      const { handoffShow } = await import("./show.ts");
      process.exitCode = await handoffShow(which, this.optsWithGlobals());
    });
  command(
    handoff,
    "dismiss <document>",
    "no longer offer a handoff that waits for you to pick it up; its document stays",
  ).action(async function (this: Command, document: string) {
    const { handoffDismiss } = await import("./dismiss.ts");
    process.exitCode = await handoffDismiss(document, this.optsWithGlobals());
  });
  const archive = command(
    handoff,
    "archive [job]",
    "archive the documents of a job that is over, or the living one",
  )
    .option("--epic <name>", "end an epic: those of all its jobs that are over")
    .option("--clean", "delete documents that were archived more than handoff.retention_days ago")
    .option("--agent <name>", "the agent whose living document or settings are meant (default: the first)")
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

  command(
    baton,
    "handoffs [job]",
    "list the handoffs of a job, or of the newest jobs and your own sessions",
  ).action(async function (this: Command, id: string | undefined) {
    const { handoffs } = await import("./handoffs.ts");
    process.exitCode = await handoffs(id, this.optsWithGlobals());
  });
}
