import { spawn } from "node:child_process";
import { once } from "node:events";
import { findProject } from "../../app/project.ts";
import { placeOf } from "../../app/records/place.ts";
import { print, printJson } from "../../display/print.ts";
import { oneLine } from "../../display/style.ts";

export interface OpenOptions {
  config?: string;
  json?: boolean;
  folder?: boolean;
  print?: boolean;
}

/** Where nothing can open it, where it is read by a program, or on request: says where it is. */
export async function open(id: string | undefined, options: OpenOptions): Promise<number> {
  const place = await placeOf(findProject(options), id, options);
  if (options.json) {
    printJson(place);
    return 0;
  }
  const isWatched = process.stdout.isTTY === true && !options.print;
  const program = isWatched ? openerOn(process.platform, process.env) : undefined;
  const isOpened = program !== undefined && (await opens(program, place.target));
  print(isOpened ? `Opened the ${place.kind} ${oneLine(place.target)}` : oneLine(place.target));
  return 0;
}

/** What shows a folder or a page to a person who sits at this machine. */
export function openerOn(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === "darwin") return "open";
  return env.DISPLAY || env.WAYLAND_DISPLAY ? "xdg-open" : undefined;
}

/** False where the program is missing, or fails at once: one that is still there after a moment shows it. */
export async function opens(program: string, target: string): Promise<boolean> {
  const child = spawn(program, [target], { stdio: "ignore", detached: true });
  try {
    const [code] = await once(child, "exit", { signal: AbortSignal.timeout(MOMENT_MS) });
    return code === 0;
  } catch {
    return child.pid !== undefined;
  } finally {
    child.unref();
  }
}

const MOMENT_MS = 3_000;
