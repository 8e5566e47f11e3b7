import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { adoptState } from "../src/app/adopt-state.ts";

const FIXTURE = join(import.meta.dirname, "fixtures", "store-db6689e");

/** The jobs in it, by what had become of them. The process of the last one was killed while a tool ran. */
export const EARLIER = {
  completed: "job-2026-11-16-gdwtpx",
  paused: "job-2026-11-16-w9m84v",
  failed: "job-2026-11-16-bfqmn9",
  cancelled: "job-2026-11-16-jghhht",
  cutOff: "job-2026-11-16-x182wq",
};

/** The store that Baton wrote at commit db6689e, as if it had run in this project, on this machine, before it was started again. */
export function restoreStore(path: string, folder = dirname(path), home = folder): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path);
  database.pragma("journal_mode = wal");
  database.exec(restored("store.sql", folder, home));
  database.close();
}

/** With what it needs beside it: the configuration, the handoff documents and the agent's transcripts. */
export async function restoreProject({
  folder,
  env,
}: {
  folder: string;
  env: Record<string, string>;
}): Promise<void> {
  const home = env.HOME ?? "";
  restoreStore(join(folder, ".baton", "baton.db"), folder, home);
  cpSync(join(FIXTURE, "baton.yaml"), join(folder, "baton.yaml"));
  const copy = (from: string, to: string) => {
    mkdirSync(to, { recursive: true });
    for (const name of readdirSync(join(FIXTURE, from))) {
      writeFileSync(join(to, name), restored(join(from, name), folder, home));
    }
  };
  copy("handoffs", join(folder, ".baton", "handoffs"));
  copy("transcripts", join(env.CLAUDE_CONFIG_DIR ?? "", "projects", slugOf(folder)));
  await adoptState({ root: folder, configPath: join(folder, "baton.yaml") });
}

function restored(name: string, folder: string, home: string): string {
  return readFileSync(join(FIXTURE, name), "utf8")
    .replaceAll("{{PROJECT}}", folder)
    .replaceAll("{{HOME}}", home)
    .replaceAll("{{SLUG}}", slugOf(folder))
    .replaceAll("{{HOST}}", hostname());
}

function slugOf(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, "-");
}
