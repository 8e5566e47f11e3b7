import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRepository, git, temporaryFolder, write } from "../../../test/job-worktree.ts";
import { type Changes, configIn, firstLeg, JOB, only, PROMPT, playedJob } from "../../../test/played-job.ts";
import {
  account,
  completed,
  idle,
  overflow,
  type Part,
  PlayedAgent,
  response,
  stopped,
  submitted,
  toolEnd,
  toolStart,
} from "../../../test/played-session.ts";
import { parseDocument } from "../../handoff/document.ts";
import { thisProcess } from "../../processes/owner.ts";
import { redactor } from "../../secrets/redact.ts";
import { claimJob } from "../../store/claims.ts";
import { readEvents } from "../../store/events.ts";
import { createJob } from "../../store/jobs.ts";
import { openStore } from "../../store/store.ts";
import { Journal } from "../journal.ts";
import type { FromWork } from "./handoff-from.ts";
import { type JobHandoff, makeJobHandoff } from "./job-handoff.ts";

const startedAt = new Date("2026-01-01T10:00:00Z");
const storedAt = new Date("2026-01-01T10:00:42Z");
const SECRET = "correct-horse-battery";

/** Hands in what the tool is given. */
const submits =
  (input: Record<string, unknown>): Part =>
  async (session) => {
    await session.calls("submit_handoff", input);
    session.play(response(150_000), stopped, idle);
  };

const inRepository = async () => (await createRepository()).repo;

/** A job whose session can be asked, and answers each time as given. */
async function handingOver(
  answers: Part[],
  changes: (folder: string) => Changes = () => ({}),
  place: () => Promise<string> = temporaryFolder,
) {
  const folder = await place();
  const store = await openStore(join(folder, ".baton", "baton.db"));
  const config = configIn(folder, changes(folder));
  const created = { type: "job:created", agent: config.name, prompt: PROMPT, agentConfig: {} } as const;
  await createJob(store, JOB, created, startedAt);
  const journal = new Journal(store, await claimJob(store, JOB, thisProcess(), startedAt), () => storedAt);
  onTestFinished(async () => {
    await journal.close();
    await store.close();
  });
  const begins: Part = (session) =>
    session.play(
      response(10_000),
      toolStart("a", "npm test"),
      toolEnd("a"),
      response(120_000),
      stopped,
      idle,
    );
  const played = playedJob({
    folder,
    config: changes(folder),
    agent: new PlayedAgent(begins, ...answers),
  });
  const leg = await firstLeg(played);
  await leg.run();
  const { live } = leg;
  journal.append({ type: "session:starting", session: live.id, ordinal: 1, mode: "fresh" });
  const calledOff = new AbortController();
  const storing: number[] = [];
  const context = {
    ...played.context,
    job: () => journal.job,
    append: journal.append.bind(journal),
    record: journal.record.bind(journal),
    redact: redactor({ API_TOKEN: SECRET }),
    now: () => storedAt,
  };
  const from: FromWork = { kind: "work", leg, trigger: "threshold", waits: false };
  const make = async (more: Partial<JobHandoff> = {}) => {
    const number = journal.job.handoffs.length + 1;
    journal.append({
      type: "context:handoff:start",
      agentName: config.name,
      jobId: JOB,
      oldSessionId: live.id,
      usagePercent: 0.6,
      inputTokens: 120_000,
      contextWindow: 200_000,
      trigger: "threshold",
      handoffNumber: number,
    });
    await makeJobHandoff(context, {
      from,
      number,
      figures: { tokens: 120_000, window: 200_000, percent: 60 },
      background: { tasks: [], atRest: false },
      ownAccountOnly: false,
      checkpoint: Promise.resolve("refs/baton/checkpoints/7"),
      startedAt: performance.now() - 42_000,
      signal: calledOff.signal,
      onStoring: () => storing.push(journal.job.handoffs.length),
      ...more,
    });
    const stored = journal.job.handoffs.at(-1);
    if (!stored) throw new Error("nothing on record");
    const text = await readFile(stored.documentPath, "utf8");
    return { stored, text, document: parseDocument(text) };
  };
  /** As another process sees them. */
  const onDisk = async () => {
    await journal.flush();
    await using other = await openStore(store.path);
    return await readEvents(other, JOB, 0);
  };
  const documents = () => readdir(config.handoff.dir).catch(() => []);
  return { folder, from, make, onDisk, documents, storing, calledOff, session: played.session, context };
}

