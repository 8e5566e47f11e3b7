import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { note } from "../record/mail.ts";
import { Registry } from "../record/registry.ts";
import { newSession, type OwnSession } from "../record/session.ts";
import { newsOf } from "./news.ts";

async function registryWith(more: Partial<OwnSession>): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), "baton-news-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = new Registry(folder);
  const known = { id: "s1", cwd: "/p", project: "/p", startedAt: "2026-01-01T00:00:00.000Z" };
  await registry.update("s1", () => newSession({ ...known, ...more }));
  return registry;
}

it("holds a stop up until there is something to tell, and tells it once", async () => {
  const registry = await registryWith({ handoff: aHandoff("stored", { documentPath: "/h.md" }) });
  const told = newsOf("s1", registry);
  await note(registry, "s1", "It continues elsewhere.");
  expect(await told).toBe("It continues elsewhere.");
  expect((await registry.find("s1"))?.mail).toEqual([]);
});

it("lets a person who has said more continue at once", async () => {
  const registry = await registryWith({
    handoff: aHandoff("stored", { documentPath: "/h.md", wentOn: true }),
  });
  expect(await newsOf("s1", registry, Number.POSITIVE_INFINITY)).toBe(
    "Handoff 1 is stored: /h.md. You have said more, so this session does that first, and hands over again.",
  );
});

it("says where the document is where nothing more is known in time", async () => {
  const registry = await registryWith({ handoff: aHandoff("stored", { documentPath: "/h.md" }) });
  expect(await newsOf("s1", registry, 0)).toContain(
    "/h.md. What becomes of it you are told at your next prompt.",
  );
});
