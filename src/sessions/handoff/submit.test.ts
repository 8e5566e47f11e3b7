import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aHandoff } from "../../../test/a-handoff.ts";
import { agentNamed } from "../../config/agent-named.ts";
import { configWithoutFile } from "../../config/without-file.ts";
import { emptyAccount } from "../../handoff/account.ts";
import type { SessionHandoff } from "../record/handoff-state.ts";
import { keptFacts } from "../record/kept-facts.ts";
import { Registry } from "../record/registry.ts";
import { newSession } from "../record/session.ts";
import { NoLongerAskedError, type StoreOptions, storeHandoff } from "./submit.ts";

const asked = aHandoff("asked");
const account = {
  ...emptyAccount(),
  goal: "Build the shed.",
  progress: { done: ["It stands"], inProgress: [], pending: ["Its colour"] },
  currentState: "It stands.",
  nextSteps: ["Paint it."],
};

async function aSession(...texts: string[]) {
  const folder = await mkdtemp(join(tmpdir(), "baton-handoff-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const registry = new Registry(join(folder, "state", "sessions"));
  const transcript = join(folder, "one.jsonl");
  const entries = texts.map((content) => ({ type: "user", message: { role: "user", content } }));
  await writeFile(transcript, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
  const startedAt = asked.at;
  const session = newSession({
    id: "one",
    cwd: folder,
    project: folder,
    transcript,
    startedAt,
    handoff: asked,
  });
  await registry.update("one", () => session);
  const { handoff } = agentNamed(configWithoutFile(folder));
  const store = (more: Partial<StoreOptions> = {}) =>
    storeHandoff(session, account, {
      registry,
      handoff,
      env: {},
      checkMessage: "Check on them.",
      lookUpJobs: async () => [],
      ...more,
    });
  return { registry, session, handoff, store };
}

it.each<[string, SessionHandoff]>([
  ["was stored", aHandoff("stored")],
  ["was asked for again", { ...asked, at: "2026-01-01T00:00:01.000Z" }],
])("leaves a handoff alone that %s meanwhile", async (_what, now) => {
  const { registry, session, handoff, store } = await aSession("Build the shed.");
  await registry.update("one", () => ({ ...session, handoff: now }));
  await expect(store({ onlyIfAsked: true })).rejects.toThrow(NoLongerAskedError);
  expect((await registry.find("one"))?.handoff).toEqual(now);
  await expect(readdir(handoff.dir)).rejects.toThrow("ENOENT");
});

it("stores what it is still asked for, without the messages of the watch", async () => {
  const { registry, store } = await aSession("Check on them.", "Build the shed.", "Check on them.");
  const submission = await store({ onlyIfAsked: true });
  expect(submission).toMatchObject({ status: "stored" });
  expect(await keptFacts(registry, "one")).toMatchObject({ request: "Build the shed.", messages: [] });
});
