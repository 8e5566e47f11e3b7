import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, it, onTestFinished } from "vitest";
import { Journal } from "../jobs/journal.ts";
import { thisProcess } from "../processes/owner.ts";
import { claimJob } from "./claims.ts";
import { listJobs } from "./job-list.ts";
import { createJob } from "./jobs.ts";
import { openStore } from "./store.ts";

const LONG = `/home/me/project/${"deep/".repeat(40)}100%_sure.ts`;

it("finds the jobs that wrote a file, by what its path contains, also in a store that is older than the index", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-written-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "baton.db");
  const [writer, reader] = ["job-2026-01-01-aaaaaa", "job-2026-01-02-bbbbbb"];
  {
    await using store = await openStore(path);
    for (const id of [writer, reader]) {
      const created = { type: "job:created" as const, agent: "coder", prompt: "Go", agentConfig: {} };
      await createJob(store, id, created, new Date(0));
      const claim = await claimJob(store, id, thisProcess(), new Date());
      await using journal = new Journal(store, claim, () => new Date());
      const does = id === writer ? ("write" as const) : ("read" as const);
      const call = { type: "tool:start" as const, session: "s", name: "Edit", does };
      await journal.record({ ...call, id: "1", summary: "src/Login.ts" });
      await journal.record({ ...call, id: "2", summary: "/home/me/project/deep…", path: LONG });
    }
  }
  const found = async (file: string) => {
    await using store = await openStore(path);
    return (await listJobs(store, 10, { file })).map(({ id }) => id);
  };
  const holds = async () => {
    expect(await found("src/login.ts")).toEqual([writer]);
    expect(await found("100%_sure")).toEqual([writer]);
    expect(await found("100__sure")).toEqual([]);
    expect(await found("other.ts")).toEqual([]);
  };
  await holds();
  const database = new Database(path);
  database.exec("DROP TRIGGER file_is_written; DROP TABLE written_files");
  database.exec("DROP TABLE work_items; DROP TABLE work_sources");
  database.exec(
    "DROP TABLE conversations; DROP TABLE chat_events; DROP TABLE chat_outbox; DROP TABLE long_texts",
  );
  database.pragma("user_version = 13");
  database.close();
  await holds();
});
