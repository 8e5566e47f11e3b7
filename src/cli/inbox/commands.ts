import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";

export function addInbox(baton: Command): void {
  const inbox = command(baton, "inbox", "list what needs you, most urgent first").action(async function (
    this: Command,
  ) {
    const { inbox } = await import("./inbox.ts");
    process.exitCode = await inbox(this.optsWithGlobals());
  });
  examples(
    inbox,
    `  $ baton inbox                calls that need your yes, questions, jobs that stopped, work to review
  $ baton inbox --json         the same for programs
  $ baton inbox done 9dwwek    remove a job that failed, or that you have reviewed`,
  );
  note(
    inbox,
    "Agents ask only if permission_prompts is `ask`. Otherwise, calls that their rules do not allow are denied.",
  );
  const done = command(inbox, "done <id>", "remove a row from the inbox until it changes").action(
    async function (this: Command, id: string) {
      const { inboxDone } = await import("./inbox.ts");
      process.exitCode = await inboxDone(id, this.optsWithGlobals());
    },
  );
  examples(
    done,
    `  $ baton inbox done 9dwwek           a job that failed, or that you have reviewed
  $ baton inbox done coder/nightly    a schedule that was missed`,
  );
  note(done, "The job itself is not changed. Asks and paused jobs stay until you deal with them.");
  addAnswers(baton);
}

function addAnswers(baton: Command): void {
  const approve = command(baton, "approve <id>", "say yes to a call that an agent asks about")
    .option(
      "--always",
      "also decide such calls from now on: shows the line for baton.yaml, and asks whether to add it",
    )
    .action(async function (this: Command, id: string) {
      const { approve } = await import("./answer.ts");
      process.exitCode = await approve(id, this.optsWithGlobals());
    });
  examples(
    approve,
    `  $ baton approve 9dwwek-1             this call, once, with exactly the input that baton inbox shows
  $ baton approve 9dwwek-1 --always    and such calls from now on, by allowed_tools`,
  );
  const deny = command(baton, "deny <id> [why]", "say no to what an agent asks, and tell it why")
    .option(
      "--always",
      "also decide such calls from now on: shows the line for baton.yaml, and asks whether to add it",
    )
    .action(async function (this: Command, id: string, why: string | undefined) {
      const { deny } = await import("./answer.ts");
      process.exitCode = await deny(id, why, this.optsWithGlobals());
    });
  examples(
    deny,
    `  $ baton deny 9dwwek-1                       the agent looks for another way
  $ baton deny 9dwwek-1 "Use pnpm instead"    and hears this
  $ baton deny 9dwwek-1 --always              and such calls from now on, by denied_tools`,
  );
  const answer = command(baton, "answer <id> <words...>", "answer a question that an agent asks").action(
    async function (this: Command, id: string, words: string[]) {
      const { answer } = await import("./answer.ts");
      process.exitCode = await answer(id, words, this.optsWithGlobals());
    },
  );
  examples(
    answer,
    `  $ baton answer 9dwwek-2 "Port 8080"    in your own words
  $ baton answer 9dwwek-2 1              the first of its options
  $ baton answer 9dwwek-2 1 "Not yet"    two questions at once, in their order`,
  );
}
