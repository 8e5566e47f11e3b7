import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCycle } from "../src/sessions/handoff/cycle.ts";
import { clearing, takenUp } from "../src/sessions/record/handoff-state.ts";
import type { OwnSession } from "../src/sessions/record/session.ts";
import { aHandoff } from "./a-handoff.ts";
import {
  aStoredHandoff,
  cycle,
  documentOf,
  type HandedOff,
  handedOff,
  handoffFiles,
  onRecord,
  soon,
  talk,
} from "./handed-off-session.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { pluginFolder, session as registered, withPlugin } from "./own-plugin.ts";
import { anOwnSession, claudeCommand, eventually, registryOf } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

/** A session in a pane, with hooks, whose handoff is on disk. */
async function stored(): Promise<HandedOff> {
  const own = await withPlugin("", { scenario: talk });
  await own.screen.says("What about the shed?");
  await own.screen.shows("The shed is old.");
  await own.screen.waits();
  const { id } = await registered(own, "the session", ({ figure }) => figure !== null);
  const handoff = await aStoredHandoff(own.project, id);
  const session = await registryOf(own.project).update(id, (known) => known && { ...known, handoff });
  if (!session) throw new Error("nothing is on record");
  return { ...own, session };
}

function isIn(open: HandedOff, state: NonNullable<OwnSession["handoff"]>["state"]): Promise<true> {
  return eventually(state, async () => (await onRecord(open))?.handoff?.state === state);
}

/** Records what is there right before the keys are sent. */
async function isAboutToClear({ project, session }: HandedOff): Promise<void> {
  await registryOf(project).update(
    session.id,
    (known) => known && { ...known, handoff: clearing(known.handoff, new Date().toISOString()) ?? null },
  );
}

const crashes: [string, (open: HandedOff) => Promise<void>][] = [
  [
    "while it waits for the prompt",
    async (open) => {
      const { screen } = open;
      await screen.types("half a thought");
      await screen.shows("❯ half a thought");
      const running = new Baton(open.project, ["internal", "cycle", open.session.id, "--json"]);
      await eventually("that it waits", async () => {
        const { handoff } = (await onRecord(open)) ?? {};
        return handoff?.state === "stored" && handoff.waitsFor === "written";
      });
      await running.kill();
      await screen.presses("C-u");
    },
  ],
  ["as soon as the clearing is on record", isAboutToClear],
  [
    "with /clear at the prompt and not sent",
    async (open) => {
      await isAboutToClear(open);
      await open.screen.types("/clear");
      await open.screen.shows("❯ /clear");
    },
  ],
  [
    "right after /clear was sent",
    async (open) => {
      await isAboutToClear(open);
      await open.screen.types("/clear");
      await open.screen.presses("Enter");
    },
  ],
  [
    "when the next session has the document, and before it is told to go on",
    async (open) => {
      await isAboutToClear(open);
      await open.screen.types("/clear");
      await open.screen.presses("Enter");
      await isIn(open, "taken-up");
    },
  ],
];

describe("a crash while a pane is being cleared", () => {
  it.each(crashes)("loses nothing %s", async (_when, crash) => {
    const open = await stored();
    await crash(open);
    expect(await readFile(open.session.handoff?.documentPath ?? "", "utf8")).toBe(
      documentOf(open.session.id),
    );
    const { outcome, successor } = await cycle(open);
    expect(outcome).toBe("taken-up");
    await open.screen.shows("I buy paint.");
    const all = await registryOf(open.project).list();
    expect(all.map(({ id, parent }) => [id, parent])).toEqual([
      [successor, open.session.id],
      [open.session.id, null],
    ]);
    const told = open.project.simulator.requests.filter(
      ({ request }) => request.kind === "main" && request.last.includes("Continue the work"),
    );
    expect(told).toHaveLength(1);
    expect(told[0]?.request.text).toContain("Paint the shed green.");
  });
});

