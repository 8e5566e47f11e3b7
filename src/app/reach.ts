import { oneLine } from "../display/style.ts";
import type { Notice } from "../job/notices/notice.ts";
import type { Reach } from "../jobs/notices/notices.ts";
import { run } from "../processes/run.ts";

const LONGEST = 200;
const LIMIT_MS = 5_000;

/** The person at this terminal and on this desktop. Where there is no desktop, nothing is shown and nothing fails. */
export function reachOf(output: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Reach {
  return {
    bell: () => {
      if (output.isTTY) output.write("\u0007");
    },
    desktop: (notice) => shown(notice, env),
  };
}

const URGENT: ReadonlySet<Notice["event"]> = new Set(["failure", "pause", "ask"]);

/** Titles and texts go in as arguments, which no shell and no script reads as code. */
async function shown(notice: Notice, env: NodeJS.ProcessEnv): Promise<void> {
  const title = shortened(notice.title);
  const text = [shortened(notice.text), oneLine(notice.command)].filter(Boolean).join(" · ");
  if (process.platform === "darwin") {
    const script = "on run {title, body}\ndisplay notification body with title title\nend run";
    await run("osascript", ["-e", script, title, text], { timeoutMs: LIMIT_MS });
    return;
  }
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY && !env.DBUS_SESSION_BUS_ADDRESS) return;
  const urgency = URGENT.has(notice.event) ? "critical" : "normal";
  const args = ["--app-name=Baton", `--urgency=${urgency}`, "--", title, text];
  await run("notify-send", args, { timeoutMs: LIMIT_MS });
}

function shortened(text: string): string {
  const line = oneLine(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
