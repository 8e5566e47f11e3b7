import type { Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";

export function addInbox(baton: Command): void {
  const inbox = command(baton, "inbox", "list what waits for you, what waiting costs most first").action(
    async function (this: Command) {
      const { inbox } = await import("./inbox.ts");
      process.exitCode = await inbox(this.optsWithGlobals());
    },
  );
  examples(
    inbox,
    `  $ baton inbox                calls that need your yes, questions, jobs that stopped, work to review
  $ baton inbox --json         the same for programs
  $ baton inbox done 9dwwek    take a job that failed, or that you have reviewed, out of it`,
  );
  note(
    inbox,
    "Agents ask where permission_prompts is `ask`. Elsewhere what their rules do not allow is denied.",
  );
  const done = command(inbox, "done <id>", "take something out of the inbox until it changes").action(
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
  note(
    done,
    "The job itself stays as it is. What agents ask, and what is paused, stays until you deal with it.",
  );
  addAnswers(baton);
}

function addAnswers(baton: Command): void {
  const approve = command(baton, "approve <id>", "say yes to a call that an agent asks about")
    .option(
      "--always",
      "and to its like from now on: shows the line for baton.yaml, and asks whether to add it",
    )
    .action(async function (this: Command, id: string) {
      const { approve } = await import("./answer.ts");
      process.exitCode = await approve(id, this.optsWithGlobals());
    });
  examples(
    approve,
    `  $ baton approve 9dwwek-1             this call, once, with exactly the input that baton inbox shows
  $ baton approve 9dwwek-1 --always    and adds what allows its like to allowed_tools`,
  );
  const deny = command(baton, "deny <id> [why]", "say no to what an agent asks, and tell it why")
    .option(
      "--always",
      "and to its like from now on: shows the line for baton.yaml, and asks whether to add it",
    )
    .action(async function (this: Command, id: string, why: string | undefined) {
      const { deny } = await import("./answer.ts");
      process.exitCode = await deny(id, why, this.optsWithGlobals());
    });
  examples(
    deny,
    `  $ baton deny 9dwwek-1                       the agent looks for another way
  $ baton deny 9dwwek-1 "Use pnpm instead"    and hears this
  $ baton deny 9dwwek-1 --always              and adds what forbids its like to denied_tools`,
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
