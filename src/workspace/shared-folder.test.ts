import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type ProcessIdentity, thisProcess } from "../processes/owner.ts";
import { enterFolder, meet } from "./shared-folder.ts";

let folder: string;
const records = () => join(folder, "state", "baton", "at-work");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-shared-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  vi.stubEnv("BATON_JOB_ID", undefined);
  mkdirSync(join(folder, "project", "part"), { recursive: true });
});

/** Another job is on record, of this process or another one. */
function atWork(job: string, where: string, owner: ProcessIdentity = thisProcess()): string {
  mkdirSync(records(), { recursive: true });
  const path = join(records(), `${job}.json`);
  writeFileSync(path, JSON.stringify({ job, folder: join(folder, where), owner }));
  return path;
}

async function entering(policy: "warn" | "queue" | "refuse", onWait: () => void = () => {}) {
  const said: string[] = [];
  const leave = await enterFolder("job-2", join(folder, "project"), {
    policy,
    signal: new AbortController().signal,
    warn: (message) => said.push(message),
    async waits(behind, message) {
      said.push(`${behind}: ${message}`);
      onWait();
    },
  });
  return { leave, said };
}

it.each([
  ["/a", "/a", true],
  ["/a", "/a/b", true],
  ["/a/b/c", "/a", true],
  ["/", "/a", true],
  ["/a", "/ab", false],
  ["/a/b", "/a/c", false],
])("jobs in %s and %s are in each other's way: %s", (one, other, isSo) => {
  expect(meet({ folder: one }, { folder: other })).toBe(isSo);
});

it("jobs in two folders of one checkout are in each other's way, and those of two checkouts are not", () => {
  expect(meet({ folder: "/a/b", top: "/a" }, { folder: "/a/c", top: "/a" })).toBe(true);
  expect(meet({ folder: "/a/b", top: "/a/b" }, { folder: "/a/c", top: "/a/c" })).toBe(false);
});

describe("a job that wants to work in a folder", () => {
  it("is on record while it does, and leaves nothing", async () => {
    const { leave, said } = await entering("refuse");
    expect(said).toEqual([]);
    expect(existsSync(join(records(), "job-2.json"))).toBe(true);
    leave();
    expect(readdirSync(records())).toEqual([]);
  });

  it("hears of another one there, and of one below it", async () => {
    const path = atWork("job-1", "project");
    expect((await entering("warn")).said).toEqual([
      expect.stringContaining(`job-1 works in ${join(folder, "project")} (process ${process.pid}), too`),
    ]);
    rmSync(path);
    atWork("job-3", "project/part");
    expect((await entering("warn")).said).toEqual([expect.stringContaining("job-3")]);
  });

  it("is refused where the user wants that, and not because of a job whose process is dead", async () => {
    const path = atWork("job-1", "project");
    await expect(entering("refuse")).rejects.toMatchObject({
      name: "WorkspaceTaken",
      message: expect.stringContaining("on_folder_busy: refuse"),
    });
    expect(existsSync(join(records(), "job-2.json"))).toBe(false);
    atWork("job-1", "project", { ...thisProcess(), boot: "an earlier boot" });
    await entering("refuse");
    expect(existsSync(path)).toBe(false);
  });

  it("waits where the user wants that, until the other has ended", async () => {
    const path = atWork("job-1", "project");
    const { said } = await entering("queue", () => rmSync(path));
    expect(said).toEqual([expect.stringMatching(/^job-1: job-1 works in .* This job waits/)]);
    expect(existsSync(join(records(), "job-2.json"))).toBe(true);
  });

  it("does not wait for the job whose agent started it, which waits for it", async () => {
    atWork("job-1", "project");
    vi.stubEnv("BATON_JOB_ID", "job-1");
    expect((await entering("queue")).said).toEqual([]);
  });

  it("leaves the record to the process that has its job since", async () => {
    const { leave } = await entering("warn");
    const path = atWork("job-2", "project", { ...thisProcess(), pid: 1 });
    leave();
    expect(existsSync(path)).toBe(true);
  });

  it("does its work where a warning cannot be had, and does not where it must be alone", async () => {
    mkdirSync(join(folder, "state", "baton"), { recursive: true });
    writeFileSync(records(), "in the way");
    expect((await entering("warn")).said).toEqual([]);
    await expect(entering("queue")).rejects.toThrow();
  });
});
