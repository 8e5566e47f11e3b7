import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { documentOf } from "../src/sessions/record/handoff-questions.ts";
import type { OwnSession } from "../src/sessions/record/session.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { aHandoff } from "./a-handoff.ts";
import { handoffFiles } from "./handed-off-session.ts";
import { type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { bash, REQUEST } from "./one-handoff.ts";
import { pluginFolder, session, THRESHOLD, withPlugin } from "./own-plugin.ts";
import { claudeReady, identity, openClaude, registryOf, type Screen, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const ASKED = "Call the tool submit_handoff of the MCP server baton now";
const COMPACTED = "Before that, Baton stored handoff 1 of it";
const OUTPUT = "printf '%024000d\\n' 0; echo filled";

/** Talks, fills its window when it is told to, and does not hand off whoever asks. */
const talks: Scenario = {
  name: "talks",
  summary: "never hands off",
  factor: 8,
  otherwise({ last, text }) {
    if (last.includes(ASKED)) return { say: "Not now." };
    // With the end of this turn the next handoff would begin, and what is known of this one would be gone.
    if (text.includes(COMPACTED)) return { fault: { kind: "stall", at: "start" } };
    if (last.includes("filled") && text.includes("then look")) return { call: bash("echo looked") };
    if (last.includes("filled")) return { say: "It is full." };
    if (last.includes("Fill it")) return { call: bash(OUTPUT) };
    return { say: "I listen." };
  },
};

async function open(agent: string, env: Record<string, string> = {}) {
  needs("tmux");
  const project = await testProject({
    scenario: talks,
    agent,
    env: { BATON_NODE: process.execPath, ...env },
  });
  await claudeReady(project);
  const tmux = await Tmux.start(project);
  const screen = await openClaude(project, tmux, ["--plugin-dir", pluginFolder]);
  return { project, tmux, screen };
}

/** Says something, and waits for the answer to that and for the end of its turn. */
async function talk(screen: Screen, words: string, answer: string): Promise<void> {
  const before = count(await screen.text(), answer);
  await screen.says(words);
  await vi.waitUntil(async () => count(await screen.text(), answer) > before, {
    timeout: 45_000,
    interval: 50,
  });
  await screen.waits();
}

function count(text: string, part: string): number {
  return text.replaceAll(/\s+/g, " ").split(part).length - 1;
}

function mainRequests({ simulator }: TestProject) {
  return simulator.requests.filter(({ request }) => request.kind === "main");
}

it("registers a person's session, keeps the figure that the model was sent, and sees it end", {
  tags: ["claude"],
}, async () => {
  const own = await open("");
  const { project, screen } = own;
  const begun = await session(own, "a session", () => true);
  expect(begun).toMatchObject({
    kind: "cli",
    role: "single",
    cwd: project.folder,
    project: project.folder,
    pane: screen.pane,
    process: await identity(await screen.pid()),
    ended: null,
    figure: null,
  });

  await talk(screen, "Fill it", "It is full.");
  const { usage } = mainRequests(project).at(-1) ?? {};
  const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0 } = usage ?? {};
  const sent = input_tokens + cache_creation_input_tokens + cache_read_input_tokens;
  expect(sent).toBeGreaterThan(40_000);
  const known = await session(own, "its figure", ({ figure }) => figure?.turns === 2);
  expect(known.figure).toMatchObject({
    tokens: sent + (usage?.output_tokens ?? 0),
    window: 200_000,
    model: "claude-sonnet-4-5",
    source: "transcript",
  });

  await screen.says("/exit");
  const gone = await session(own, "its end", ({ ended }) => ended !== null);
  expect(gone).toMatchObject({ id: begun.id, ended: { reason: "prompt_input_exit" } });
});

it("says each warning level once", async () => {
  const own = await open("handoff: { notify_user_at: [20] }");
  const { screen } = own;
  await talk(screen, "Fill it", "It is full.");
  await talk(screen, "Go on", "I listen.");
  await talk(screen, "And on", "I listen.");
  expect(count(await screen.text(), "of the context window is used, and at this pace")).toBe(1);
  expect(await session(own, "the session", () => true)).toMatchObject({ warned: [20], handoff: null });
});

it("asks for a handoff at a natural stop, once, in words that a person can read", async () => {
  const own = await open(`session: { context_threshold: ${THRESHOLD} }`);
  const { project, screen } = own;
  await talk(screen, "Fill it", "Not now.");
  expect(await screen.text()).toMatch(/\d+% of the context window is used, so Baton hands this work over/);
  await talk(screen, "Go on", "I listen.");
  await talk(screen, "And on", "I listen.");
  const asked = mainRequests(project).filter(({ request }) => request.last.includes(ASKED));
  expect(asked).toHaveLength(1);
  const { handoff } = await session(own, "the session", () => true);
  expect(handoff).toMatchObject({ state: "asked", trigger: "threshold", number: 1 });
});

it("asks in the middle of a long turn where Claude Code would compact it before it stops", async () => {
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "160000" };
  const own = await open(`session: { context_threshold: ${THRESHOLD} }`, env);
  const { project, screen } = own;
  await talk(screen, "Fill it, then look", "Not now.");
  const asked = mainRequests(project).filter(({ request }) => request.last.includes(ASKED));
  expect(asked).toHaveLength(1);
  expect(asked[0]?.request.results.at(-1)?.text).toContain("looked");
  expect(await screen.text()).not.toContain("Stop hook error");
  expect((await session(own, "the session", () => true)).handoff).toMatchObject({
    state: "asked",
    number: 1,
  });
});

