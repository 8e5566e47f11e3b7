import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { tidyDocuments } from "./archive.ts";
import { Registry } from "./registry.ts";
import { newSession, type OwnSession } from "./session.ts";

const NOW = new Date("2026-03-10T12:00:00.000Z");
const ago = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60_000).toISOString();

async function folderWith(sessions: Record<string, Partial<OwnSession>>) {
  const home = await mkdtemp(join(tmpdir(), "baton-archive-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const dir = join(home, "handoffs");
  await mkdir(dir);
  const registry = new Registry(join(home, "sessions"));
  for (const [id, more] of Object.entries(sessions)) {
    const documentPath = join(dir, `${id}.md`);
    const { handoff, ...rest } = more;
    if (handoff) await writeFile(documentPath, "A document.");
    const session = newSession({ id, cwd: home, project: home, startedAt: ago(9), ...rest });
    await registry.update(id, () => ({ ...session, handoff: handoff ? { ...handoff, documentPath } : null }));
  }
  await tidyDocuments(registry, { dir, retentionDays: 90 }, NOW);
  const archive = await readdir(join(dir, "archive")).catch(() => []);
  return { left: (await readdir(dir)).filter((name) => name !== "archive").sort(), archive: archive.sort() };
}

const ended = (days: number) => ({ at: ago(days), reason: "other" });
const taken = (successor: string) => aHandoff("taken-up", { at: ago(5), successor });

it("puts the documents of a chain away once its last session has long ended, and all of them", async () => {
  const sessions = {
    one: { ended: ended(5), handoff: taken("two") },
    two: { ended: ended(4), handoff: taken("three") },
    three: { ended: ended(2) },
  };
  expect(await folderWith(sessions)).toEqual({ left: [], archive: ["one.md", "two.md"] });
});

it("leaves a document alone whose work goes on, ended just now, or waits for somebody", async () => {
  const sessions = {
    open: { ended: ended(5), handoff: taken("at-work") },
    "at-work": { ended: null },
    fresh: { ended: ended(5), handoff: taken("done") },
    done: { ended: ended(0.5) },
    waits: { ended: ended(5), handoff: aHandoff("pending", { at: ago(5) }) },
  };
  expect(await folderWith(sessions)).toEqual({ left: ["fresh.md", "open.md", "waits.md"], archive: [] });
});
