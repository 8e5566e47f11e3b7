import { readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import type { Rule } from "../src/simulator/scenario.ts";
import { isHandoffRequest } from "../src/simulator/scenarios/hand-over.ts";
import { writeStep } from "../src/simulator/scenarios/steady.ts";
import { readEvents } from "../src/store/events.ts";
import { openStoreToRead } from "../src/store/store.ts";
import { careful, onceAfter } from "./careful.ts";
import { answered, ask, openChat, say, talkative } from "./chat.ts";
import { baton, shown, smallWindows, stepsDone, type TestProject, upTo } from "./harness.ts";
import { told } from "./obedient.ts";

const requests = ({ simulator }: TestProject, text: string) =>
  simulator.requests.flatMap(({ request }) => (request.last.includes(text) ? [request.last] : []));

it("hands off when it is told to, and the new session knows where it comes from and waits for the person", {
  tags: ["claude"],
}, async () => {
  const { project, screen } = await openChat();
  await say(screen, "/handoff");
  await screen.shows("Nothing to hand off yet");
  await ask(screen, "one");
  await say(screen, "/handoff the colour of the shed");
  await screen.shows(
    /⇄ handoff 1 asked for by hand[\s\S]*stored [\s\S]*New session started with handoff context/,
  );
  await screen.shows(/session 2 · .* · your turn/);
  expect(requests(project, "focus on: the colour of the shed")).toHaveLength(1);
  expect(requests(project, "<handoff-context-")).toEqual([]);

  await say(screen, "/handoff");
  await screen.shows(/New session[\s\S]*Nothing to hand off yet/);
  await ask(screen, "two");
  const [continuation = "", ...others] = requests(project, "<handoff-context-");
  expect(others).toEqual([]);
  const { sessions, handoffs, status } = await shown(project);
  expect(status).toBe("running");
  expect(handoffs).toMatchObject([
    { trigger: "manual", outcome: "written", fromSession: sessions[0].id, toSession: sessions[1].id },
  ]);
  expect(continuation).toContain(
    await readFile(handoffs[0].documentPath, "utf8").then((text) => text.trim()),
  );
  expect(continuation).toContain(`its session id is ${sessions[0].id}`);
  expect(continuation).toMatch(/ask-two\s*$/);

  await say(screen, "/sessions");
  await screen.shows(new RegExp(`session 2 +${sessions[1].id} [^]*continues from session 1, open`));
  await say(screen, "/status");
  await screen.shows(`parent   ${sessions[0].id}, by handoff 1`);
  const { stdout } = await baton(project, ["handoffs"]);
  expect(stdout).toContain(relative(project.folder, handoffs[0].documentPath));
});

it("goes on at once with work that was under way, when it is told to hand off in the middle of it", async () => {
  const typed = Promise.withResolvers<void>();
  const waits = onceAfter(1, () => typed.promise.then(() => writeStep(2, 4, 8_000)));
  const { project, screen } = await openChat({ scenario: careful(4, waits) });
  await say(screen, "Write the files.");
  await screen.shows("⚒ Bash n=1");
  await say(screen, "/handoff");
  await expect.poll(() => eventTypes(project), { timeout: 20_000 }).toContain("handoff:requested");
  typed.resolve();
  await screen.shows(/New session started[\s\S]*All 4 steps are done\.[\s\S]*your turn/);
  expect(await stepsDone(project)).toEqual(upTo(4));
  expect((await shown(project)).handoffs).toMatchObject([{ trigger: "manual" }]);
});

it("is cancelled by Escape, and the session goes on", async () => {
  const neverWritten: Rule = { when: isHandoffRequest, reply: () => new Promise(() => {}), times: 1 };
  const { project, screen } = await openChat({ scenario: talkative(neverWritten) });
  await ask(screen, "one");
  await say(screen, "/handoff");
  await screen.shows("writing handoff 1, Esc cancels");
  await say(screen, "/handoff");
  await screen.shows("A handoff is being made already");
  await screen.presses("Escape");
  await screen.shows(/Handoff cancelled[\s\S]*session 1 · .* · your turn/);
  expect(await screen.text()).not.toContain("Handoff failed");
  await ask(screen, "two");
  expect(requests(project, "The handoff is called off: do not write it.")).toHaveLength(1);
  await say(screen, "/handoff");
  await screen.shows("New session started with handoff context");
  const { sessions, handoffs } = await shown(project);
  expect(sessions).toHaveLength(2);
  expect(handoffs).toMatchObject([{ number: 1, outcome: "written" }]);
});

it("fails, and is not cancelled, when the account has no text; the session goes on", async () => {
  const empty: Rule = {
    when: (request) => isHandoffRequest(request) && !request.last.includes("ask-two"),
    reply: { fault: { kind: "empty" } },
  };
  const { project, screen } = await openChat({ scenario: talkative(empty) });
  await ask(screen, "one");
  await say(screen, "/handoff");
  await screen.shows(/Handoff failed: the answer was empty[\s\S]*session 1 · .* · your turn/);
  expect(await screen.text()).not.toContain("Handoff cancelled");
  await ask(screen, "two");
  expect(await shown(project)).toMatchObject({ sessions: [{ endReason: null }], handoffs: [] });
});

it("hands off by itself at the threshold, as a job does, and a constraint that was said later is carried over", async () => {
  const { project, screen } = await openChat({
    scenario: careful(6, { when: ({ last }) => last.trim().endsWith("ask-first"), reply: { say: "I see." } }),
    agent: `session: { ${smallWindows} }`,
  });
  await say(screen, "ask-first");
  await screen.shows(/I see\.[\s\S]*your turn/);
  await say(screen, "Write the files. Never touch baton.yaml.");
  await screen.shows(/New session started with handoff context[\s\S]*All 6 steps are done\.[\s\S]*your turn/);
  expect(await stepsDone(project)).toEqual(upTo(6));
  const { handoffs } = await shown(project);
  expect(handoffs[0].trigger).toMatch(/threshold|forecast/);
  expect(await readFile(handoffs[0].documentPath, "utf8")).toContain("Never touch baton.yaml.");
});

it("hands off between two turns when a turn that used no tool filled the window", async () => {
  const long: Rule = {
    when: ({ last }) => last.trim().endsWith("at length"),
    reply: { say: `${"word ".repeat(9_000)}\nThat is all.` },
  };
  const { project, screen } = await openChat({
    scenario: { ...talkative(long), factor: 10 },
    agent: "session: { context_threshold: 100000 }",
  });
  await say(screen, "Tell me at length");
  await screen.shows(
    /That is all\.[\s\S]*New session started with handoff context[\s\S]*session 2 · .* · your turn/,
  );
  await ask(screen, "after");
  expect((await shown(project)).sessions).toHaveLength(2);
});

it("hands off a chat that waits when another process asks for it", async () => {
  const { project, screen } = await openChat();
  await ask(screen, "one");
  const { id } = await shown(project);
  const { code, stdout } = await baton(project, ["handoff", id, "--focus", "paint"]);
  expect(stdout).toContain("Handoff 1 (written) is stored");
  expect(code).toBe(0);
  await screen.shows(/New session started with handoff context[\s\S]*session 2 · .* · your turn/);
  await say(screen, told("touch later.txt"));
  await screen.shows(/Done as told\.[\s\S]*your turn/);
  await say(screen, "ask-end");
  await screen.shows(answered("end"));
});

async function eventTypes(project: TestProject): Promise<string[]> {
  await using store = await openStoreToRead(join(project.folder, ".baton", "baton.db"));
  return (await readEvents(store, (await shown(project)).id, 0)).map(({ type }) => type);
}
