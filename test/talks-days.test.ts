import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { botsOf } from "../src/app/conversations/bots.ts";
import type { Connector } from "../src/connectors/connector.ts";
import { TerminalChat } from "../src/connectors/terminal/terminal.ts";
import { startTimeOf, thisProcess } from "../src/processes/owner.ts";
import { connectionsIn, takeConnection } from "../src/store/fleet/connections.ts";
import { openFleetState } from "../src/store/sqlite/fleet-state.ts";
import { openStore } from "../src/store/store.ts";
import { configAt } from "./agree.ts";
import { jobsIn } from "./fleet-jobs.ts";
import { baton } from "./harness.ts";
import { eventually } from "./panes.ts";
import { ADA, botIn, botSays, CHANNEL, startTalking, talkingProject } from "./talks.ts";

/** As if nobody had done anything since. */
async function aDayPasses(folder: string): Promise<void> {
  await using store = await openStore(join(folder, ".baton", "baton.db"));
  const before = new Date(Date.now() - 25 * 3_600_000).toISOString();
  await store.db.updateTable("conversations").set({ last_at: before }).execute();
  await store.db.updateTable("jobs").set({ updated_at: before }).execute();
}

it("ends a conversation that nobody writes in for a day; whoever returns begins another, which is told how it ended", async () => {
  const project = await talkingProject();
  const chat = new TerminalChat({ limits: { message: 4_000, editEveryMs: 5 } });
  const fleet = await startTalking(project, { chat });
  const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
  const thread = first.place.thread ?? "";
  await botSays(chat, first, "The answer to ask-one is yes.");
  chat.say(ADA, "!handoff", { channel: CHANNEL, thread });
  await botSays(chat, first, "fresh session continues (handoff 1)");
  await fleet.end();
  await aDayPasses(project.folder);
  const asked = project.simulator.requests.length;
  await startTalking(project, { chat });
  chat.say(ADA, "ask-two", { channel: CHANNEL, thread });
  await botSays(chat, first, "Done as told.");
  await eventually("the old one is over", async () => (await jobsIn(project))[0]?.status === "completed");
  const [old, anew, ...others] = await jobsIn(project);
  expect(others).toEqual([]);
  expect(old?.prompt).toBe("Ada: ask-one");
  expect(anew?.prompt).toMatch(/^Ada: ask-two/);
  expect(anew?.prompt).toContain("the last document of your earlier conversation in this thread");
  expect(anew?.prompt).toContain("The answer to ask-one is yes.");
  // To end costs nothing.
  expect(project.simulator.requests.length - asked).toBe(1);
  // A handoff that was cut off at its end is said once too.
  for (const once of ["ask-one is yes", "fresh session continues"])
    expect(botIn(chat, first).filter((text) => text.includes(once))).toHaveLength(1);
});

it("answers nothing that was written in a channel before it was there, though it reads that on catching up", async () => {
  const chat = new TerminalChat({ limits: { message: 4_000, editEveryMs: 5 } });
  const inner = chat.connector();
  const anHourAgo = new Date(Date.now() - 3_600_000).toISOString();
  const connect = async (): Promise<Connector> => ({
    ...inner,
    run: (heard, signal) =>
      inner.run((event) => {
        const isOld = event.kind === "message" && event.text.startsWith("old ");
        return heard(isOld ? { ...event, at: anHourAgo } : event);
      }, signal),
  });
  const { project } = await startTalking(
    await talkingProject({ agent: "instances: { max_concurrent: 2 }" }),
    {
      chat,
      connect,
    },
  );
  chat.say(ADA, "old words for somebody else", { channel: CHANNEL });
  const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
  await botSays(chat, first, "The answer to ask-one is yes.");
  expect(await jobsIn(project)).toMatchObject([{ prompt: "Ada: ask-one" }]);
  // Now it is there: what was missed is answered.
  const missed = chat.say(ADA, "old ask-two", { channel: CHANNEL });
  await botSays(chat, missed, "The answer to ask-two is yes.");
});

it("tells a channel what a job of a schedule came to, and nothing else of it", async () => {
  const { chat, project } = await startTalking(
    await talkingProject({
      agent: `schedules: { report: { type: chat, cron: "0 9 * * 1", prompt: ask-report, channel: ${CHANNEL} } }`,
    }),
  );
  await baton(project, ["schedules", "run", "coder", "report"]);
  const inChannel = { place: { key: `terminal:channel:${CHANNEL}`, channel: CHANNEL, isDirect: false } };
  await botSays(chat, inChannel, "The answer to ask-report is yes.");
  expect(botIn(chat, inChannel)).toEqual(["The answer to ask-report is yes."]);
});

it("leaves a bot to the process that has it, and takes over when that dies", async () => {
  const project = await talkingProject();
  const config = configAt(join(project.folder, "baton.yaml"));
  const [bot] = botsOf([{ project: { root: project.folder }, config }], {}).bots;
  if (!bot) throw new Error("there is no bot");
  const other = spawn("sleep", ["600"]);
  onTestFinished(() => void other.kill("SIGKILL"));
  const wanted = { bot: bot.key, service: bot.kind, projects: ["/elsewhere"] };
  using state = openFleetState();
  const pid = other.pid ?? 0;
  takeConnection(state, wanted, { ...thisProcess(), pid, startTime: startTimeOf(pid) ?? "" }, new Date());
  const { chat, news } = await startTalking(project);
  await eventually("it says who has it", async () =>
    news.some((each) => each.what === "problem" && each.why.includes(`process ${other.pid}, for /elsewhere`)),
  );
  const first = chat.say(ADA, "ask-one", { channel: CHANNEL });
  expect(first.reactions).toEqual([]);
  other.kill("SIGKILL");
  await once(other, "exit");
  await botSays(chat, first, "The answer to ask-one is yes.");
  expect(connectionsIn(state)).toMatchObject([
    { owner: { pid: thisProcess().pid }, projects: [project.folder] },
  ]);
});
