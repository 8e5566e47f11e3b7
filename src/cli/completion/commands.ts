import { Argument, type Command } from "commander";
import { command, examples } from "../command.ts";
import { note } from "../help.ts";
import type { Shell } from "./completion.ts";

const SHELLS: readonly Shell[] = ["bash", "zsh", "fish"];

export function addCompletion(baton: Command): void {
  const completion = command(
    baton,
    "completion",
    "print a shell's completion script for commands, jobs and agents",
  )
    .addArgument(new Argument("<shell>", "which one").choices(SHELLS))
    .action(async function (this: Command, shell: Shell) {
      const { completion } = await import("./completion.ts");
      process.exitCode = completion(shell, this.optsWithGlobals());
    });
  examples(
    completion,
    `  $ echo 'eval "$(baton completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(baton completion zsh)"' >> ~/.zshrc  below the line with compinit
  $ baton completion fish > ~/.config/fish/completions/baton.fish`,
  );
  note(completion, "Shells that you start from then on complete commands, options, agents and jobs.");
}

/** Called by the shell. */
export function addComplete(internal: Command, baton: Command): void {
  command(internal, "complete [words...]", "what could stand at the end of these words").action(
    async (words: string[]) => {
      const { complete } = await import("./complete.ts");
      process.exitCode = await complete(baton, words);
    },
  );
}
