import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exists } from "../src/files/exists.ts";
import { inboxRows, type } from "./asking.ts";
import { AS_IT_WAS, ask, chatIn, openChat, say, talkative } from "./chat.ts";
import { baton, shown } from "./harness.ts";
import { told } from "./obedient.ts";
import { eventually, type Screen } from "./panes.ts";

const SECRET = "hunter2-secret";
const STALL = { kind: "stall", at: "middle" } as const;

/** What was on the screen, with all that has scrolled away. */
const everything = (screen: Screen) => screen.tmux.run("capture-pane", "-p", "-S", "-", "-t", screen.id);

it("streams what the agent writes, shows its tools and the window, and keeps all of it on record", {
  tags: ["claude"],
}, async () => {
  const { project, screen } = await openChat({
    scenario: talkative({
      when: ({ last }) => last.includes("tell me"),
      reply: { say: `Once upon a time ${SECRET} and then there was a shed by the sea.`, fault: STALL },
      times: 1,
    }),
    agent: `env: { SHED_TOKEN: ${SECRET} }`,
  });
  await say(screen, "tell me");
  await screen.shows(/Once upon a time \[redacted: SHED_TOKEN\][\s\S]*session 1 · .* · thinking/);
  expect(await screen.text()).not.toContain("by the sea");
  await screen.presses("C-c");
  await screen.shows(/Once upon a time[\s\S]*Interrupted\.[\s\S]*your turn/);
  await ask(screen, "one");

  await say(screen, told("echo done && touch made.txt"));
  await screen.shows(/⚒ Bash echo done && touch made\.txt[\s\S]*Done as told\.[\s\S]*your turn/);
  await screen.shows(/session 1 · █+░+┃░+ \d+% of 200k · your turn/);
  expect(await everything(screen)).not.toContain(SECRET);
  await say(screen, "/exit");
  await screen.shows(/completed[\s\S]*exit code 0/);
  await screen.shows(AS_IT_WAS);
  const job = await shown(project);
  expect(job).toMatchObject({
    status: "completed",
    prompt: "tell me",
    result: "Done as told.",
    handoffs: [],
  });
  expect(job.sessions).toHaveLength(1);
  const { stdout } = await baton(project, ["logs", job.id]);
  expect(stdout).toMatch(/› ask-one[\s\S]*The answer to ask-one is yes\./);
});

it("takes several lines as one message, and brings back what was sent before", async () => {
  const { project, tmux, screen } = await openChat();
  await screen.types("one\\");
  await screen.presses("Enter");
  await screen.types("two");
  await screen.presses("M-Enter");
  await tmux.run("set-buffer", "three\nfour\nask-lines");
  await tmux.run("paste-buffer", "-p", "-t", screen.id);
  await screen.shows(/› one\n {2}two\n {2}three\n {2}four\n {2}ask-lines/);
  await screen.presses("Enter");
  await screen.shows(/The answer to ask-lines is yes[\s\S]*your turn/);
  const { prompt } = await shown(project);
  expect(prompt).toBe("one\ntwo\nthree\nfour\nask-lines");

  await screen.types("a draft");
  await screen.presses("Home", "Up");
  await screen.shows(/your turn[^\n]*\n› one\n {2}two/);
  await screen.presses("Down");
  await screen.shows(/your turn[^\n]*\n› a draft/);
  await screen.presses("C-u");
  await screen.types("again");
  await screen.presses("Up", "C-u");
  await screen.shows(/your turn[^\n]*\n› one\n {2}two\n {2}three\n {2}four\s*$/);
});

it("brings back what was sent in an earlier chat of the project", async () => {
  const { project, tmux, screen } = await openChat();
  await ask(screen, "before");
  await say(screen, "/exit");
  await screen.shows("exit code 0");
  const again = await chatIn(tmux, project, "chat");
  await again.shows("ready");
  // It is read while the person begins to write.
  await eventually("what was sent before", async () => {
    await again.presses("Up");
    return (await again.text()).includes("› ask-before");
  });
});

it("keeps what is sent during a turn for after it", async () => {
  const { screen, project } = await openChat();
  await say(screen, told("until [ -f go ]; do sleep 0.05; done"));
  await screen.shows(/⚒ Bash until/);
  await say(screen, "ask-later");
  await screen.shows(/ask-later\n\s*\n.*Bash until/);
  await writeFile(join(project.folder, "go"), "");
  await screen.shows(
    /Done as told\.[\s\S]*› ask-later[\s\S]*The answer to ask-later is yes\.[\s\S]*your turn/,
  );
});

