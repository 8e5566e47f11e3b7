import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { SessionHandoff } from "../src/sessions/record/handoff-state.ts";
import { Registry } from "../src/sessions/record/registry.ts";
import { newSession, type OwnSession } from "../src/sessions/record/session.ts";
import { checkTimes } from "../src/sessions/watch/check-times.ts";
import { Watch } from "../src/sessions/watch/watch.ts";
import type { WatchSettings } from "../src/sessions/watch/watch-decision.ts";
import { aHandoff } from "./a-handoff.ts";
import { needs } from "./needs.ts";
import { eventually, identity, Tmux } from "./panes.ts";

const rule = "─".repeat(60);
const FULL = "  context: 190.0k tokens (95%)";
const SPINNER = "✽ Thinking… (5s)";

const settings: WatchSettings = {
  enabled: true,
  threshold: { kind: "remaining", fraction: 0.1 },
  warnAt: [],
  stallMs: 60 * 60_000,
  orchestrator: { checkIntervalMs: 1, message: "Check.", threshold: { kind: "tokens", tokens: 100_000 } },
};

/** Every state of the handoff that went on record. */
class Recorded extends Registry {
  readonly states: (SessionHandoff["state"] | undefined)[] = [];

  override async update(...[id, change]: Parameters<Registry["update"]>) {
    return super.update(id, async (known) => {
      const after = await change(known);
      if (after) this.states.push(after.handoff?.state);
      return after;
    });
  }
}

const said = (text: string) =>
  `${JSON.stringify({ type: "user", message: { role: "user", content: text } })}\n`;
const answer = (text: string) => {
  const message = { id: "msg", model: "other", content: [{ type: "text", text }] };
  return `${JSON.stringify({ type: "assistant", message })}\n`;
};

/** A session in a pane that shows the prompt of Claude Code as it is drawn here, and does not show what is typed. */
async function aPane(
  conversation: string,
  { footer = FULL, ...more }: Partial<OwnSession> & { footer?: string },
) {
  needs("tmux");
  const folder = await mkdtemp(join(tmpdir(), "baton-watch-pane-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const tmux = await Tmux.start({ env: { PATH: process.env.PATH ?? "", LANG: "C.UTF-8" } });
  const screen = await tmux.open(folder, "cat");
  const draw = async (state: "empty" | "working") => {
    const above = state === "working" ? SPINNER : "● Done.";
    await writeFile(join(folder, "screen"), [above, "", rule, "❯ ", rule, footer, ""].join("\n"));
    const program = `stty -echo -icanon; cat ${join(folder, "screen")}; exec cat >${join(folder, "typed")}`;
    await tmux.run("respawn-pane", "-k", "-t", screen.id, "--", "sh", "-c", program);
    await eventually(`a prompt that is ${state}`, async () => (await screen.prompt()).state === state);
    const process = await identity(await screen.pid());
    await new Registry(join(folder, "sessions")).update("one", (known) => known && { ...known, process });
  };
  const registry = new Recorded(join(folder, "sessions"));
  const transcript = join(folder, "one.jsonl");
  await writeFile(transcript, conversation);
  const session = newSession({
    id: "one",
    cwd: folder,
    project: folder,
    transcript,
    pane: screen.pane,
    startedAt: new Date().toISOString(),
    ...more,
  });
  await registry.update("one", () => session);
  registry.states.length = 0;
  const heard: string[] = [];
  const stored: string[] = [];
  const watch = new Watch({
    registry,
    settingsOf: async () => settings,
    cycle: async () => {},
    writeFromFacts: async () => undefined,
    store: async (_session, text) => {
      stored.push(text.trim());
      return { isStored: false };
    },
    say: (_session, what) => heard.push(what),
    checks: await checkTimes(join(folder, "checks.json")),
  });
  const look = async () => {
    await watch.look();
    await watch.settled();
  };
  const typed = () => readFile(join(folder, "typed"), "utf8");
  return { draw, registry, heard, stored, watch, look, typed };
}

/** Was left to a person, who went on until the window was compacted. */
const earlier = aHandoff("pending", { outlived: true });

it("records no request while the session is at work", async () => {
  const { draw, registry, look, heard } = await aPane(said("Go."), { handoff: earlier });
  await draw("working");
  await look();
  await look();
  expect(new Set(registry.states)).toEqual(new Set(["pending"]));
  expect((await registry.find("one"))?.handoff).toEqual(earlier);
  expect(heard).toEqual([]);
});

it("forgets no handoff where the request could not be typed", async () => {
  const { draw, registry, look, heard } = await aPane(said("Go."), { handoff: earlier });
  await draw("empty");
  await look();
  expect(registry.states).toContain("asked");
  expect((await registry.find("one"))?.handoff).toEqual(earlier);
  expect(heard).toEqual([]);
});

it("stores an answer in words once the turn is over", async () => {
  const account = "## Goal\nA shed.\n## Progress\n- It stands.\n## Next steps\n- Paint it.";
  const asked = aHandoff("asked", { at: new Date().toISOString() });
  const { draw, look, stored } = await aPane(said("<handoff-request> Answer.") + answer(account), {
    handoff: asked,
  });
  await draw("working");
  await look();
  expect(stored).toEqual([]);
  await draw("empty");
  await look();
  expect(stored).toEqual([account]);
});

it("sends an orchestrator no message where it handed off while its prompt was waited for", async () => {
  const { draw, registry, watch, look, typed } = await aPane(said("Go."), {
    role: "orchestrator",
    startedAt: new Date(0).toISOString(),
    footer: "  ? for shortcuts",
  });
  const becomes = (handoff: SessionHandoff | null) =>
    registry.update("one", (session) => session && { ...session, handoff });
  await draw("working");
  await watch.look();
  await becomes(aHandoff("stored", { at: new Date().toISOString() }));
  await draw("empty");
  await watch.settled();
  expect(await typed()).toBe("");
  await becomes(null);
  await look();
  expect(await typed()).toContain("Check.");
});
