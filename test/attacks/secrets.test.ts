import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolveAgent } from "../../src/config/layers/resolve.ts";
import { renderDocument } from "../../src/handoff/document.ts";
import { storeDocument } from "../../src/handoff/library.ts";
import type { Notice } from "../../src/job/notices/notice.ts";
import { JobHooks } from "../../src/jobs/hooks/job-hooks.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { notifyPeople } from "../../src/jobs/notices/notices.ts";
import { claimedJob } from "../../src/jobs/run/set-up.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { withoutCredentials } from "../../src/secrets/credentials.ts";
import { redactor } from "../../src/secrets/redact.ts";
import { RedactedStream } from "../../src/secrets/redacted-stream.ts";
import { claimJob } from "../../src/store/claims.ts";
import { readEvents } from "../../src/store/events.ts";
import { createJob } from "../../src/store/jobs.ts";
import { openStore } from "../../src/store/store.ts";
import { commitMessage } from "../../src/workspace/publish/commit-message.ts";
import { publish } from "../../src/workspace/publish/publish.ts";
import { pullRequestText } from "../../src/workspace/publish/pull-request-text.ts";
import { PlayedAgent } from "../played-session.ts";
import { type Secret, tokenShapes } from "./token-shapes.ts";

const run = promisify(execFile);
const shapes = tokenShapes();
const redact = redactor({});

/** Whether so much of it can be read that the rest can be guessed. */
function isIn(text: string, { secret }: Pick<Secret, "secret">): boolean {
  const parts = secret.split(/[\s;,]|\\n/).filter((part) => part.length >= 10);
  return (parts.length === 0 ? [secret] : parts).some(
    (part) => text.includes(part.slice(0, -1)) || text.includes(part.slice(2)),
  );
}

/** The kinds that a place lets through. */
const escapes = (out: (secret: Secret) => string) =>
  shapes.filter((secret) => isIn(out(secret), secret)).map(({ kind }) => kind);

/** The same of one text that has them all. */
const escapesIn = (text: string) => escapes(() => text);

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "baton-secrets-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const id = "job-2026-01-01-abc123";

async function createdJob() {
  const folder = folderOfTest();
  const store = await openStore(join(folder, "baton.db"));
  onTestFinished(() => store.close());
  const created = { type: "job:created", agent: "coder", prompt: "Do it", agentConfig: {} } as const;
  await createJob(store, id, created, new Date());
  const now = () => new Date();
  const journal = new Journal(store, await claimJob(store, id, thisProcess(), now()), now);
  return { folder, store, journal, now, config: resolveAgent("coder", {}, { root: folder, home: folder }) };
}

const all = shapes.map(({ text }) => text).join("\n\n");

