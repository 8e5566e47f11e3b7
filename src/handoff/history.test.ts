import { mkdtemp, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { DAY_MS } from "../util/time.ts";
import { appendixName } from "./appendix/appendix.ts";
import { parseDocument } from "./document.ts";
import { archiveDocument, deleteExpired, findAppendix } from "./history.ts";
import { storeDocument } from "./library.ts";

const created = new Date(2026, 0, 15, 20, 5, 9);
const later = new Date(created.getTime() + 100 * DAY_MS);
const text = "All that the user said.\n";
const name = appendixName("2026-01-15-200509", "s/1", text);
const document = (appendix = name) =>
  `---\njob: null\nsession: s\nnumber: 1\ncreated: ${created.toISOString()}\nappendix: ${appendix}\n---\n\n## Goal\n\nIt\n`;

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-history-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

beforeEach(async () => {
  vi.stubEnv("XDG_STATE_HOME", await createFolder());
});

async function stored() {
  const dir = await createFolder();
  const path = await storeDocument({ dir }, created, document(), { name, text });
  return { dir, path, archive: join(dir, "archive") };
}

const { head } = parseDocument(document());

async function age(...paths: string[]): Promise<void> {
  for (const path of paths) await utimes(path, created, created);
}

describe("what stands beside a document", () => {
  it("goes to the archive with it, and is found there", async () => {
    const { dir, path, archive } = await stored();
    expect(await findAppendix(path, head)).toBe(join(dir, name));
    const place = await archiveDocument(path);
    expect((await readdir(archive)).sort()).toEqual([name, basename(path)]);
    expect(await readdir(dir)).toEqual(["archive"]);
    expect(await findAppendix(place, head)).toBe(join(archive, name));
  });

  it("is found where a move was cut off between the two", async () => {
    const { dir, path, archive } = await stored();
    const place = await archiveDocument(path);
    await rename(place, path);
    expect(await findAppendix(path, head)).toBe(join(archive, name));
    await archiveDocument(path);
    await rename(join(archive, name), join(dir, name));
    expect(await findAppendix(place, head)).toBe(join(dir, name));
  });

  it("is deleted with it, and not before", async () => {
    const { path, archive } = await stored();
    const place = await archiveDocument(path);
    await age(place, join(archive, name));
    expect(await deleteExpired(join(archive, ".."), 120, later)).toEqual([]);
    expect(await readdir(archive)).toHaveLength(2);
    expect(await deleteExpired(join(archive, ".."), 90, later)).toEqual([place]);
    expect(await readdir(archive)).toEqual([]);
  });

  it("is deleted by itself where a crash left no document, and never where Baton did not write it", async () => {
    const { dir, path } = await stored();
    await rm(path);
    const foreign = name.replace(/-[0-9a-f]+\.txt$/, "-0123456789ab.txt");
    await writeFile(join(dir, foreign), "somebody's own");
    await deleteExpired(dir, 90, new Date());
    expect(await readdir(dir)).toHaveLength(2);
    await age(join(dir, name), join(dir, foreign));
    await deleteExpired(dir, 90, later);
    expect(await readdir(dir)).toEqual([foreign]);
  });

  it.each(["../secret.txt", "/etc/passwd", "notes.txt"])(
    "is nothing that a document names %s",
    async (named) => {
      const { dir, path } = await stored();
      await writeFile(join(dir, "notes.txt"), "mine");
      expect(await findAppendix(path, { appendix: named })).toBeUndefined();
    },
  );
});
