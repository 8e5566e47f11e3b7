import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { Talks } from "../src/app/conversations/talks.ts";
import { closeProjects, openProjects } from "../src/app/fleet/projects.ts";
import { findProject } from "../src/app/project.ts";
import { DiscordConnector } from "../src/connectors/discord/discord.ts";
import { Journal } from "../src/jobs/journal.ts";
import { thisProcess } from "../src/processes/owner.ts";
import { claimJob } from "../src/store/claims.ts";
import { listJobs } from "../src/store/job-list.ts";
import { openFleetState } from "../src/store/sqlite/fleet-state.ts";
import type { Store } from "../src/store/store.ts";
import { agreeIn } from "./agree.ts";
import { bareProject } from "./bare-project.ts";
import { BOT_USER, C1, GUILD, type StoredMessage } from "./discord/world.ts";
import { DISCORD_BOT_TOKEN, type DiscordService, startDiscordService } from "./discord-service.ts";

import { ServiceClock } from "./service-clock.ts";

const CHAT = `chat: { discord: { guilds: [{ id: "${GUILD}", channels: [{ id: "${C1}" }] }] } }`;
const LONG_AWAY_MS = 3_600_000;
/** Longer than one message of Discord, and than five: attached. */
const LONG = "A line of a long answer.\n".repeat(500);

/** Between one who writes and Discord: this call never arrives, or its answer does not. */
const MOMENTS: { call: RegExp; isLong?: boolean }[] = [
  { call: /^PUT .*reactions/ },
  { call: /^POST .*typing$/ },
  { call: /^GET .*messages$/ },
  { call: /^POST .*threads$/ },
  { call: /^POST .*messages$/ },
  { call: /^POST .*messages$/, isLong: true },
];

const answerTo = (prompt: string) => {
  const word = /ask-\w+/.exec(prompt)?.[0] ?? "";
  return word.endsWith("L") ? `The answer to ${word}:\n${LONG}` : "Yes.";
};

/** A process that hears and tells, with the store and the connector that fleets have; its agent answers in no time. */
async function startTalks(folder: string, discord: DiscordService, clock: ServiceClock) {
  const projects = await openProjects([findProject({}, folder)]);
  const [where] = projects;
  if (!where) throw new Error("there is no project");
  const state = openFleetState();
  const troubles: string[] = [];
  const talks = new Talks({
    ...{ state, projects, env: { DISCORD_BOT_TOKEN }, wake: () => {} },
    connect: async (_, onRecord) =>
      new DiscordConnector({
        token: DISCORD_BOT_TOKEN,
        guilds: [{ id: GUILD, answersEverywhere: false }],
        channels: [{ id: C1, guild: GUILD }],
        ...{ commandsIn: [], hasSkills: false, apiUrl: discord.apiUrl, onRecord, clock, random: () => 1 },
      }),
    tell: (news) => {
      if (news.what === "problem") troubles.push(news.why);
    },
  });
  return {
    store: where.store,
    troubles,
    async work() {
      await talks.look({ full: [] });
      await answerAll(where.store);
    },
    async end() {
      await talks.end().catch(() => {});
      await closeProjects(projects);
      state[Symbol.dispose]();
    },
  };
}

/** What an agent does that is asked once. */
async function answerAll(store: Store): Promise<void> {
  for (const { id, prompt, status } of await listJobs(store, 100)) {
    if (status !== "queued") continue;
    await using journal = new Journal(
      store,
      await claimJob(store, id, thisProcess(), new Date()),
      () => new Date(),
    );
    await journal.record({ type: "session:starting", session: "one", ordinal: 1, mode: "fresh" });
    await journal.record({ type: "text", session: "one", text: answerTo(prompt) });
    await journal.record({ type: "person:awaited", session: "one" });
    await journal.record({ type: "job:paused", code: "awaiting", message: "" });
  }
}

it("answers once what people write, wherever between it and Discord it is killed, and however long it is away then", async () => {
  const clock = new ServiceClock(Date.now());
  const discord = await startDiscordService({ clock });
  const project = await bareProject(CHAT);
  const { folder } = project;
  agreeIn(project);
  const answers = ({ id }: StoredMessage) => discord.said(id);
  const untilIt = async ({ work }: { work: () => Promise<void> }, isSo: () => boolean) => {
    while (!isSo()) {
      await work();
      await sleep(2);
    }
  };
  const asked: { at: string; message: StoredMessage }[] = [];
  for (const { call, isLong = false } of MOMENTS) {
    for (const last of ["nothing", "there"] as const) {
      const word = `ask-${asked.length}${isLong ? "L" : "S"}`;
      const process = await startTalks(folder, discord, clock);
      await untilIt(process, () => discord.gateway.size === 1);
      let isCut = false;
      discord.reaches = ({ method, path }) => {
        if (isCut) return "nothing";
        if (!call.test(`${method} ${path}`)) return "all";
        isCut = true;
        discord.gateway.drop();
        return last;
      };
      const message = discord.say(C1, `<@${BOT_USER}> ${word}`);
      await untilIt(process, () => isCut);
      await process.end();
      asked.push({ at: `${last} of ${call}${isLong ? ", long" : ""}`, message });
      discord.reaches = () => "all";
      await clock.pass(LONG_AWAY_MS);
      const next = await startTalks(folder, discord, clock);
      await untilIt(next, () => answers(message).some(({ files }) => !isLong || files.length > 0));
      await next.end();
    }
  }
  const times = asked.map(({ at, message }) => `${at}: ${answers(message).length}`);
  expect(times).toEqual(asked.map(({ at }) => `${at}: 1`));
  const last = await startTalks(folder, discord, clock);
  onTestFinished(() => last.end());
  const jobs = await listJobs(last.store, 100);
  expect(jobs).toHaveLength(asked.length);
  expect(last.troubles).toEqual([]);
}, 120_000);
