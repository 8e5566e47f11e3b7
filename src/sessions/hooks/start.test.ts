import { expect, it } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { surroundings } from "../../agents/claude/own/surroundings.ts";
import type { OwnSession } from "../record/session.ts";
import { killedBefore, leftBehind, predecessorOf, startedRecord } from "./start.ts";
import { killedMessage, skillText, startContext } from "./start-texts.ts";

const settings = {
  enabled: true,
  attended: true,
  threshold: { kind: "used", percent: 70 },
  orchestratorThreshold: { kind: "tokens", tokens: 100_000 },
  warnAt: [],
  handoffDir: "/project/.baton/handoffs",
  stamp: "",
} as const;

function started(
  id: string,
  source: string,
  known?: OwnSession,
  env: Record<string, string> = {},
): OwnSession {
  return startedRecord(known, {
    input: { event: "start", session: id, source, cwd: "/project", transcript: `/${id}.jsonl` },
    around: surroundings({ TMUX: "/tmp/tmux/default,1,0", TMUX_PANE: "%3", ...env }),
    process: { pid: 7, startTime: "70" },
    project: "/project",
    settings,
    figured: { figure: null, reading: null },
    now: "2026-01-01T00:00:00.000Z",
  });
}

it("tells where a session runs", () => {
  expect(started("a", "startup")).toMatchObject({
    kind: "cli",
    pane: { socket: "/tmp/tmux/default", id: "%3" },
  });
  expect(started("a", "startup", undefined, { CLAUDE_CODE_ENTRYPOINT: "claude-vscode" }).kind).toBe("editor");
  expect(started("a", "startup", undefined, { CLAUDE_CODE_ENTRYPOINT: "remote" }).kind).toBe("browser");
  expect(started("a", "startup", undefined, { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }).pane).toBeNull();
  expect(started("a", "startup", undefined, { BATON_ROLE: "orchestrator" }).role).toBe("orchestrator");
});

it("keeps what is known of a session that is resumed, and begins its window again when it was compacted", () => {
  const known = { ...started("a", "startup"), warned: [50], handoff: aHandoff("asked"), parent: "z" };
  expect(started("a", "resume", known)).toMatchObject({
    warned: [50],
    handoff: { state: "asked" },
    parent: "z",
  });
  expect(started("a", "compact", known)).toMatchObject({ warned: [], handoff: null, parent: "z" });
});

it("can hand over again after a compaction, also where an earlier handoff still waits", () => {
  const known = { ...started("a", "startup"), handoff: aHandoff("pending", { wentOn: true }) };
  expect(started("a", "compact", known).handoff).toMatchObject({
    state: "pending",
    number: 1,
    outlived: true,
  });
  const stored = { ...known, handoff: aHandoff("stored") };
  expect(started("a", "compact", stored).handoff).toEqual(aHandoff("stored"));
});

it("does not give out a document that the person has gone on from", () => {
  const old = { ...started("old", "startup"), handoff: aHandoff("pending") };
  const next = started("next", "clear");
  expect(predecessorOf([old, next], next, "clear")).toMatchObject({ handedOver: true });
  const goneOn = { ...old, handoff: aHandoff("pending", { wentOn: true }) };
  expect(predecessorOf([goneOn, next], next, "clear")).toMatchObject({ handedOver: false });
});

it("finds handoffs of the project whose program is gone, and no others", () => {
  const now = { ...started("now", "startup"), seenAt: "2026-01-01T01:00:00.000Z" };
  const left = (id: string, more: Partial<OwnSession>): OwnSession => ({
    ...started(id, "startup"),
    pane: null,
    handoff: aHandoff("stored", { at: "2026-01-01T00:30:00.000Z" }),
    ...more,
  });
  const sessions = [
    now,
    left("stored", {}),
    left("clearing", { handoff: aHandoff("clearing", { at: "2026-01-01T00:30:00.000Z" }) }),
    left("at-work", {}),
    left("elsewhere", { project: "/other" }),
    left("young", { handoff: aHandoff("clearing", { at: "2026-01-01T00:59:30.000Z" }) }),
    left("taken", { handoff: aHandoff("taken-up", { at: "2026-01-01T00:30:00.000Z" }) }),
  ];
  expect(leftBehind(sessions, now, ({ id }) => id !== "at-work")).toEqual(["stored", "clearing"]);
});

