import { execFile } from "node:child_process";
import { printable } from "../display/style.ts";
import type { Notice } from "../job/notice.ts";
import type { Reach } from "../jobs/notices.ts";

const LONGEST = 200;

/** The person at this terminal and on this desktop. Where there is no desktop, nothing is shown and nothing fails. */
export function reachOf(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Reach {
  return {
    bell: () => {
      if (output.isTTY) output.write("\u0007");
    },
    desktop: (notice) => shown(notice, env),
  };
}

/** Titles and texts go in as arguments, which no shell and no script reads as code. */
function shown(notice: Notice, env: NodeJS.ProcessEnv): Promise<void> {
  const title = oneLine(notice.title);
  const text = oneLine(notice.text);
  if (process.platform === "darwin") {
    const script = "on run {title, body}\ndisplay notification body with title title\nend run";
    return run("osascript", ["-e", script, title, text]);
  }
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY && !env.DBUS_SESSION_BUS_ADDRESS) return Promise.resolve();
  const urgency = notice.event === "failure" || notice.event === "pause" ? "critical" : "normal";
  return run("notify-send", ["--app-name=Baton", `--urgency=${urgency}`, "--", title, text]);
}

function oneLine(text: string): string {
  const line = printable(text).replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

function run(program: string, args: string[]): Promise<void> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 5_000 }, () => resolve());
  });
}
