import { join } from "node:path";
import { expect, it } from "vitest";
import { aHandoff } from "./a-handoff.ts";
import { baton } from "./harness.ts";
import { account, called, mcpClient, ownProject, refusal, registered, said } from "./own-session.ts";

it("lists the sessions before one that continues their work as JSON, and leaves them out of the table", async () => {
  const project = await ownProject();
  const ended = { at: "2026-01-01T10:00:00.000Z", reason: "clear" };
  const takenUpBy = (successor: string) => ({
    ended,
    handoff: aHandoff("taken-up", { at: ended.at, successor }),
  });
  await registered(project, "first-session", [], takenUpBy("second-session"));
  await registered(project, "second-session", [], { ...takenUpBy("third-session"), parent: "first-session" });
  await registered(project, "third-session", [], { parent: "second-session" });
  await registered(project, "a-finished-one", [], { ended });
  await registered(project, "its-predecessor", [], takenUpBy("a-finished-one"));

  const { sessions } = JSON.parse((await baton(project, ["status", "--json"])).stdout);
  const linked = sessions.map(({ id, parent, handoff }: Record<string, { successor: string }>) => [
    id,
    parent,
    handoff?.successor,
  ]);
  expect(linked.sort()).toEqual([
    ["first-session", undefined, "second-session"],
    ["second-session", "first-session", "third-session"],
    ["third-session", "second-session", undefined],
  ]);
  const { stdout } = await baton(project, ["status"]);
  expect(stdout).toContain("third-se");
  expect(stdout).not.toMatch(/first-se|second-s/);
});

it("shows each session by its title or what was said last, with its pane, its age and its todos", async () => {
  const project = await ownProject();
  const add = (subject: string, id: number) =>
    called("TaskCreate", { subject, description: "" }, `Task #${id} created successfully: ${subject}`);
  const entries = [
    said("Build the shed."),
    ...add("Write the tests", 1),
    ...add("Paint the shed", 2),
    ...called("TaskUpdate", { taskId: "1", status: "completed" }, "Updated task #1 status"),
    ...called("TaskUpdate", { taskId: "2", status: "in_progress" }, "Updated task #2 status"),
    said("Now the roof, with ANTHROPIC_API_KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCD"),
    said(
      "Continue the work from the handoff document /d.md. Read it first if it is not in your context yet.",
    ),
  ];
  const startedAt = new Date(Date.now() - 3 * 60 * 60_000).toISOString();
  const pane = { socket: "/nowhere/tmux", id: "%7" };
  await registered(project, "3f2a-first", entries, { startedAt, pane });
  const titled = [{ type: "ai-title", aiTitle: "A shed in red", sessionId: "x" }, ...entries];
  await registered(project, "9b1c-titled", titled, { startedAt });
  await registered(project, "5d77-continues", [], { parent: "9b1c-titled" });

  const lines = (await baton(project, ["status"])).stdout.split("\n");
  const row = (id: string) => lines.find((line) => line.startsWith(id.slice(0, 8)));
  expect(lines[0]).toMatch(/SESSION +KIND +STATE +AGE +CONTEXT +TODO +PANE +PROJECT +TITLE/);
  expect(row("3f2a-first")).toMatch(
    /3 h +~90k \(45%\) +1 of 2 +%7 +\S+ +Now the roof, with ANTHROPIC_API_KEY=\[red/,
  );
  expect(row("9b1c-titled")).toMatch(/A shed in red$/);
  expect(row("5d77-continues")).toMatch(/\d s .*A shed in red$/);

  const one = await baton(project, ["status", "3f2a"]);
  expect(one.stdout).toContain("✓ Write the tests");
  expect(one.stdout).toContain("▸ Paint the shed");
  const { todos, title, prompt } = JSON.parse((await baton(project, ["status", "9b1c", "--json"])).stdout);
  expect({ todos, title, prompt }).toEqual({
    todos: [
      { id: "1", text: "Write the tests", status: "completed" },
      { id: "2", text: "Paint the shed", status: "in_progress" },
    ],
    title: "A shed in red",
    prompt: expect.stringContaining("Now the roof"),
  });
  expect((await baton(project, ["status", "zzz"])).stderr).toContain("No session zzz is registered");
});

it("cancels the handoff of a session from another terminal, and its agent is told when it submits", async () => {
  const project = await ownProject();
  await registered(project, "3f2a-asked", undefined, { handoff: aHandoff("asked", { number: 2 }) });
  const done = await baton(project, ["handoff", "3f2a", "--cancel"]);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Handoff 2 is cancelled.")]);
  expect((await baton(project, ["status"])).stdout).toContain("2: cancelled");
  const client = await mcpClient(project, "3f2a-asked");
  expect(await refusal(client, "submit_handoff", account())).toContain(
    "The user has cancelled this handoff.",
  );
  const again = await baton(project, ["handoff", "3f2a", "--cancel", "--json"]);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([1, { cancelled: false }]);
});

it("leaves a handoff by hand to the person where there is no pane: a clear brings it", async () => {
  const project = await ownProject();
  const document = join(project.handoffs, "handoff-1.md");
  const handoff = aHandoff("stored", { trigger: "manual", atRest: true, documentPath: document });
  await registered(project, "by-hand", undefined, { handoff });
  const { stdout } = await baton(project, ["internal", "cycle", "by-hand", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: "pending", reason: expect.stringContaining("/clear") });
});