describe("the document of a handoff", () => {
  it("holds the account and the facts, and says where it comes from", async () => {
    const { folder, make, onDisk, storing, context } = await handingOver(
      [submits(submitted)],
      () => ({}),
      inRepository,
    );
    const { stored, document } = await make();
    expect(document.head).toMatchObject({
      job: JOB,
      number: 1,
      previous: null,
      created: storedAt.toISOString(),
      reason: "threshold",
      source: "agent",
      outcome: "written",
      session: "first",
      tokens: 120_000,
      percent: 60,
      branch: "main",
      head: await git(folder, "rev-parse", "HEAD"),
      checkpoint: "refs/baton/checkpoints/7",
    });
    expect(document.account).toEqual(account);
    expect(document.facts).toContain("npm test");
    expect(stored).toMatchObject({ outcome: "written", reason: null });
    expect(stored.durationMs).toBeGreaterThanOrEqual(42_000);
    expect(only(await onDisk(), "handoff:asked", "facts:collected", "handoff:stored")).toMatchObject([
      { type: "handoff:asked", handoffNumber: 1 },
      {
        type: "facts:collected",
        facts: { done: account.progress.done, commands: [{ command: "npm test" }] },
      },
      { type: "handoff:stored", documentPath: stored.documentPath },
    ]);
    expect(storing).toEqual([0]);
    expect(context.facts.facts().done).toEqual(account.progress.done);
  });

  it("names the one before it", async () => {
    const { make } = await handingOver([submits(submitted), submits(submitted)]);
    const first = await make();
    const second = await make();
    expect(second.document.head).toMatchObject({ number: 2, previous: first.stored.documentPath });
  });

  it("has no secret in it, nor has what is on record", async () => {
    const { make, onDisk } = await handingOver([
      submits({ ...submitted, current_state: `The token is ${SECRET}.` }),
    ]);
    const { text, stored } = await make();
    expect(text).toContain("The token is [redacted: API_TOKEN].");
    expect(JSON.stringify([text, await onDisk()])).not.toContain(SECRET);
    expect(stored.outcome).toBe("written");
  });

  it("has the sections of the user's template, which the session was asked for by name", async () => {
    const { folder, from, make, session } = await handingOver(
      [submits({ ...submitted, extra: [{ title: "Risks", text: "None known." }] })],
      (folder) => ({ handoff: { templatePath: join(folder, "template.md") } }),
    );
    await write(folder, { "template.md": "## Risks\n\n## Goal\n" });
    const { text } = await make({ from: { ...from, focus: "the tests" } });
    expect(session.sent.at(-1)?.text).toMatch(/## Risks/);
    expect(session.sent.at(-1)?.text).toMatch(/focus on: the tests/);
    expect(text).toMatch(/## Risks\n\nNone known\.[\s\S]*## Goal/);
  });

  it("is made without the template where that is gone, and the user hears of it", async () => {
    const { make, onDisk } = await handingOver([submits(submitted)], (folder) => ({
      handoff: { templatePath: join(folder, "template.md") },
    }));
    expect((await make()).stored.outcome).toBe("written");
    expect(only(await onDisk(), "warning")).toMatchObject([
      { message: expect.stringContaining("template.md") },
    ]);
  });

  it("brings the living document up to date, in a commit of its own", async () => {
    const keeps = () => ({
      handoff: {
        livingDocument: {
          path: "docs/HANDOFF.md",
          templatePath: "docs/TEMPLATE.md",
          archiveDir: "docs/archive",
          sizeThreshold: 500,
          autoCommit: true,
          commitHooks: false,
        },
      },
    });
    const { folder, make } = await handingOver([submits(submitted)], keeps, inRepository);
    await git(folder, "config", "user.name", "Test");
    await git(folder, "config", "user.email", "test@example.invalid");
    await write(folder, { "a.txt": "changed\n" });
    await make();
    expect(await readFile(join(folder, "docs/HANDOFF.md"), "utf8")).toContain("- Write the second line.");
    expect(await git(folder, "show", "--name-only", "--format=")).toBe("docs/HANDOFF.md\ndocs/TEMPLATE.md");
  });
});

describe("an account that falls short", () => {
  const withoutState = { ...submitted, current_state: "TBD" };

  it("is asked for once more, with exactly what is missing", async () => {
    const { make, session, onDisk } = await handingOver([submits(withoutState), submits(submitted)]);
    expect((await make()).stored).toMatchObject({ outcome: "written", reason: null });
    const again = ['the section "Current state" is missing, empty or a placeholder'];
    expect(only(await onDisk(), "handoff:asked")).toMatchObject([{ handoffNumber: 1 }, { again }]);
    expect(session.sent.at(-1)?.text).toContain(`- ${again[0]}`);
  });

  it("twice is completed from the facts, and says what was wrong", async () => {
    const { make, session } = await handingOver([submits(withoutState), submits(withoutState)]);
    const { stored, document } = await make();
    expect(stored).toMatchObject({
      outcome: "mended",
      source: "agent",
      reason: expect.stringMatching(/Current state/),
    });
    expect(stored.checks).toContainEqual({ name: "complete", ok: false });
    expect(document.account.currentState).not.toMatch(/^(TBD)?$/);
    expect(document.head.checks).toMatchObject({ complete: "mended", budget: "ok" });
    expect(session.sent).toHaveLength(3);
  });
});

describe("a session that gives no account", () => {
  const full: Part = (session) => session.play(overflow, idle);

  it("is not asked again where that is of no use: the facts stand in", async () => {
    const { make, session } = await handingOver([full]);
    const { stored, document } = await make();
    expect(stored).toMatchObject({
      outcome: "from-facts",
      source: "facts",
      reason: "there was no room left in the window to write it",
    });
    expect(document.account.goal).toBe(PROMPT);
    expect(session.sent).toHaveLength(2);
  });

  it("leaves what the handoff before said, with a word on its age", async () => {
    const { make } = await handingOver([submits(submitted), full]);
    await make();
    const { document } = await make();
    expect(document.account.progress.done).toContain("The first line is written");
    expect(document.account.nextSteps).toContain("Write the second line. (as the handoff before said)");
  });

  it("is asked a second time where it only made a remark", async () => {
    const remark: Part = (session) => session.play(completed("Sure!"), idle);
    const { make } = await handingOver([remark, submits(submitted)]);
    expect((await make()).stored.outcome).toBe("written");
  });

  it("makes no handoff where a person wants its own words", async () => {
    const { make, documents, storing } = await handingOver([full]);
    await expect(make({ ownAccountOnly: true })).rejects.toMatchObject({ name: "NoAccountError" });
    expect(await documents()).toEqual([]);
    expect(storing).toEqual([]);
  });

  it("cannot be asked at all where nothing of it is left, and the document says why", async () => {
    const { from, make, onDisk } = await handingOver([]);
    const gone = { kind: "gone", session: "first", waits: false } as const;
    const { stored } = await make({ from: { ...gone, trigger: "lost" } });
    expect(stored).toMatchObject({
      source: "facts",
      outcome: "from-facts",
      reason: "the transcript of the session is gone",
    });
    const full = await make({ from: { ...gone, trigger: "overflow" } });
    expect(full.stored).toMatchObject({ source: "facts", reason: expect.stringMatching(/too large/) });
    const byHook = await make({ from: { ...from, kind: "by-hook" } });
    expect(byHook.stored).toMatchObject({
      source: "hook",
      outcome: "from-facts",
      reason: expect.stringMatching(/^the hooks of on_context_threshold take the place/),
    });
    expect(only(await onDisk(), "handoff:asked")).toEqual([]);
  });
});

describe("a handoff that is called off", () => {
  it("up to the last moment leaves no document", async () => {
    const { make, documents, calledOff, onDisk, context } = await handingOver([submits(submitted)]);
    context.now = () => {
      calledOff.abort(new Error("called off"));
      return storedAt;
    };
    await expect(make()).rejects.toThrow("called off");
    expect(await documents()).toEqual([]);
    expect(only(await onDisk(), "handoff:stored", "facts:collected")).toEqual([]);
  });

  it("never takes the place of another document", async () => {
    const { make, context } = await handingOver([submits(submitted), submits(submitted)]);
    const first = await make();
    await writeFile(first.stored.documentPath, "Edited by hand.\n");
    const second = await make();
    expect(second.stored.documentPath).not.toBe(first.stored.documentPath);
    expect(await readFile(first.stored.documentPath, "utf8")).toBe("Edited by hand.\n");
    expect(context.job().handoffs).toHaveLength(2);
  });
});
