/** A program to start, with its whole environment. */
export interface Command {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** What has to be started in place of a command, so that it runs where it belongs. */
export type Launch = (command: Command) => Command;
