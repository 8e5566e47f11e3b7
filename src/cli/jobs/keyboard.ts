import { emitKeypressEvents } from "node:readline";
import { inForeground } from "../../app/foreground.ts";

/** What the terminal itself makes of Ctrl-C, Ctrl-Z and Ctrl-\ while it is not in raw mode. */
const SIGNALS = new Map<string, NodeJS.Signals>([
  ["\u0003", "SIGINT"],
  ["\u001a", "SIGTSTP"],
  ["\u001c", "SIGQUIT"],
]);

/** True where a key that is pressed reaches this process: it has the terminal, and no shell has sent it to the background. */
export function hasKeyboard(input: NodeJS.ReadStream): boolean {
  return input.isTTY === true && process.env.TERM !== "dumb" && inForeground();
}

/** Calls `onEscape` for each Escape until it is disposed. All that the terminal does for Ctrl-C and the like goes on. */
export function listenForEscape(input: NodeJS.ReadStream, onEscape: () => void): Disposable {
  // Whoever touches the terminal from the background is stopped by it.
  const release = () => {
    if (inForeground()) input.setRawMode(false);
    input.pause();
  };
  const take = () => {
    if (!inForeground()) return;
    input.setRawMode(true);
    input.resume();
  };
  const onKey = (_text: string | undefined, { name, sequence }: { name?: string; sequence: string }) => {
    if (name === "escape") onEscape();
    // Right after an Escape, a key comes as one sequence with it.
    const signal = SIGNALS.get(sequence.at(-1) ?? "");
    if (signal === undefined) return;
    if (signal !== "SIGINT") release();
    // To the whole group, as the terminal would.
    process.kill(0, signal);
  };
  emitKeypressEvents(input);
  input.on("keypress", onKey);
  process.on("SIGCONT", take).once("exit", release);
  take();
  return {
    [Symbol.dispose]() {
      input.off("keypress", onKey);
      process.off("SIGCONT", take).off("exit", release);
      release();
    },
  };
}
