import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/job-worktree.ts";
import { clearAbandoned } from "./abandoned-lock.ts";

const atOnce = async () => {};

describe.runIf(process.platform === "linux")("a lock in a worktree", () => {
  it("is moved out of the way when its git is gone, and kept beside", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "index.lock");
    await writeFile(path, "half an index");
    expect(await clearAbandoned(path, folder, atOnce)).toEqual({ path, isCleared: true });
    expect(await readFile(`${path}.abandoned`, "utf8")).toBe("half an index");
    expect(await clearAbandoned(path, folder, atOnce)).toBeUndefined();
  });

  it("stays when it changes meanwhile: somebody is at work", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "index.lock");
    await writeFile(path, "");
    const grows = () => writeFile(path, "more");
    expect(await clearAbandoned(path, folder, grows)).toEqual({ path, isCleared: false });
    expect(await readFile(path, "utf8")).toBe("more");
  });
});
