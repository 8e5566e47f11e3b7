import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bringFiles, keepFiles } from "./attachments.ts";

it("replaces what an agent put in the place of a file, and never writes through it", async () => {
  const base = mkdtempSync(join(tmpdir(), "baton-attachments-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const [root, job] = ["root", "job"].map((name) => mkdtempSync(join(base, name))) as [string, string];
  const attachments = {
    ...{ enabled: true, maxBytes: 1_000, maxFiles: 5, types: ["text/*"], folder: ".chat-attachments" },
    cleanUp: true,
  };
  const file = {
    ...{ name: "notes.txt", type: "text/plain", bytes: 8 },
    read: async () => Buffer.from("buy milk"),
  };
  const words = await keepFiles(root, {
    ...{ conversation: "C1", event: "E1", attachments, files: [file], named: [file] },
    signal: AbortSignal.timeout(10_000),
  });
  const path = join(job, /attached: (\S+)\)/.exec(words)?.[1] ?? "");
  await bringFiles(root, "C1", job, attachments);
  expect(readFileSync(path, "utf8")).toBe("buy milk");
  const elsewhere = join(base, "elsewhere");
  writeFileSync(elsewhere, "mine");
  rmSync(path);
  symlinkSync(elsewhere, path);
  // The next message in the thread brings what is still wanted once more.
  await bringFiles(root, "C1", job, attachments);
  expect(readFileSync(elsewhere, "utf8")).toBe("mine");
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(path, "utf8")).toBe("buy milk");
  expect(readdirSync(join(path, ".."))).toEqual(["1-notes.txt"]);
});