it("waits for the session that a clear by hand has begun, which its hook has not told of yet", async () => {
  const { project, session, screen } = await handedOff();
  await screen.types("half a thought");
  await screen.shows("❯ half a thought");
  const registry = registryOf(project);
  const { documentPath = "" } = session.handoff ?? {};
  const at = new Date().toISOString();
  /** After the clear, what the cycle looks at is as the hook of the end left it; at its third look, that of the start has run. */
  let looks = 0;
  const find = registry.find.bind(registry);
  registry.find = async (id) => {
    const known = await find(id);
    if (!known?.ended || ++looks !== 3) return known;
    const next = anOwnSession(project, "next", { parent: id, pane: screen.pane });
    await registry.update(next.id, () => next);
    const handoff = takenUp(known.handoff, { successor: next.id, documentPath, at });
    return registry.update(id, (now) => now && { ...now, handoff });
  };
  const cycled = runCycle(session.id, {
    registry,
    handoff: { dir: join(documentPath, ".."), autoContinue: true },
    elsewhere: { window: async () => undefined, job: () => expect.fail("it has a pane") },
    notify: async () => {},
  });
  await eventually("that it waits", async () => {
    const { handoff } = (await find(session.id)) ?? {};
    return handoff?.state === "stored" && handoff.waitsFor === "written";
  });
  await registry.update(session.id, (known) => known && { ...known, ended: { at, reason: "clear" } });
  await screen.presses("C-u");
  expect(await cycled).toMatchObject({ outcome: "taken-up", successor: "next" });
});

describe("a person who starts again in the pane where their session was killed", () => {
  /** Another program of the same kind in the same pane. */
  async function killedAndStartedAgain({ screen, tmux }: Pick<HandedOff, "screen" | "tmux">): Promise<void> {
    process.kill(await screen.pid(), "SIGKILL");
    const isDead = async () =>
      (await tmux.run("display-message", "-p", "-t", screen.id, "#{pane_dead}")) === "1";
    await eventually("its end", isDead);
    const words = [
      "--model",
      "claude-sonnet-4-5",
      "--dangerously-skip-permissions",
      "--plugin-dir",
      pluginFolder,
    ];
    await tmux.run("respawn-pane", "-t", screen.id, "--", ...claudeCommand(), ...words);
    await screen.waits();
  }

  it("is told at once of the document that it had stored", async () => {
    const open = await stored();
    await killedAndStartedAgain(open);
    await open.screen.shows(
      /was killed after it had stored handoff 1:\s+\S+\. \/baton:continue\s+picks\s+it\s+up/,
    );
    await isIn(open, "pending");
    await open.screen.says("What now?");
    await open.screen.shows("The shed is old.");
    const { request } =
      open.project.simulator.requests.findLast(({ request }) => request.kind === "main") ?? {};
    expect(request?.text).toContain("Do not pick it up unasked.");
  });

  it("is told how to resume it where it was in the middle of its turn", async () => {
    const scenario = { ...talk, otherwise: { say: "Well", fault: { kind: "stall", at: "start" } } } as const;
    const own = await withPlugin("", { scenario });
    await own.screen.says("What about the shed?");
    await own.project.simulator.waitFor(({ reply }) => reply?.fault?.kind === "stall");
    const { id } = await registered(own, "the session", () => true);
    await killedAndStartedAgain(own);
    const told = `The session before this one in this pane was killed in the middle of its turn. \`claude --resume ${id}\` continues it.`;
    const screen = await own.screen.shows(/claude --resume/);
    expect(screen.replace(/\s+/g, " ")).toContain(told);
  });
});

describe("a crash while the next session is being started elsewhere", () => {
  async function clearingElsewhere(more: { successor?: string } = {}) {
    const folder = await mkdtemp(join(tmpdir(), "baton-no-server-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const project = await testProject({ scenario: talk, env: { TMUX_TMPDIR: folder } });
    const stored = await aStoredHandoff(project, "in-a-plain-terminal");
    const handoff = aHandoff("clearing", { ...stored, state: "clearing", ...more });
    const session = anOwnSession(project, "in-a-plain-terminal", { handoff });
    await registryOf(project).update(session.id, () => session);
    return { project, session };
  }

  it("leaves the handoff to a person where nothing was started", async () => {
    const open = await clearingElsewhere();
    expect(await cycle(open, ...soon)).toMatchObject({ outcome: "pending" });
    expect(await handoffFiles(open.project)).toContain("HANDOFF_PENDING.md");
  });

  it("does not do the work a second time where a job was started", async () => {
    const open = await clearingElsewhere();
    const document = open.session.handoff?.documentPath ?? "";
    const { events } = await baton(open.project, ["continue", document, "--yes", "--json"]);
    expect(await cycle(open, ...soon)).toEqual({ outcome: "taken-up", successor: events[0]?.job });
    const { stdout } = await baton(open.project, ["jobs", "--json"]);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  it("leaves the handoff to a person where the window never showed a sign of life", async () => {
    const open = await clearingElsewhere({ successor: randomUUID() });
    expect(await cycle(open, ...soon)).toMatchObject({ outcome: "pending" });
  });
});
