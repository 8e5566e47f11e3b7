import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { appendixName } from "./appendix/appendix.ts";
import { storeDocument } from "./library.ts";

const created = new Date(2026, 10, 15, 20, 5, 9);

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-library-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe("a stored document", () => {
  it("has the time in its name and nothing beside it", async () => {
    const dir = join(await createFolder(), "deep", "er");
    const path = await storeDocument({ dir }, created, "text\n");
    expect(basename(path)).toBe("handoff-2026-11-15-200509.md");
    expect(await readFile(path, "utf8")).toBe("text\n");
    expect(await readdir(dir)).toEqual([basename(path)]);
  });

  it("never takes the place of another from the same second", async () => {
    const dir = await createFolder();
    const texts = Array.from({ length: 20 }, (_, index) => `document ${index}\n`);
    const paths = await Promise.all(texts.map((text) => storeDocument({ dir }, created, text)));
    expect(new Set(paths).size).toBe(texts.length);
    expect(await Promise.all(paths.map((path) => readFile(path, "utf8")))).toEqual(texts);
    expect(await readdir(dir)).toHaveLength(texts.length);
  });

  it("has what it has no room for beside it, once, however often it is stored", async () => {
    const dir = await createFolder();
    const appendix = { name: appendixName("2026-11-15-200509", "session/1", "long\n"), text: "long\n" };
    await storeDocument({ dir }, created, "text\n", appendix);
    await storeDocument({ dir }, created, "text\n", appendix);
    expect(await readdir(dir)).toEqual([
      appendix.name,
      "handoff-2026-11-15-200509-2.md",
      "handoff-2026-11-15-200509.md",
    ]);
    expect(await readFile(join(dir, appendix.name), "utf8")).toBe("long\n");
  });

  it("is whole or not there when the process is killed", async () => {
    const dir = await createFolder();
    const script = join(dir, "..", `${basename(dir)}.mjs`);
    onTestFinished(() => rm(script, { force: true }));
    const text = `${"x".repeat(3_000_000)}\nend\n`;
    await writeFile(
      script,
      `import { storeDocument } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, "library.ts")).href)};
       const text = "x".repeat(3_000_000) + "\\nend\\n";
       for (;;) { await storeDocument({ dir: process.argv[2] }, new Date(), text); console.log("stored"); }`,
    );
    for (let stored = 1; stored <= 4; stored++) {
      const writer = spawn(process.execPath, [script, dir], { stdio: ["ignore", "pipe", "inherit"] });
      const lines = createInterface({ input: writer.stdout });
      for (let heard = 0; heard < stored; heard++) await once(lines, "line");
      writer.kill("SIGKILL");
      await once(writer, "close");
    }
    const documents = (await readdir(dir)).filter((name) => name.endsWith(".md"));
    expect(documents.length).toBeGreaterThan(4);
    for (const name of documents) expect((await readFile(join(dir, name), "utf8")) === text, name).toBe(true);
  });
});
