import type { Pane } from "../../agents/claude/own/surroundings.ts";
import { hasTerminalOf } from "../../processes/foreground.ts";
import { type Run, run } from "../../processes/run.ts";
import type { OwnSession } from "../record/session.ts";
import { type OwnCommand, oneLineOf } from "./line.ts";

const TIMEOUT_MS = 5_000;

/** A pane can only be named by its number: whatever else tmux would understand is refused. */
function isPane({ id, socket }: Pane): boolean {
  return /^%\d+$/.test(id) && socket.startsWith("/");
}

/** `away`: somebody scrolls in it, or what is typed would go elsewhere too. `gone`: another program is there, or none. */
export type Hearing = "listening" | "away" | "gone";

const FLAGS = "#{pane_pid} #{pane_dead} #{pane_in_mode} #{pane_input_off} #{pane_synchronized}";

export type InPane = Pick<OwnSession, "pane" | "process">;

/** Whether what is typed into its pane reaches the session's own program, and nobody else. */
export async function hearing({ pane, process }: InPane): Promise<Hearing> {
  if (!pane || !isPane(pane) || process === null) return "gone";
  const { ok, stdout } = await tmux(pane.socket, ["display-message", "-p", "-t", pane.id, FLAGS]);
  const [pid = "", dead, ...hindrances] = stdout.trim().split(" ");
  if (!ok || pid === "" || dead !== "0") return "gone";
  // After a restart of the server another pane can have the same number, and while the program is suspended a shell listens.
  if (!(await hasTerminalOf(Number(pid), process.pid))) return "gone";
  return hindrances.some((flag) => flag !== "0") ? "away" : "listening";
}

/** What a pane shows, and where its cursor stands: a program that waits for words puts it where the next one goes. */
export interface Look {
  screen: string;
  cursor: string;
  /** The second in which a person last pressed a key, where their keys go to this pane; else 0. */
  keyAt: number;
}

const CURSOR = "#{cursor_x},#{cursor_y}";
/** Known before the program has read the key, and shows it. What Baton itself has pressed does not count. */
const KEY_AT = "#{?#{&&:#{pane_active},#{&&:#{window_active},#{session_attached}}},#{session_activity},0}";

/** Undefined when there is no such pane. */
export async function lookAt(pane: Pane): Promise<Look | undefined> {
  if (!isPane(pane)) return undefined;
  const { ok, stdout } = await tmuxAll(pane.socket, [
    ["display-message", "-p", "-t", pane.id, `${CURSOR} ${KEY_AT}`],
    ["capture-pane", "-p", "-e", "-t", pane.id],
  ]);
  const end = stdout.indexOf("\n");
  const [cursor = "", keyAt] = stdout.slice(0, end).split(" ");
  return ok ? { cursor, keyAt: Number(keyAt), screen: stdout.slice(end + 1) } : undefined;
}

/** What is on the screen of a pane, with its colours; undefined when there is no such pane. */
export async function capture(pane: Pane): Promise<string | undefined> {
  return (await lookAt(pane))?.screen;
}

/** Looks before each key who would hear it. False where it was not pressed. */
export async function press(session: InPane, pane: Pane, args: readonly string[]): Promise<boolean> {
  if ((await hearing(session)) !== "listening") return false;
  return (await tmux(pane.socket, ["send-keys", "-t", pane.id, ...args])).ok;
}

const PRESSED = "pressed";

/**
 * Presses Enter, after a command of Baton's if one is given, unless the cursor has moved or a person has pressed a key since
 * a look: tmux compares and presses in one step, so that no key of a person's comes between. False where it was not pressed.
 */
export async function enterIfStill(
  session: InPane,
  pane: Pane,
  { cursor, keyAt }: Look,
  command?: OwnCommand,
): Promise<boolean> {
  if (!/^\d+,\d+$/.test(cursor) || (await hearing(session)) !== "listening") return false;
  const keys = `send-keys -t ${pane.id}`;
  const typed = command === undefined ? "" : `${keys} -l -- ${command} ; `;
  // A comma in a format has to be quoted to be no separator.
  const isSameCursor = `#{==:${CURSOR.replace(",", "#,")},${cursor.replace(",", "#,")}}`;
  const isStill = `#{&&:${isSameCursor},#{==:${KEY_AT},${keyAt}}}`;
  const { ok, stdout } = await tmux(pane.socket, [
    "if-shell",
    "-F",
    "-t",
    pane.id,
    isStill,
    `${typed}${keys} Enter ; display-message -p ${PRESSED}`,
  ]);
  return ok && stdout.trim() === PRESSED;
}

/** Shows a line to whoever looks at the pane, for a few seconds. It changes nothing in it. */
export async function announce(pane: Pane, line: string): Promise<void> {
  if (!isPane(pane)) return;
  // What is shown is a format, and a date: each # and each % must be doubled to mean itself.
  const text = oneLineOf(line).replace(/[#%]/g, "$&$&");
  await tmux(pane.socket, ["display-message", "-d", "8000", "-t", pane.id, "--", text]);
}

/** How people name the panes of a server, by their numbers: `work:2.0`. */
export async function paneNames(socket: string): Promise<Map<string, string>> {
  if (!socket.startsWith("/")) return new Map();
  const format = "#{pane_id} #{session_name}:#{window_index}.#{pane_index}";
  const { stdout } = await tmux(socket, ["list-panes", "-a", "-F", format]);
  const lines = stdout.split("\n").map((line) => /^(%\d+) (.+)$/.exec(line));
  return new Map(lines.flatMap((found) => (found?.[1] && found[2] ? [[found[1], found[2]]] : [])));
}

/** The server that `tmux` would find by itself, if it runs and has a session. */
export async function runningServer(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const { ok, stdout } = await tmuxIn(env, ["display-message", "-p", "#{socket_path}"]);
  return ok && stdout.trim().startsWith("/") ? stdout.trim() : undefined;
}

/** Starts a program in a new window, behind what a person looks at. Its words are no shell's and no format's. */
export async function openWindow(
  socket: string,
  command: readonly [string, string, ...string[]],
): Promise<Pane | undefined> {
  const { ok, stdout } = await tmux(socket, ["new-window", "-d", "-P", "-F", "#{pane_id}", "--", ...command]);
  const pane = { socket, id: stdout.trim() };
  return ok && isPane(pane) ? pane : undefined;
}

function tmux(socket: string, args: readonly string[]): Promise<Run> {
  return tmuxAll(socket, [args]);
}

/** One after the other, with nothing in between. */
function tmuxAll(socket: string, commands: readonly (readonly string[])[]): Promise<Run> {
  const words = commands.flatMap((args, index) => [...(index === 0 ? [] : [";"]), ...args.map(literal)]);
  return tmuxIn(process.env, ["-S", socket, ...words]);
}

/** A semicolon at the end of a word ends a command of tmux. */
function literal(word: string): string {
  return word.endsWith(";") ? `${word.slice(0, -1)}\\;` : word;
}

function tmuxIn(env: NodeJS.ProcessEnv, args: string[]): Promise<Run> {
  const { TMUX: _ours, ...rest } = env;
  return run("tmux", args, { timeoutMs: TIMEOUT_MS, env: rest });
}
