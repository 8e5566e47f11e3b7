import { randomUUID } from "node:crypto";
import { readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { emptyAccount } from "../src/handoff/account.ts";
import { renderAccount } from "../src/handoff/markdown.ts";
import { successorOf } from "../src/sessions/record/handoff-questions.ts";
import { aHandoff } from "./a-handoff.ts";
import { handoffFiles, transcriptOf } from "./handed-off-session.ts";
import { Baton, baton, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { REQUEST } from "./one-handoff.ts";
import { fills, THRESHOLD, timesSaid } from "./own-plugin.ts";
import { ownProject, registered, said as saidBy } from "./own-session.ts";
import { anOwnSession, claudeReady, eventually, identity, openClaude, registryOf, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

it("stands in for hooks that are missing: asks for the handoff, stores the answer, clears, and lets go on", {
  tags: ["claude"],
}, async () => {
  needs("tmux");
  const project = await testProject({
    scenario: fills,
    agent: `session: { context_threshold: ${THRESHOLD} }`,
  });
  await claudeReady(project);
  const tmux = await Tmux.start(project);
  const id = randomUUID();
  const screen = await openClaude(project, tmux, ["--session-id", id]);
  await screen.says(`${REQUEST} Fill the window.`);
  await screen.shows("The first line is written.");
  await screen.waits();
  const transcript = await transcriptOf(project, id);
  const aMinuteAgo = new Date(Date.now() - 60_000);
  await utimes(transcript, aMinuteAgo, aMinuteAgo);
  const longAgo = new Date(Date.now() - 10 * 60_000).toISOString();
  const process = await identity(await screen.pid());
  const record = anOwnSession(project, id, { pane: screen.pane, process, transcript, seenAt: longAgo });
  await registryOf(project).update(id, () => record);

  const watch = new Baton(project, ["watch", "--every", "200", "--json"]);
  await screen.shows("I write the second line.");
  const old = await eventually("the link", async () => {
    const session = await registryOf(project).find(id);
    return session?.handoff?.state === "taken-up" && session;
  });
  expect(timesSaid(project, /<handoff-request>/)).toBe(1);
  expect(old.figure).toMatchObject({ source: "transcript" });
  expect(await registryOf(project).find(successorOf(old.handoff) ?? "")).toMatchObject({ parent: id });
  expect((await handoffFiles(project)).filter((name) => name.startsWith("handoff-"))).toHaveLength(1);
  const { stderr, code } = await baton(project, ["watch", "--once"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("Another `baton watch`")]);

  watch.child.kill("SIGTERM");
  expect(await watch.exit).toMatchObject({ code: 0 });
  const [first, ...lines] = watch.stdout.trim().split("\n");
  expect(JSON.parse(first ?? "")).toMatchObject({ watching: [{ session: id, project: project.folder }] });
  expect(lines.map((line) => JSON.parse(line).what)).toEqual([
    "its hooks are missing, so it is followed from here",
    "it was asked for a handoff",
    expect.stringContaining("its handoff is in"),
  ]);
});

it("reads how full a window is off the status line in the pane, where there is no transcript", {
  tags: ["claude"],
}, async () => {
  needs("tmux");
  const project = await testProject({ scenario: fills });
  await claudeReady(project);
  const statusLine = { type: "command", command: "echo 'context: 45.2k tokens (23%)'" };
  const settings = { skipDangerousModePermissionPrompt: true, statusLine };
  await writeFile(join(project.env.CLAUDE_CONFIG_DIR ?? "", "settings.json"), JSON.stringify(settings));
  const tmux = await Tmux.start(project);
  const screen = await openClaude(project, tmux);
  await screen.shows("context: 45.2k tokens (23%)");
  const process = await identity(await screen.pid());
  await registryOf(project).update("one", () => anOwnSession(project, "one", { pane: screen.pane, process }));
  const { stdout } = await baton(project, ["watch", "--once"]);
  expect(stdout).toBe("");
  const figure = { tokens: 45_200, window: 200_000, source: "status-line" };
  expect((await registryOf(project).find("one"))?.figure).toMatchObject(figure);
  expect((await baton(project, ["status"])).stdout).toContain("45k (22%)");
});

it("stores the answer of an agent without tools by the defaults where the configuration cannot be read", async () => {
  const project = await ownProject("agents: 5\n");
  const account = {
    ...emptyAccount(),
    goal: "Build the shed.",
    progress: { done: ["It stands"], inProgress: [], pending: ["Its colour"] },
    currentState: "It stands.",
    nextSteps: ["Paint it."],
  };
  const check = saidBy("Check on your workers, then continue with what is next.");
  const answer = { role: "assistant", content: [{ type: "text", text: renderAccount(account) }] };
  const entries = [
    check,
    saidBy("Build the shed."),
    check,
    saidBy("<handoff-request> Answer in Markdown. </handoff-request>"),
    { type: "assistant", message: answer },
  ];
  const at = new Date().toISOString();
  const { transcript } = await registered(project, "one", entries, {
    kind: "editor",
    handoff: aHandoff("asked", { at }),
  });
  const aMinuteAgo = new Date(Date.now() - 60_000);
  await utimes(transcript ?? "", aMinuteAgo, aMinuteAgo);

  const { stdout, code } = await baton(project, ["watch", "--once"]);
  expect(code).toBe(0);
  expect(stdout.match(/baton\.yaml:1:1/g)).toHaveLength(1);
  expect(stdout).toContain("the defaults apply, because its configuration cannot be read: baton.yaml:1:1 ");
  expect(stdout).toContain("its handoff is in .baton/handoffs/");
  expect(stdout).toContain("its handoff continues once the configuration can be read");
  const [document = ""] = await readdir(project.handoffs);
  const text = await readFile(join(project.handoffs, document), "utf8");
  expect(text).toContain("Build the shed.");
  expect(text).not.toContain("Check on your workers");
});

it("says what it watches, also what begins later", async () => {
  const project = await ownProject();
  await registered(project, "one-session", [saidBy("Build the shed.")]);
  const watch = new Baton(project, ["watch", "--every", "100"]);
  const says = (text: string) =>
    eventually(text, async () => watch.stdout.replaceAll(/\s+/g, " ").includes(text));
  await says("Watching 1 session. New ones are watched from the start. Ctrl-C ends this. SESSION");
  await says("Build the shed.");
  await registered(project, "its-successor", [], { parent: "one-session" });
  await registered(project, "another-session", []);
  await says("another- ~/project: it is watched from now on");
  watch.child.kill("SIGTERM");
  await watch.exit;
  expect(watch.stdout).not.toContain("its-succ");
});
