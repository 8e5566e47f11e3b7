import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type Pending, readPending, removePending, writePending } from "./pending.ts";

async function handoffDir(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-pending-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "handoffs");
}

const pending: Pending = {
  document: "/project/.baton/handoffs/handoff-2026-01-21-143045.md",
  number: 3,
  session: "one",
  created: "2026-01-21T14:30:45.000Z",
  reason: 'it could not be cleared: "half" is written\nat its prompt: yes',
};

it("is read as it was written, whatever the reason holds", async () => {
  const dir = await handoffDir();
  expect(await readPending(dir)).toBeUndefined();
  await writePending(dir, pending);
  expect(await readPending(dir)).toEqual(pending);
});

it("goes when its document was used, and stays where a newer one waits", async () => {
  const dir = await handoffDir();
  await writePending(dir, pending);
  const newer = { ...pending, document: "/project/newer.md", number: 4 };
  await writePending(dir, newer);
  expect(await removePending(dir, pending.document)).toBe(false);
  expect(await readPending(dir)).toEqual(newer);
  expect(await removePending(dir, newer.document)).toBe(true);
  expect(await readdir(dir)).toEqual([]);
});
