import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Registry } from "./registry.ts";
import { newSession } from "./session.ts";

const at = "2026-01-01T10:00:00.000Z";
const begun = { at, number: 2, trigger: "manual", focus: "the roof" };
const written = { ...begun, documentPath: "/d.md" };
const threshold = { trigger: "threshold" };

/** The record of a session with this handoff, as an earlier version left it on disk. */
async function onRecord(handoff: unknown) {
  const folder = mkdtempSync(join(tmpdir(), "baton-earlier-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const session = newSession({ id: "one", cwd: "/", project: "/", startedAt: at });
  const path = join(folder, "one.json");
  writeFileSync(path, JSON.stringify({ ...session, handoff }));
  const registry = new Registry(folder);
  const [listed] = await registry.list();
  const found = await registry.find("one");
  await registry.update("one", (known) => known && { ...known, warned: [50] });
  const { handoff: after } = JSON.parse(readFileSync(path, "utf8"));
  expect([listed?.handoff, after]).toEqual([found?.handoff, found?.handoff]);
  return found?.handoff;
}

it.each<[string, object]>([
  ["asked", { ...begun, state: "asked" }],
  ["asked after another", { ...written, state: "asked", again: ["the goal"], unanswered: true }],
  ["stored", { ...written, state: "stored" }],
  ["stored, and the person went on", { ...written, state: "stored", wentOn: true }],
  ["clearing", { ...written, state: "clearing" }],
  ["clearing elsewhere", { ...written, state: "clearing", successor: "next", wentOn: true, outlived: true }],
  ["pending", { ...written, state: "pending", reason: "why" }],
  ["pending after a try", { ...written, state: "pending", reason: "why", successor: "x", outlived: true }],
  ["failed", { ...written, state: "failed", reason: "why" }],
  ["failed after a try", { ...written, state: "failed", reason: "why", successor: "x", wentOn: true }],
  ["taken-up", { ...written, state: "taken-up", successor: "next" }],
  [
    "taken-up by a person",
    { ...written, state: "taken-up", successor: "next", reason: "why", wentOn: true, outlived: true },
  ],
])("a handoff that is %s is the same for every version", async (_what, handoff) => {
  expect(await onRecord(handoff)).toEqual(handoff);
});

it.each<[string, object, object | null]>([
  ["who wanted it", { state: "asked", at, number: 1 }, { state: "asked", at, number: 1, ...threshold }],
  [
    "which document was picked up",
    { state: "taken-up", at, number: 1, successor: "next" },
    { state: "taken-up", at, number: 1, successor: "next", ...threshold },
  ],
  [
    "why it waits",
    { ...written, state: "pending" },
    { ...written, state: "pending", reason: "no reason is on record" },
  ],
  ["its document", { ...begun, state: "stored" }, null],
  ["its document, while it is cleared", { ...begun, state: "clearing" }, null],
  ["its document, though it waits", { ...begun, state: "pending", reason: "why" }, null],
  ["who picked it up", { ...written, state: "taken-up" }, null],
  ["its state", { ...written, state: "lost" }, null],
  ["its number", { state: "asked", at }, null],
])("a handoff that lacks %s has its rule", async (_what, handoff, expected) => {
  expect(await onRecord(handoff)).toEqual(expected);
});

it("a handoff keeps nothing that was left over from another state", async () => {
  const left = { again: ["the goal"], unanswered: true, successor: "x", reason: "why", outlived: true };
  expect(await onRecord({ ...written, state: "stored", ...left })).toEqual({ ...written, state: "stored" });
  expect(await onRecord({ ...begun, state: "asked", wentOn: true, ...left })).toEqual({
    ...begun,
    state: "asked",
    again: ["the goal"],
    unanswered: true,
  });
});

it("a session without a handoff has none", async () => {
  for (const handoff of [null, undefined, "asked", []]) expect(await onRecord(handoff)).toBeNull();
});