it("hears of a session that was killed in its pane, and of no other", () => {
  const now = { ...started("now", "startup"), seenAt: "2026-01-01T01:00:00.000Z" };
  const old = { ...started("old", "startup"), seenAt: "2026-01-01T00:30:00.000Z" };
  const gone = () => true;
  expect(killedBefore([now, old], now, gone)?.id).toBe("old");
  expect(killedBefore([now, old], now, () => false)).toBeUndefined();
  const ended = (reason: string) => ({ ...old, ended: { at: old.seenAt, reason } });
  expect(killedBefore([now, ended("its process is gone")], now, gone)?.id).toBe("old");
  expect(killedBefore([now, ended("prompt_input_exit")], now, gone)).toBeUndefined();
  const later = { ...ended("clear"), id: "later", seenAt: "2026-01-01T00:40:00.000Z" };
  const others: Partial<OwnSession>[] = [
    { pane: { socket: "/tmp/tmux/default", id: "%9" } },
    { pane: null },
    { project: "/other" },
    { handoff: aHandoff("taken-up") },
  ];
  expect(killedBefore([now, old, later], now, gone)).toBeUndefined();
  for (const more of others) expect(killedBefore([now, { ...old, ...more }], now, gone)).toBeUndefined();
});

it("continues at once for a handoff whose pane another session has by now", () => {
  const now = { ...started("now", "startup"), seenAt: "2026-01-01T00:30:10.000Z" };
  const young = {
    ...started("young", "startup"),
    handoff: aHandoff("stored", { at: "2026-01-01T00:30:00.000Z" }),
  };
  expect(leftBehind([now, young], now, () => true)).toEqual(["young"]);
  const elsewhere = { ...young, pane: { socket: "/tmp/tmux/default", id: "%9" } };
  expect(leftBehind([now, elsewhere], now, () => true)).toEqual([]);
});

it("continues at once for a handoff that a session without a pane has stored", () => {
  const now = { ...started("now", "startup"), pane: null, seenAt: "2026-01-01T00:30:01.000Z" };
  const at = "2026-01-01T00:30:00.000Z";
  const stored = { ...started("old", "startup"), pane: null, handoff: aHandoff("stored", { at }) };
  expect(leftBehind([now, stored], now, () => true)).toEqual(["old"]);
  expect(leftBehind([now, stored], now, () => false)).toEqual([]);
  const beingStarted = { ...stored, handoff: aHandoff("clearing", { at }) };
  expect(leftBehind([now, beingStarted], now, () => true)).toEqual([]);
});

it("says what is left of a session that was killed", () => {
  const killed = { id: "one", inTurn: false, isResumable: true, isStored: false };
  const document = { number: 2, path: "/two.md" };
  expect(killedMessage({ ...killed, isStored: true, document })).toBe(
    "The session before this one in this pane was killed after it had stored handoff 2: /two.md. /baton:continue picks it up.",
  );
  expect(killedMessage({ ...killed, inTurn: true, document })).toBe(
    "The session before this one in this pane was killed in the middle of its turn. `claude --resume one` continues it. Its handoff 2, from before that, is in /two.md",
  );
});

it("follows after a clear the last session of its program, if that handed over", () => {
  const old = {
    ...started("old", "startup"),
    seenAt: "2026-01-01T00:00:01.000Z",
    handoff: aHandoff("clearing"),
  };
  const last = { ...started("last", "clear"), seenAt: "2026-01-01T00:00:02.000Z" };
  const next = started("next", "clear");
  expect(predecessorOf([old, next], next, "clear")).toEqual({ session: old, handedOver: true });
  expect(predecessorOf([old, last, next], next, "clear")).toEqual({ session: last, handedOver: false });
  expect(predecessorOf([old, next], next, "startup")).toBeUndefined();
  const elsewhere = { ...old, process: { pid: 7, startTime: "99" } };
  expect(predecessorOf([elsewhere, next], next, "clear")).toBeUndefined();
  const done = { ...old, handoff: aHandoff("taken-up", { successor: "x" }) };
  expect(predecessorOf([done, next], next, "clear")).toMatchObject({ handedOver: false });
});

it("follows the session that was to be followed by just this one, wherever it ran", () => {
  const old = {
    ...started("old", "startup"),
    process: null,
    pane: null,
    handoff: aHandoff("clearing", { successor: "next" }),
  };
  const next = started("next", "startup");
  expect(predecessorOf([old, next], next, "startup")).toEqual({ session: old, handedOver: true });
});

it("says what fits into a hook's answer, and has a longer document read", () => {
  const document = { path: "/one.md", text: "The document.", whole: "The document.", tag: "bcdfghjkmnpq" };
  const short = startContext(["The skill."], document);
  expect(short).toBe("The skill.\n\nThe document.");
  const text = "The document. ".repeat(2_000);
  const long = startContext(["The skill."], { ...document, text, whole: text });
  expect(long.length).toBeLessThan(10_000);
  expect(long).toContain("/one.md. It is too long to include here: read that file");
  expect(long).toContain("The document. The document.");
  expect(long.endsWith("</handoff-context-bcdfghjkmnpq>")).toBe(true);
});

it("leaves out of a skill what is for the program", () => {
  expect(skillText("---\nname: x\n---\n\n# Do it\n")).toBe("# Do it");
});
