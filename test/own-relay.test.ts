import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { successorOf } from "../src/sessions/record/handoff-questions.ts";
import { asked } from "../src/sessions/record/handoff-state.ts";
import { handoffFiles } from "./handed-off-session.ts";
import { baton } from "./harness.ts";
import { needs } from "./needs.ts";
import { REQUEST } from "./one-handoff.ts";
import { session, THRESHOLD, timesSaid, withPlugin } from "./own-plugin.ts";
import { registryOf, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it("passes a person's session on in its pane: asked at a stop, stored, cleared, and told to go on", {
  tags: ["claude"],
}, async () => {
  const own = await withPlugin(`session: { context_threshold: ${THRESHOLD} }`);
  const { project, screen } = own;
  await screen.says(`${REQUEST} Fill the window.`);
  await screen.shows("I write the second line.");

  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old.handoff).toMatchObject({ number: 1, trigger: "threshold" });
  expect(old.ended).toMatchObject({ reason: "clear" });
  const next = await registryOf(project).find(successorOf(old.handoff) ?? "");
  expect(next).toMatchObject({ parent: old.id, pane: old.pane, ended: null, handoff: null });
  const document = await readFile(old.handoff?.documentPath ?? "", "utf8");
  expect(document).toContain(`session: ${old.id}`);
  expect(await handoffFiles(project)).not.toContain("HANDOFF_PENDING.md");
  const told = project.simulator.requests.filter(
    ({ request }) => request.kind === "main" && request.last.includes("Continue the work"),
  );
  expect(told).toHaveLength(1);
});

it("answers what a person asks Baton itself, and waits for them after a handoff that they asked for", {
  tags: ["claude"],
}, async () => {
  const own = await withPlugin("");
  const { project, screen } = own;
  await screen.says(`${REQUEST} Fill the window.`);
  await screen.shows("The first line is written.");
  await screen.waits();
  const turns = () => project.simulator.requests.filter(({ request }) => request.kind === "main").length;
  const before = turns();
  await screen.says("/baton:status");
  expect(await screen.shows("No handoff is under way.")).toMatch(/\d+k of 200k tokens \(\d+%\)/);
  await screen.says("/baton:cancel");
  await screen.shows("There is no handoff to cancel.");
  expect(turns()).toBe(before);

  await screen.says("/baton:handoff the roof");
  await screen.shows(/This session continues from handoff 1: .*It waits for you/s);
  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old.handoff).toMatchObject({ trigger: "manual", focus: "the roof", atRest: true });
  await screen.waits();
  const after = turns();
  await screen.says("Write the second line.");
  await screen.shows("I write the second line.");
  const told = project.simulator.requests.filter(({ request }) => request.kind === "main").slice(after);
  expect(told[0]?.request.text).toMatch(/what they say to you now comes before[\s\S]*<handoff-context-/);
  expect(timesSaid(project, /Continue the work from the handoff document/)).toBe(0);

  await registryOf(project).update(successorOf(old.handoff) ?? "", (known) =>
    known
      ? {
          ...known,
          handoff: asked({ number: 2, trigger: "threshold", previous: null }, new Date().toISOString()),
        }
      : undefined,
  );
  await screen.says("/baton:cancel");
  await screen.shows("Handoff 2 is cancelled.");
  await screen.says("Hello");
  await screen.shows("I listen.");
  expect(project.simulator.requests.at(-1)?.request.text).toContain("The user has cancelled the handoff");
});

it.each([
  ["an editor", "claude-vscode", "editor"],
  ["a browser", "remote", "browser"],
])(
  "leaves the work of a session in %s to a person, who picks it up in a new one",
  async (where, entrypoint, kind) => {
    const env = { CLAUDE_CODE_ENTRYPOINT: entrypoint };
    const own = await withPlugin(`session: { context_threshold: ${THRESHOLD} }`, { env });
    const { project, screen } = own;
    await screen.says(`${REQUEST} Fill the window.`);
    await screen.shows("It is handed over.");
    const old = await session(own, "a handoff that waits", ({ handoff }) => handoff?.state === "pending");
    expect(old).toMatchObject({ kind, ended: null });
    expect(old.handoff).toMatchObject({ reason: `a session in ${where} cannot be started for you` });
    const pending = await readFile(join(project.folder, ".baton", "handoffs", "HANDOFF_PENDING.md"), "utf8");
    expect(pending).toContain(old.handoff?.documentPath);
    expect((await baton(project, ["status"])).stdout).toMatch(new RegExp(`${kind} .* 1: waits for you`));

    await screen.says("one more thing");
    await screen.shows("I listen.");
    await screen.says("/clear");
    await screen.shows("Handoff 1 waits in this project");
    await screen.says("/baton:continue");
    await screen.shows("I write the second line.");
    expect(await handoffFiles(project)).not.toContain("HANDOFF_PENDING.md");
    const { handoff } = (await registryOf(project).find(old.id)) ?? {};
    expect(handoff).toMatchObject({ state: "taken-up" });
    expect(await registryOf(project).find(successorOf(handoff) ?? "")).toMatchObject({ parent: old.id });
  },
);

it("goes on in a new window where a session runs outside of tmux, and tells the person in the old one", {
  tags: ["claude"],
}, async () => {
  needs("tmux");
  const folder = await mkdtemp(join(tmpdir(), "baton-server-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const agent = `session: { context_threshold: ${THRESHOLD} }`;
  const own = await withPlugin(agent, { env: { TMUX_TMPDIR: folder }, unseen: true });
  const { project, screen } = own;
  const people = await Tmux.start(project, "people");
  const before = await people.panes();
  await screen.says(`${REQUEST} Fill the window.`);
  const old = await session(own, "the session before", ({ handoff }) => handoff?.state === "taken-up");
  expect(old).toMatchObject({ kind: "cli", pane: null });
  const [added = ""] = (await people.panes()).filter((pane) => !before.includes(pane));
  await people.screen(added).shows("I write the second line.");
  // At once: the person has typed nothing more.
  await screen.shows("Handoff 1 continues in a new tmux window");
  await screen.shows(successorOf(old.handoff) ?? "?");
});