it("writes the document itself where the agent ignores the request, and says where it is after Claude Code has compacted", {
  tags: ["claude"],
}, async () => {
  const env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "110000" };
  const own = await open(`session: { context_threshold: ${THRESHOLD} }`, env);
  const { project, screen } = own;
  await talk(screen, "Never touch baton.yaml. Fill it", "Not now.");
  await screen.shows(/so Baton writes the document\s+from facts\./);
  const { handoff } = await session(
    own,
    "a document from facts",
    (known) => documentOf(known.handoff) !== undefined,
  );
  const document = await readFile(documentOf(handoff) ?? "", "utf8");
  expect(document).toContain("source: facts");
  expect(document).toContain("Never touch baton.yaml. Fill it");
  await screen.says("Fill it once more");
  await screen.shows(/This session was compacted\. What it held before that is in\s+handoff 1/);
  const compacted = ({ handoff }: OwnSession) => handoff?.state === "pending" && handoff.outlived === true;
  expect(await session(own, "the new window", compacted)).toMatchObject({
    handoff: { number: 1, wentOn: true },
  });
  await project.simulator.waitFor(
    ({ request }) => request.kind === "main" && request.text.includes(COMPACTED),
  );
});

it("gives the session after a clear the document that waits, also where a person clears", async () => {
  const agent = `session: { context_threshold: ${THRESHOLD} }\nhandoff: { auto_continue_cli: false }`;
  const own = await withPlugin(agent);
  const { project, screen } = own;
  await screen.says(`${REQUEST} Fill the window.`);
  const old = await session(own, "a handoff that waits", ({ handoff }) => handoff?.state === "pending");
  expect(await handoffFiles(project)).toContain("HANDOFF_PENDING.md");
  await screen.waits();
  await screen.says("/clear");
  await screen.shows("This session continues from handoff 1");
  await screen.says("Continue the work");
  await screen.shows("I write the second line.");
  const next = await session(own, "the next session", ({ parent }) => parent === old.id);
  expect((await registryOf(project).find(old.id))?.handoff).toMatchObject({
    state: "taken-up",
    successor: next.id,
  });
  expect(await handoffFiles(project)).not.toContain("HANDOFF_PENDING.md");
});

it("tells a new session of a handoff that waits in its project, and leaves it to the person", async () => {
  needs("tmux");
  const project = await testProject({ scenario: talks, env: { BATON_NODE: process.execPath } });
  await claudeReady(project);
  const { writePending } = await import("../src/sessions/handoff/pending.ts");
  const folder = join(project.folder, ".baton", "handoffs");
  const document = join(folder, "handoff-1.md");
  const waiting = {
    document,
    number: 4,
    session: "old",
    created: "2026-01-21T10:00:00.000Z",
    reason: "of that",
  };
  await writePending({ dir: folder }, waiting);
  const { newSession } = await import("../src/sessions/record/session.ts");
  const startedAt = new Date().toISOString();
  const place = { cwd: project.folder, project: project.folder, startedAt };
  const handoff = aHandoff("pending", { documentPath: document, number: 4 });
  await registryOf(project).update("old", () => newSession({ id: "old", ...place, handoff }));
  const screen = await openClaude(project, await Tmux.start(project), ["--plugin-dir", pluginFolder]);
  await screen.shows("Handoff 4 waits in this project");
  await talk(screen, "Hello", "I listen.");
  expect(mainRequests(project).at(-1)?.request.text).toContain(
    "handoff 4 of 2026-01-21 waits to be picked up",
  );
  expect(await handoffFiles(project)).toContain("HANDOFF_PENDING.md");
});

it("brings an orchestrator its instructions back after every clear", async () => {
  const own = await open("");
  const { project, screen } = own;
  await talk(screen, "/baton:orchestrator two workers", "I listen.");
  expect(await session(own, "its role", () => true)).toMatchObject({ role: "orchestrator" });
  for (const words of ["Hello", "Hello again"]) {
    await screen.says("/clear");
    await vi.waitUntil(async () => !(await screen.text()).includes("I listen."), {
      timeout: 45_000,
      interval: 50,
    });
    await talk(screen, words, "I listen.");
    const { request } = mainRequests(project).at(-1) ?? {};
    expect(request?.text).toContain("You orchestrate workers");
    expect(request?.text).not.toContain("two workers");
  }
});

it("lets a session go on whose hooks cannot record anything", async () => {
  const nowhere = join(import.meta.dirname, "own-hooks.test.ts");
  const { project, screen } = await open("", { XDG_STATE_HOME: nowhere });
  await talk(screen, "Fill it", "It is full.");
  await talk(screen, "Go on", "I listen.");
  expect(await screen.text()).not.toMatch(/hook.*(?:error|failed)/i);
  expect(mainRequests(project)).toHaveLength(3);
});

it("holds to the configuration as it is at the next prompt", async () => {
  const own = await open("handoff: { notify_user_at: [90] }");
  const { project, screen } = own;
  await talk(screen, "Fill it", "It is full.");
  const path = join(project.folder, "baton.yaml");
  await writeFile(path, (await readFile(path, "utf8")).replace("[90]", "[15]"));
  await talk(screen, "Go on", "I listen.");
  expect(await session(own, "a warning", ({ warned }) => warned.length > 0)).toMatchObject({ warned: [15] });
});
