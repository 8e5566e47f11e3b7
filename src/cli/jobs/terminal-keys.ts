import { emitKeypressEvents } from "node:readline";
import { inForeground } from "../../app/foreground.ts";
import { type Action, actionsOf } from "../../chat/keys.ts";

/** What the terminal itself makes of Ctrl-C, Ctrl-Z and Ctrl-\ while it is not in raw mode. */
const SIGNALS = new Map<string, NodeJS.Signals>([
  ["\u0003", "SIGINT"],
  ["\u001a", "SIGTSTP"],
  ["\u001c", "SIGQUIT"],
]);

/** By these a terminal marks what is pasted, which may hold many lines. */
const MARK_PASTES = "\u001b[?2004h";
const MARK_NO_PASTES = "\u001b[?2004l";

/** True where a key that is pressed reaches this process: it has the terminal, and no shell has sent it to the background. */
export function hasKeyboard(input: NodeJS.ReadStream): boolean {
  return input.isTTY === true && process.env.TERM !== "dumb" && inForeground();
}

/** A key as Node tells it. */
interface Key {
  name?: string;
  sequence: string;
  ctrl?: boolean;
  meta?: boolean;
  shift?: boolean;
}

/** Tells what is typed until it is disposed. All that the terminal does for Ctrl-C and the like goes on. */
export function listenToKeys(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  onAction: (action: Action) => void,
): Disposable {
  // Whoever touches the terminal from the background is stopped by it.
  const release = () => {
    if (inForeground()) {
      input.setRawMode(false);
      if (output.isTTY) output.write(MARK_NO_PASTES);
    }
    input.pause();
  };
  const take = () => {
    if (!inForeground()) return;
    input.setRawMode(true);
    if (output.isTTY) output.write(MARK_PASTES);
    input.resume();
  };
  let isPasting = false;
  const onKey = (text: string | undefined, key: Key) => {
    if (key.name === "paste-start" || key.name === "paste-end") isPasting = key.name === "paste-start";
    else if (isPasting) onAction({ type: "edit", edit: { type: "insert", text: text ?? key.sequence } });
    else if (!signalled(key)) for (const action of actionsFor(text, key)) onAction(action);
  };
  const signalled = ({ sequence }: Key): boolean => {
    // Right after an Escape, a key comes as one sequence with it.
    const signal = SIGNALS.get(sequence.at(-1) ?? "");
    if (signal === undefined) return false;
    if (signal !== "SIGINT") release();
    // To the whole group, as the terminal would.
    process.kill(0, signal);
    return true;
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

function actionsFor(
  text: string | undefined,
  { name, ctrl = false, meta = false, shift = false }: Key,
): Action[] {
  const is = (key: string) => name === key;
  return actionsOf(ctrl ? (name ?? "") : (text ?? ""), {
    ctrl,
    // An Escape by itself is told as one with Alt.
    meta: meta && !is("escape"),
    shift,
    return: is("return") || is("enter"),
    escape: is("escape"),
    upArrow: is("up"),
    downArrow: is("down"),
    leftArrow: is("left"),
    rightArrow: is("right"),
    home: is("home"),
    end: is("end"),
    backspace: is("backspace"),
    delete: is("delete"),
    tab: is("tab"),
  });
}
