import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { Registry } from "../record/registry.ts";
import { newSession } from "../record/session.ts";
import { readPending, writePending } from "./pending.ts";
import { dismiss, pickedUpByJob } from "./waiting.ts";

async function thatWaits() {
  const folder = await mkdtemp(join(tmpdir(), "baton-waiting-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [registry, dir] = [new Registry(join(folder, "sessions")), join(folder, "handoffs")];
  await mkdir(registry.folder);
  const document = join(dir, "handoff-1.md");
  const startedAt = "2026-01-01T00:00:00.000Z";
  const handoff = aHandoff("pending", { documentPath: document });
  await registry.update("s1", () => newSession({ id: "s1", cwd: "/p", project: "/p", startedAt, handoff }));
  await writePending({ dir }, { document, number: 1, session: "s1", created: startedAt, reason: "of that" });
  await writeFile(document, "# Handoff");
  return { registry, place: { dir }, document };
}

it("waits no more once a job continues from it", async () => {
  const waiting = await thatWaits();
  await pickedUpByJob(waiting, "job-1");
  expect(await readPending(waiting.place.dir)).toEqual([]);
  expect((await waiting.registry.find("s1"))?.handoff).toMatchObject({
    state: "taken-up",
    successor: "job-1",
  });
});

it("leaves a handoff alone that the session has made since", async () => {
  const waiting = await thatWaits();
  const newer = aHandoff("stored", { number: 2, documentPath: "/two.md" });
  await waiting.registry.update("s1", (known) => known && { ...known, handoff: newer });
  expect(await dismiss(waiting)).toBe(true);
  expect(await dismiss(waiting)).toBe(false);
  expect((await waiting.registry.find("s1"))?.handoff).toEqual(newer);
});
