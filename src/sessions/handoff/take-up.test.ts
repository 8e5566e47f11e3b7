import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import type { SessionHandoff } from "../record/handoff-state.ts";
import { Registry } from "../record/registry.ts";
import { newSession } from "../record/session.ts";
import { takeUp } from "./take-up.ts";

const at = "2026-01-01T10:00:00.000Z";

/** The author of a document, whose handoff stands like this, and one that picks the document up. */
async function takenUp(handoff: (path: string) => SessionHandoff) {
  const home = await mkdtemp(join(tmpdir(), "baton-take-up-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const path = join(home, "one.md");
  const text = "---\nnumber: 1\nsession: author\n---\n\n## Goal\n\nPaint.\n";
  await writeFile(path, text);
  const registry = new Registry(join(home, "sessions"));
  const own = (id: string) => newSession({ id, cwd: home, project: home, startedAt: at });
  const mail = [{ from: "w", text: "done", at }];
  await registry.update("author", () => ({ ...own("author"), handoff: handoff(path), mail }));
  await registry.update("taker", () => own("taker"));
  const got = await takeUp(registry, own("taker"), { path, text }, home);
  return { author: await registry.find("author"), taker: await registry.find("taker"), got };
}

it("marks a handoff as picked up, and brings its mail along", async () => {
  const { author, taker, got } = await takenUp((documentPath) => aHandoff("pending", { documentPath }));
  expect(author).toMatchObject({ mail: [], handoff: { state: "taken-up", successor: "taker" } });
  expect(taker).toMatchObject({ parent: "author" });
  expect(got).toMatchObject([{ text: "done" }]);
});

it.each([
  [
    "that has written another document since",
    () => aHandoff("stored", { documentPath: "/two.md", number: 2 }),
  ],
  [
    "that is being asked for its next one",
    (documentPath: string) => aHandoff("asked", { documentPath, number: 2 }),
  ],
])("leaves a session its work %s", async (_what, handoff) => {
  let before: SessionHandoff | undefined;
  const { author, taker, got } = await takenUp((path) => {
    before = handoff(path);
    return before;
  });
  expect(author).toMatchObject({ mail: [{ text: "done" }], handoff: before });
  expect(taker).toMatchObject({ parent: "author" });
  expect(got).toEqual([]);
});
