import { readdir, readFile } from "node:fs/promises";
import { expect, it, vi } from "vitest";
import { announce, hearing } from "../src/sessions/terminal/tmux.ts";
import { sendCommand, sendLine } from "../src/sessions/terminal/typing.ts";
import { talk } from "./handed-off-session.ts";
import { testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import { claudeCommand, claudeReady, eventually, identity, openClaude, Tmux } from "./panes.ts";

// The real program takes seconds to start, and more on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

async function open({ around = [] }: { around?: readonly string[] } = {}) {
  needs("tmux");
  const project = await testProject({ scenario: talk });
  await claudeReady(project);
  const tmux = await Tmux.start(project);
  const screen = await openClaude(project, tmux, [], { around });
  const session = { pane: screen.pane, process: await identity(await screen.pid()) };
  return { project, tmux, screen, session };
}

const patient = { patienceMs: 20_000 };
const impatient = { patienceMs: 1_500 };

it("types words as they are, whatever they would mean to a shell or to tmux", {
  tags: ["claude"],
}, async () => {
  const { project, session } = await open();
  const line = "Tell me #{pane_id} and #(touch pwned) and $(touch pwned) and 'it`s' %0 \\; -l Enter C-c ;";
  expect(await sendLine(session, `${line.slice(0, 10)}\n${line.slice(10)}`, patient)).toEqual({ sent: true });
  const asked = await eventually("the prompt", async () =>
    project.simulator.requests.find(({ request }) => request.kind === "main"),
  );
  expect(asked.request.last.replace(/\s+/g, " ")).toContain(`${line.slice(0, 10)} ${line.slice(10)}`);
});

it("takes its words back where a person typed at the same moment, and leaves theirs", async () => {
  const { screen, session, project } = await open();
  let typed = 0;
  const before = async () => {
    if (typed++ > 0) return true;
    await screen.types("my own thoughts ");
    await screen.shows("my own thoughts");
    return true;
  };
  const answer = await sendCommand(session, "/clear", { patienceMs: 3_000, before });
  expect(answer).toMatchObject({ sent: false });
  await eventually("their words alone", async () => {
    const prompt = await screen.prompt();
    return prompt.state === "written" && prompt.text === "my own thoughts";
  });
  expect(project.simulator.requests).toEqual([]);
});

it("knows of a person's keys before the program has read them", async () => {
  // tmux would have a child of its own continue at once.
  const { screen, project, tmux } = await open({ around: ["sh", "-c", '"$@"; exit', "sh"] });
  await tmux.run("select-window", "-t", screen.id);
  // Their terminal is a pane of another server, whose keys come to this one as those of a keyboard do.
  const terminal = await (await Tmux.start(project)).open(
    project.folder,
    ...["env", "-u", "TMUX", "tmux", "-S", tmux.socket, "attach"],
  );
  const lastKey = () => tmux.run("display-message", "-p", "-t", screen.id, "#{session_activity}");
  await terminal.shows("bypass permissions");
  await screen.waits();
  const [pid = 0] = await childrenOf(await screen.pid());
  const session = { pane: screen.pane, process: await identity(pid) };
  const once = new AbortController();
  const before = async () => {
    process.kill(pid, "SIGSTOP");
    const earlier = await lastKey();
    await terminal.types("my own thoughts ");
    await eventually("their keys", async () => (await lastKey()) !== earlier);
    once.abort();
    return true;
  };
  const answer = await sendCommand(session, "/clear", { ...patient, before, signal: once.signal });
  process.kill(pid, "SIGCONT");
  expect(answer).toMatchObject({ sent: false });
  await eventually("their words alone", async () => {
    const prompt = await screen.prompt();
    return prompt.state === "written" && prompt.text === "my own thoughts";
  });
  expect(project.simulator.requests).toEqual([]);
  // Where they type elsewhere, nobody has to wait for them.
  await screen.presses("C-u");
  await terminal.presses("C-b", "c");
  await terminal.types("x");
  expect(await sendCommand(session, "/clear", patient)).toEqual({ sent: true });
});

it("takes its words back where a person has just opened a shell, and never has them run", async () => {
  const { screen, session, project } = await open();
  let typed = 0;
  const before = async () => {
    if (typed++ === 0) await screen.types("!");
    return true;
  };
  const answer = await sendLine(session, "touch pwned", { patienceMs: 3_000, before });
  expect(answer).toEqual({ sent: false, why: "its prompt is a shell's" });
  await eventually("their shell alone", async () => {
    const prompt = await screen.prompt();
    return prompt.state === "shell" && prompt.text === "";
  });
  await screen.presses("Enter");
  expect(await readdir(project.folder)).not.toContain("pwned");
  expect(project.simulator.requests).toEqual([]);
});

it("never types what a program would take for a command, a shell's line, a note or a file", async () => {
  const { screen, session, project } = await open();
  expect(await sendLine(session, "/ ! # @ \\", patient)).toEqual({
    sent: false,
    why: "there are no words to type",
  });
  expect(await sendLine(session, "\u200b!touch pwned\n/exit", patient)).toEqual({ sent: true });
  await screen.shows("❯ touch pwned /exit");
  await eventually("the prompt", async () =>
    project.simulator.requests.find(({ request }) => request.last.includes("touch pwned /exit")),
  );
  expect(await readdir(project.folder)).not.toContain("pwned");
});

it("types nothing where its program is suspended and a shell has the terminal, from one key to the next", async () => {
  needs("tmux");
  const project = await testProject({ scenario: talk });
  await claudeReady(project);
  const screen = await (await Tmux.start(project)).open(project.folder, "bash", "--norc", "-i");
  await screen.types(claudeCommand().join(" "));
  await screen.presses("Enter");
  await screen.waits();
  const [pid = 0] = await childrenOf(await screen.pid());
  const session = { pane: screen.pane, process: await identity(pid) };
  expect(await hearing(session)).toBe("listening");
  const before = async () => {
    process.kill(pid, "SIGTSTP");
    await screen.shows("Stopped");
    return true;
  };
  const { sent } = await sendLine(session, "touch pwned", { patienceMs: 3_000, before });
  expect(sent).toBe(false);
  expect(await hearing(session)).toBe("gone");
  expect(await screen.text()).not.toContain("pwned");
  expect(await hearing({ ...session, process: null })).toBe("gone");
  process.kill(pid, "SIGKILL");
});

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").map(Number);
}

it("waits while somebody scrolls, and says so", async () => {
  const { tmux, screen, session } = await open();
  await tmux.run("copy-mode", "-t", screen.id);
  expect(await sendLine(session, "Hello.", impatient)).toEqual({
    sent: false,
    why: "somebody scrolls in its pane",
  });
  await screen.presses("-X", "cancel");
  expect(await sendLine(session, "Hello.", patient)).toEqual({ sent: true });
  await screen.shows("The shed is old.");
});

it("types nothing into a pane where another program is", async () => {
  const { tmux, screen, session } = await open();
  const other = await tmux.open("/tmp", "cat");
  expect(await hearing({ ...session, pane: other.pane })).toBe("gone");
  expect(await hearing({ ...session, pane: { ...screen.pane, id: "%999" } })).toBe("gone");
  expect(await hearing({ ...session, pane: { ...screen.pane, id: "0.0; kill-server" } })).toBe("gone");
  expect(await sendLine({ ...session, pane: other.pane }, "rm -rf .", patient)).toMatchObject({
    sent: false,
  });
  await announce(screen.pane, "#(touch pwned) is not run");
  expect((await other.text()).trim()).toBe("");
});
