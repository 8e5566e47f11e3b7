import type { KnownSession } from "../../app/sessions/status.ts";
import { type WatchOptions, watchSessions } from "../../app/sessions/watch.ts";
import { shortPath } from "../../display/path.ts";
import { printJson, printWords } from "../../display/print.ts";
import { paintFor } from "../../display/style.ts";
import { table, tableWidth } from "../../display/table.ts";
import { counted } from "../../util/figures.ts";
import { sessionColumns } from "./session-columns.ts";

export interface WatchCommandOptions {
  json?: boolean;
  once?: boolean;
  every: number;
}

export async function watch({ json = false, once = false, every }: WatchCommandOptions): Promise<number> {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  const words = json ? asJson : { ...inWords, ...(once && { begun: () => {} }) };
  await watchSessions({ once, everyMs: every, signal: ending.signal, ...words });
  return 0;
}

type Words = Pick<WatchOptions, "begun" | "tell">;

const asJson: Words = {
  begun: (sessions) =>
    printJson({
      at: new Date().toISOString(),
      watching: sessions.map(({ id, project }) => ({ session: id, project })),
    }),
  tell: ({ session, project }, what) => printJson({ at: new Date().toISOString(), session, project, what }),
};

const inWords: Words = {
  begun: (sessions) => printWords(watching(sessions)),
  tell: ({ session, project }, what) => {
    const whose = [new Date().toTimeString().slice(0, 8), session?.slice(0, 8), shortPath(project)];
    printWords(`${whose.filter(Boolean).join(" ")}: ${what}`);
  },
};

function watching(sessions: readonly KnownSession[]): string {
  const after = "New ones are watched from the start. Ctrl-C ends this.";
  if (sessions.length === 0) return `None of your sessions are open. ${after}`;
  const paint = paintFor(process.stdout, process.env);
  const rows = table(sessions, sessionColumns(sessions, paint), tableWidth(process.stdout)).join("\n");
  return `Watching ${counted(sessions.length, "session")}. ${after}\n${rows}`;
}
