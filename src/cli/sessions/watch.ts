import { type WatchOptions, watchSessions } from "../../app/sessions/watch.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson } from "../../display/print.ts";

export interface WatchCommandOptions {
  json?: boolean;
  once?: boolean;
  every: number;
}

export async function watch({ json = false, once = false, every }: WatchCommandOptions): Promise<number> {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  await watchSessions({ once, everyMs: every, signal: ending.signal, tell: json ? asJson : inWords });
  return 0;
}

const asJson: WatchOptions["tell"] = ({ session, project }, what) =>
  printJson({ at: new Date().toISOString(), session, project, what });

const inWords: WatchOptions["tell"] = ({ session, project }, what) => {
  const whose = [new Date().toTimeString().slice(0, 8), session?.slice(0, 8), shortPath(project)];
  print(`${whose.filter(Boolean).join(" ")}: ${what}`);
};