describe("more than 180 secrets", () => {
  it("are more than the 90 that are asked for", () => {
    expect(new Set(shapes.map(({ kind }) => kind)).size).toBe(shapes.length);
    expect(shapes.length).toBeGreaterThanOrEqual(180);
    expect(escapes(({ text }) => text)).toHaveLength(shapes.length);
  });

  it.each<[string, (text: string) => string]>([
    ["in a sentence", (text) => `It is ${text} as you know`],
    ["at the end", (text) => text],
    ["on lines of its own", (text) => `one\n${text}\nthree`],
    ["in JSON", (text) => JSON.stringify({ text: `a\n${text}\nb` })],
    ["in quotes", (text) => `'${text}'`],
    ["after a tab", (text) => `a\t${text}`],
  ])("do not get out %s", (_where, frame) => {
    expect(escapes(({ text }) => redact(frame(text)))).toEqual([]);
  });

  it("do not get into a document", async () => {
    const texts = shapes.map(({ text }) => text);
    const account = {
      ...{ goal: all, constraints: texts, currentState: all, decisions: [], failedAttempts: texts },
      ...{ progress: { done: texts, inProgress: [], pending: [] }, criticalContext: texts, openIssues: [] },
      ...{ nextSteps: texts, filesChanged: [], activeSubagents: [], links: [], extra: [] },
    };
    const folder = folderOfTest();
    const document = { head: { job: id, number: 1, previous: null }, account, facts: all };
    // As `storeDraft` of handoff/make.ts makes it.
    const path = await storeDocument({ dir: folder }, new Date(), redact(renderDocument(document as never)));
    expect(escapesIn(await readFile(path, "utf8"))).toEqual([]);
  });

  it("do not get into the journal, as a text, as a key of an object or as a value", async () => {
    const { journal, store, config, now } = await createdJob();
    const { signal } = new AbortController();
    const claimed = claimedJob({ journal, config, agent: new PlayedAgent(), env: {}, signal, now });
    for (const { text } of shapes) {
      claimed.append({ type: "text", session: "s", text });
      claimed.append({ type: "warning", message: { [text]: { deep: [text] } } as never });
    }
    await claimed.record({ type: "job:failed", error: all });
    const stored = await readEvents(store, id, 1);
    expect(stored.length).toBeGreaterThan(2 * shapes.length);
    const unescaped = stored.map((event) => JSON.stringify(event)).join("\n");
    expect(escapesIn(unescaped)).toEqual([]);
    expect(escapesIn(unescaped.replaceAll("\\n", "\n").replaceAll('\\"', '"'))).toEqual([]);
    await journal[Symbol.asyncDispose]();
  });

  it("do not get into a notice", async () => {
    const { journal, config, now } = await createdJob();
    const shown: Notice[] = [];
    config.notify.desktop = true;
    config.notify.events = ["failure"];
    const reach = { bell: () => {}, desktop: async (notice: Notice) => void shown.push(notice) };
    const people = notifyPeople(journal, config, reach, {});
    for (const { text } of shapes) journal.append({ type: "job:failed", error: text });
    await journal.record({ type: "warning", message: now().toISOString() });
    await people[Symbol.asyncDispose]();
    // Those that say the same are told as one.
    expect(shown.length).toBeGreaterThan(shapes.length * 0.8);
    expect(escapesIn(shown.map(({ title, text }) => `${title}\n${text}`).join("\n"))).toEqual([]);
    await journal[Symbol.asyncDispose]();
  });

  it("do not get into what hooks are told", async () => {
    const { folder, journal, store, config, now } = await createdJob();
    const told = join(folder, "told.json");
    const hook = {
      type: "shell",
      command: `cat > ${told}`,
      continueOnError: true,
      timeoutMs: 60_000,
    } as const;
    const hooks = new JobHooks({
      config: { ...config, hooks: { ...config.hooks, afterRun: [hook] } },
      redact,
      env: { PATH: process.env.PATH ?? "" },
      store: store.path,
      job: () => ({ ...journal.job, prompt: all }),
      append: () => {},
      now,
    });
    await hooks.ended({ event: "completed", text: all }, new AbortController().signal);
    const { job, result } = JSON.parse(await readFile(told, "utf8"));
    expect(escapesIn(`${job.prompt}\n${result.output}`)).toEqual([]);
    await journal[Symbol.asyncDispose]();
  });

  it("do not get into a commit message or a pull request", () => {
    const of = (text: string) => ({ summary: redact(`Done\n\n${text}`), agent: "coder", jobId: id });
    expect(escapes(({ text }) => commitMessage("agent: {summary}", of(text)))).toEqual([]);
    // As `publish` makes it: redacted before any of it is cut short.
    const written = (text: string) => {
      const told = redact({ result: text, prompt: text, workItem: { id: "1", title: text } });
      return pullRequestText({ ...told, branch: "b", job: id, agent: "coder" });
    };
    expect(escapes(({ text }) => Object.values(written(text)).join("\n"))).toEqual([]);
  });

  it("do not get into a commit that Baton makes", async () => {
    const folder = folderOfTest();
    const git = (...args: string[]) => run("git", ["-C", folder, ...args]);
    await git("init", "-q", "-b", "main");
    await git("config", "user.name", "Test");
    await git("config", "user.email", "test@example.invalid");
    await git("commit", "-qm", "Base", "--allow-empty");
    const base = (await git("rev-parse", "HEAD")).stdout.trim();
    await git("checkout", "-qb", "work");
    await writeFile(join(folder, "a.txt"), "a");
    const text = `Done\n\n${shapes
      .slice(0, 60)
      .map((each) => each.text)
      .join("\n")}`;
    const { signal } = new AbortController();
    const job = {
      ...{ id, agent: "coder", prompt: "p", before: null, env: {}, named: [], redact, signal, lost: signal },
      ...{ note: () => {}, record: async () => {}, warn: () => {}, endProcesses: async () => {} },
      ...{ checkpointed: () => {}, keep: [], now: () => new Date() },
    };
    const { workspace } = resolveAgent(
      "coder",
      { workspace: { strategy: "git_worktree" } },
      { root: folder, home: folder },
    );
    const source = { path: folder, branch: "work", base, worktree: { repo: folder, baseBranch: "main" } };
    const done = { kind: "completed", text, commands: [] } as const;
    const published = await publish(job, source, undefined, workspace, { ...done, commands: [] });
    expect(published).toMatchObject({ kind: "published" });
    const message = (await git("log", "-1", "--format=%B")).stdout;
    expect(message).toContain("[redacted]");
    expect(escapesIn(message)).toEqual([]);
  });

  it("do not get into what git, a forge or a server said", () => {
    expect(escapes(({ text }) => withoutCredentials(`fatal: unable to access: ${text}`))).toEqual([]);
  });

  it("do not show for a moment while a text comes in pieces, wherever those are cut", () => {
    const seen = new Set<string>();
    for (const secret of shapes) {
      for (const size of [1, 7, 64]) {
        const stream = new RedactedStream(redact);
        const text = `It is:\n${secret.text}\nas you know. `;
        for (let at = 0; at < text.length; at += size) {
          if (isIn(stream.add(text.slice(at, at + size)), secret)) seen.add(secret.kind);
        }
      }
    }
    expect([...seen]).toEqual([]);
  });
});