it("is the person's turn also while something that the agent has started runs in the background", async () => {
  const serve = { command: "sleep 300", description: "Serve", run_in_background: true };
  const { screen } = await openChat({
    scenario: talkative(
      { when: ({ last }) => /serve\s*$/.test(last), reply: { call: { tool: "Bash", input: serve } } },
      { when: ({ last }) => last.includes("running in background"), reply: { say: "It serves." } },
    ),
  });
  await say(screen, "serve");
  await screen.shows(/It serves\.[\s\S]*session 1 · .* · your turn/);
  await ask(screen, "meanwhile");
});

it("tells what went wrong with a turn, and tries again with the next message", async () => {
  const { project, screen } = await openChat({
    scenario: talkative({
      when: ({ last }) => /ask-broken\s*$/.test(last),
      reply: { fault: { kind: "server-error" } },
    }),
  });
  await ask(screen, "one");
  await say(screen, "ask-broken");
  await screen.shows(/⚠ API Error: 500[\s\S]*session 1 · .* · your turn/);
  await ask(screen, "two");
  expect(await shown(project)).toMatchObject({ status: "running", sessions: [{ endReason: null }] });
});

it("asks about a call that is not allowed, and holds to an always in the sessions that follow", async () => {
  const { project, screen } = await openChat({ agent: "permission_mode: default" });
  await say(screen, told("touch one.txt"));
  await screen.shows(
    /waiting for your answer[\s\S]*\? Allow Bash touch one\.txt[\s\S]*yes, no or always \(Bash\)/,
  );
  await say(screen, "call it two.txt");
  await screen.shows(/⚠ denied: Bash touch one\.txt\. The user said no: call it two\.txt[\s\S]*your turn/);
  await say(screen, told("touch two.txt"));
  await screen.shows("? Allow Bash touch two.txt");
  await say(screen, "always");
  await screen.shows(/allowed by you, from now on: Bash[\s\S]*Done as told\.[\s\S]*your turn/);
  await say(screen, "/handoff");
  await screen.shows(/session 2 · .* · your turn/);
  await ask(screen, "next");
  await say(screen, told("touch three.txt"));
  await screen.shows(/touch three\.txt[\s\S]*Done as told\.[\s\S]*session 2 · .* · your turn/);
  const made = await Promise.all(
    ["one", "two", "three"].map((name) => exists(join(project.folder, `${name}.txt`))),
  );
  expect(made).toEqual([false, true, true]);
});

it("takes an answer from another terminal, and says so", async () => {
  const { project, screen } = await openChat({ agent: "permission_mode: default" });
  await say(screen, told("touch one.txt"));
  await screen.shows("? Allow Bash touch one.txt");
  const [row] = await inboxRows(project);
  expect((await type(project, "approve", row?.id ?? "")).stdout).toContain("Delivered");
  await screen.shows(/allowed by you \(\w+-1\)[\s\S]*Done as told\.[\s\S]*your turn/);
  expect(await exists(join(project.folder, "one.txt"))).toBe(true);
});

it("interrupts a tool, and says what it cannot do", async () => {
  const { screen } = await openChat();
  await say(screen, told("tail -f /dev/null"));
  await screen.shows(/Bash tail -f \/dev\/null · 1 turn/);
  await screen.presses("C-c");
  await screen.shows(/⚒ Bash tail[^\n]*\n +interrupted\n[\s\S]*Interrupted\.[\s\S]*your turn/);
  await screen.types("/s");
  await screen.presses("Tab");
  await screen.shows("/status  /sessions");
  await screen.presses("C-u");
  await screen.types("look at @bat");
  await screen.presses("Tab");
  await screen.shows("› look at @baton.yaml");
  await screen.presses("C-u");
  await say(screen, "/frobnicate now");
  await screen.shows("There is no command /frobnicate. /help lists the commands.");
  await say(screen, "/help");
  await screen.shows(/\/handoff \[focus\][\s\S]*Escape +cancel a handoff/);
  await say(screen, "/status");
  await screen.shows(/job +job-[\s\S]*window +~?\d+k of 200k \(\d+(\.\d)?%\)/);
  await ask(screen, "still");
});
