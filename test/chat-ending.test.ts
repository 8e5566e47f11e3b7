import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { AS_IT_WAS, answered, ask, chatIn, openChat, say, talkative } from "./chat.ts";
import { baton, shown, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { obedient, told } from "./obedient.ts";
import { eventually } from "./panes.ts";

it("refuses where there is no terminal, and names what works there", async () => {
  const project = await testProject({ scenario: obedient() });
  const { code, stderr, stdout } = await baton(project, ["chat"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("`baton chat` is for a person at a terminal, and this is not a terminal.");
  expect(stderr).toContain('`baton run "what to do"`');
});

it("ends without a trace when nothing was said", async () => {
  const { project, screen } = await openChat();
  await screen.presses("C-d");
  await screen.shows("exit code 0");
  await screen.shows(AS_IT_WAS);
  const { stdout } = await baton(project, ["jobs", "--json"]);
  expect(stdout.trim()).toBe("[]");
});

it("ends by Ctrl-C pressed twice, and not by once", async () => {
  const { project, screen } = await openChat();
  await ask(screen, "one");
  await screen.types("half a thought");
  await screen.shows("half a thought");
  await screen.presses("C-c");
  await screen.shows(/your turn.*\n›\s*$/);
  await screen.presses("C-c");
  await screen.shows("Ctrl-C again ends the chat.");
  await ask(screen, "two");
  await screen.presses("C-c", "C-c");
  await screen.shows("exit code 0");
  await screen.shows(AS_IT_WAS);
  expect(await shown(project)).toMatchObject({
    status: "completed",
    result: "The answer to ask-two is yes.",
  });
});

it("ends the agent and its command when it is ended in the middle of a turn, and can be continued", async () => {
  needs("ps");
  const { project, tmux, screen } = await openChat();
  const command = `tail -f ${project.folder}/baton.yaml`;
  await say(screen, told(command));
  await screen.shows(/Bash tail -f \S+ · 1 turn/);
  await screen.presses("C-d");
  await screen.shows("exit code 130");
  await screen.shows(AS_IT_WAS);
  const { id, status, sessions } = await shown(project);
  expect(status).toBe("cancelled");
  expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(command);

  const again = await chatIn(tmux, project, "chat", "--resume", id);
  await again.shows(/resumed[\s\S]*session 1 · .* · your turn/);
  await say(again, "ask-more");
  await again.shows(answered("more"));
  await say(again, "/exit");
  await again.shows("exit code 0");
  const ended = await shown(project);
  expect(ended).toMatchObject({ id, status: "completed", sessions: [{ id: sessions[0].id }] });
  expect(project.simulator.requests.at(-1)?.request.text).toContain(command);
});

it("is not complete when it ends after a turn that was interrupted, and hears what is typed before it is ready again", async () => {
  const { project, tmux, screen } = await openChat();
  await say(screen, told("tail -f /dev/null"));
  await screen.shows(/Bash tail -f \/dev\/null · 1 turn/);
  await screen.presses("C-c");
  await screen.shows(/Interrupted\.[\s\S]*your turn/);
  await screen.presses("C-c");
  await screen.shows("exit code 130");
  const { id, status } = await shown(project);
  expect(status).toBe("cancelled");
  expect(await screen.text()).toContain(`Continue with: baton chat --resume ${id}`);

  const again = await chatIn(tmux, project, "chat", "--resume", id);
  await again.shows(/› .*tail -f/);
  await say(again, "ask-early");
  await again.shows(answered("early"));
});

it("pauses at a limit of the user's own, also where no tool gives it a boundary, and keeps what was not sent", async () => {
  const typed = Promise.withResolvers<void>();
  const waits: Rule = {
    when: ({ last }) => /ask-two\s*$/.test(last),
    async reply() {
      await typed.promise;
      return { say: "The answer is yes." };
    },
  };
  const { project, screen } = await openChat({ scenario: talkative(waits), agent: "limits: { turns: 2 }" });
  await ask(screen, "one");
  await say(screen, "ask-two");
  await screen.types("never sent");
  await screen.shows("› never sent");
  typed.resolve();
  await screen.shows("exit code 3");
  expect(await screen.text()).toMatch(/limits\.turns is 2/);
  expect(await screen.text()).toMatch(/Not sent: never sent/);
  expect(await shown(project)).toMatchObject({ status: "paused" });
});

it("takes its session up again when the program of the agent died while it waited", async () => {
  needs("ps");
  const { project, screen } = await openChat();
  await ask(screen, "one");
  const { sessions } = await shown(project);
  const processes = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" });
  const agent = Number(
    processes
      .split("\n")
      .find((line) => line.includes(sessions[0].id))
      ?.trim()
      .split(" ")[0],
  );
  process.kill(agent, "SIGKILL");
  await eventually("the end of the agent", async () => {
    try {
      return !process.kill(agent, 0);
    } catch {
      return true;
    }
  });
  await ask(screen, "two");
  const job = await shown(project);
  expect(job.sessions).toMatchObject([{ id: sessions[0].id }]);
  expect(project.simulator.requests.at(-1)?.request.text).toContain("The answer to ask-one is yes.");
});