describe("the value of a variable", () => {
  const value = "correct horse+battery/staple&9";
  const many = "first line of it 1\nsecond line of it 2\nthird line of it 3";
  const clean = redactor({ MY_PASSWORD: value, MY_SECRET: many, GIT_AUTHOR_NAME: "Ann Author" });

  it.each<[string, string]>([
    ["as it is", value],
    ["in JSON", JSON.stringify({ a: `${value}"` })],
    ["in an address", `https://x/?q=${encodeURIComponent(value)}`],
    ["in a form", `q=${encodeURIComponent(value).replaceAll("%20", "+")}`],
    ["in base64", Buffer.from(value).toString("base64")],
    ["in base64, after one byte", Buffer.from(`a${value}`).toString("base64")],
    ["in base64, after two bytes", Buffer.from(`ab${value}c`).toString("base64")],
    ["in base64 of addresses", Buffer.from(`me:${value}`).toString("base64url")],
    ["in hex", Buffer.from(value).toString("hex")],
    ["of several lines", many],
    ["of several lines, set in", many.replaceAll("\n", "\n      ")],
    ["of several lines, in JSON", JSON.stringify(many)],
    ["of several lines, one of them", "second line of it 2"],
  ])("is known %s", (_how, text) => {
    expect(clean(`a ${text} b`)).toMatch(/\[redacted: MY_(?:PASSWORD|SECRET)\]/);
    expect(clean(`a ${text} b`)).not.toMatch(/horse|second line|aG9yc2|686f727365/);
  });

  it("is known as a key of an object, and nothing of it shows before its last word", () => {
    expect(clean({ [value]: 1 })).toEqual({ "[redacted: MY_PASSWORD]": 1 });
    const stream = new RedactedStream(clean);
    expect(stream.add("It is correct horse+battery")).toBe("It is ");
    expect(clean("By Ann Author")).toBe("By Ann Author");
  });

  it("is taken out once: what stands in its place stays", () => {
    const once = redactor({ MY_TOKEN: "redacted" })("It is redacted, token=redacted");
    expect(redactor({ MY_TOKEN: "redacted" })(once)).toBe(once);
    expect(redact(redact(all))).toBe(redact(all));
  });
});
