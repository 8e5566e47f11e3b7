import { Console } from "node:console";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { afterAll, beforeAll, expect, it } from "vitest";
import { reachOf } from "../../src/app/reach.ts";
import { chatLine, saidLine } from "../../src/chat/lines.ts";
import { sessionsReport, statusReport } from "../../src/chat/report.ts";
import { statusLine } from "../../src/cli/sessions/statusline.ts";
import { eventLine } from "../../src/display/event-line.ts";
import { liveLine } from "../../src/display/live-line.ts";
import { coloured, onScreen, plain } from "../../src/display/style.ts";
import type { JobEvent, JournalEvent } from "../../src/job/events.ts";
import { apply } from "../../src/job/fold.ts";
import { emptyJob } from "../../src/job/job.ts";
import { messageAbout } from "../../src/job/message.ts";
import { Journal } from "../../src/jobs/journal.ts";
import { result } from "../../src/mcp/tools.ts";
import { thisProcess } from "../../src/processes/owner.ts";
import { Registry } from "../../src/sessions/record/registry.ts";
import { newSession } from "../../src/sessions/record/session.ts";
import { claimJob } from "../../src/store/claims.ts";
import { createJob } from "../../src/store/jobs.ts";
import { openStore } from "../../src/store/store.ts";
import { escapedJson } from "../../src/util/printable.ts";
import { makeCheckpoint } from "../../src/workspace/checkpoint.ts";
import { commitMessage } from "../../src/workspace/publish/commit-message.ts";
import { pullRequestText } from "../../src/workspace/publish/pull-request-text.ts";
import { aHandoff } from "../a-handoff.ts";
import { batonHere, type Ended } from "../baton-here.ts";
import { configIn } from "../played-job.ts";
import { beginRepository } from "../repository.ts";
import { actsIn, ESCAPES, SPLIT } from "./terminal-escapes.ts";

const ALL = ESCAPES.map(({ text }) => text).join("\n");
const EVERY = "job-2026-01-01-zzzzzz";
const session = "s1";
const HONEST = "👩‍👩‍👧‍👦 שלום مرحبا 日本語 e\u0301";

let asks = 0;
/** One id is of one ask. */
const nextAsk = () => `9dwwek-${++asks}`;

/** All that a job can be told about, with a hostile text wherever somebody else than the user puts one. */
function eventsWith(text: string): JobEvent[] {
  return [
    { type: "text", session, text },
    { type: "tool:start", session, id: text, name: text, summary: text },
    { type: "tool:end", session, id: text, ok: false, output: text },
    { type: "tool:denied", session, id: "t2", name: text, message: text },
    { type: "tool:permitted", session, id: "t3", name: text, rule: text },
    {
      ...{ type: "ask:made", session, ask: nextAsk(), call: "t4", digest: "0", name: text, summary: text },
      ...{ input: text, why: text, rule: text, questions: [{ question: text, options: [{ label: text }] }] },
    },
    {
      type: "ask:made",
      session,
      ask: nextAsk(),
      call: "t5",
      digest: "0",
      name: text,
      summary: text,
      input: text,
    },
    { type: "ask:answered", ask: nextAsk(), answer: { answer: "said", texts: [text] } },
    { type: "ask:answered", ask: nextAsk(), answer: { answer: "no", because: text } },
    { type: "ask:withdrawn", ask: "9dwwek-3", message: text },
    { type: "ask:expired", ask: "9dwwek-4", message: text },
    { type: "message:sent", session, kind: "said", text },
    { type: "handoff:requested", session, by: "agent", focus: text },
    { type: "handoff:refused", message: text },
    { type: "handoff:failed", session, message: text },
    { type: "background:left", session, tasks: [{ id: "b", kind: "command", description: text }] },
    { type: "workspace:command", command: text, ok: false, output: text, durationMs: 1 },
    { type: "workspace:waiting", behind: text, message: text },
    { type: "retry", session, number: 1, of: 2, delayMs: 1, message: text },
    { type: "limit:waiting", session, until: 1, message: text },
    { type: "limit:over", session },
    { type: "warning", message: text },
  ];
}

let root = "";
let place = { folder: "", env: {} as Record<string, string> };

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "baton-terminal-"));
  const folder = join(root, "project");
  const handoffs = join(folder, ".baton", "handoffs");
  await mkdir(handoffs, { recursive: true });
  await writeFile(
    join(folder, "baton.yaml"),
    `agents:\n  - name: coder\n    system_prompt: ${escapedJson(ALL)}\n`,
  );
  await beginRepository(folder);
  place = {
    folder,
    env: { PATH: process.env.PATH ?? "", HOME: root, XDG_STATE_HOME: join(root, "state"), NO_COLOR: "1" },
  };
  await fillStore(folder, handoffs);
  await fillRegistry(folder);
  await writeFile(
    join(handoffs, "handoff-2026-01-01-000000.md"),
    `---\nnumber: 1\nsession: ${escapedJson(ALL)}\nreason: ${escapedJson(ALL)}\noutcome: ${escapedJson(ALL)}\n---\n\n## Goal\n\n${ALL}\n\n${HONEST}\n`,
  );
}, 120_000);

afterAll(() => rm(root, { recursive: true, force: true }));

async function fillStore(folder: string, handoffs: string): Promise<void> {
  await using store = await openStore(join(folder, ".baton", "baton.db"));
  const made = { type: "job:created" as const, agentConfig: {} };
  for (const [index, { text }] of ESCAPES.entries()) {
    const id = `job-2026-01-02-${String(index).padStart(6, "0")}`;
    const workItem = { source: "github", id: text, title: text };
    await createJob(store, id, { ...made, agent: text, prompt: text, epic: text, workItem }, new Date(index));
    await using journal = new Journal(
      store,
      await claimJob(store, id, thisProcess(), new Date()),
      () => new Date(),
    );
    const [repo, branch, path] = [folder, text, `/nowhere/${text}`];
    journal.append({
      type: "workspace:creating",
      repo,
      path,
      branch,
      base: "0",
      baseBranch: text,
      takenUp: false,
    });
    journal.append({ type: "workspace:ready", strategy: "git_worktree", path, branch, base: "0" });
    journal.append({ type: "workspace:kept", reason: text });
    await journal.record({ type: "job:failed", error: text });
  }
  const honest = { ...made, agent: "coder", prompt: HONEST };
  await createJob(store, "job-2026-01-03-honest", honest, new Date(9e5));
  const split = { ...made, agent: SPLIT.before, prompt: SPLIT.after };
  await createJob(store, "job-2026-01-03-splits", split, new Date(9e5));
  await createJob(store, EVERY, { ...made, agent: "coder", prompt: ALL }, new Date(1e6));
  await makeCheckpoint(folder, EVERY, ALL.replaceAll("\u0000", "").replaceAll("\n", " "));
  await using journal = new Journal(
    store,
    await claimJob(store, EVERY, thisProcess(), new Date()),
    () => new Date(),
  );
  journal.append({ type: "workspace:ready", strategy: "static", path: folder });
  journal.append({ type: "session:starting", session, ordinal: 1, mode: "fresh" });
  journal.append({ type: "session:started", session, model: ALL, program: ALL });
  for (const { text } of ESCAPES) for (const event of eventsWith(text)) journal.append(event);
  const documentPath = join(handoffs, `handoff-${ESCAPES[0]?.text}.md`);
  journal.append({
    type: "context:handoff:start",
    agentName: "coder",
    jobId: EVERY,
    oldSessionId: session,
    usagePercent: 70,
    inputTokens: 7,
    contextWindow: 10,
    trigger: "threshold",
    handoffNumber: 1,
  });
  journal.append({
    type: "handoff:stored",
    handoffNumber: 1,
    session,
    source: "agent",
    outcome: "mended",
    checks: [],
    reason: ALL,
    documentPath,
    durationMs: 1,
  });
  await journal.record({ type: "job:completed", result: ALL });
}

async function fillRegistry(folder: string): Promise<void> {
  await mkdir(join(root, "state", "baton", "sessions"), { recursive: true });
  const registry = new Registry(join(root, "state", "baton", "sessions"));
  const startedAt = new Date().toISOString();
  for (const [index, { text }] of ESCAPES.entries()) {
    const handoff = aHandoff("failed", { reason: text });
    const known = newSession({ id: `own-${index}`, cwd: folder, project: `/p/${text}`, startedAt, handoff });
    await registry.update(known.id, () => known);
  }
  const files = Object.fromEntries(
    ESCAPES.map(({ text }) => [`/p/${text}`, { at: startedAt, commands: [text] }]),
  );
  await writeFile(join(root, "state", "baton", "trusted.json"), JSON.stringify({ version: 1, files }));
}

/** Each prints texts that came from somebody else. */
const COMMANDS = [
  ["jobs", "-n", "1000"],
  ["show", EVERY],
  ["show", "job-2026-01-02-000017"],
  ["logs", EVERY],
  ["logs", "job-2026-01-02-000030"],
  ["handoffs"],
  ["handoffs", EVERY],
  ["handoff", "show", ".baton/handoffs/handoff-2026-01-01-000000.md"],
  ["worktrees"],
  ["maintain", "--dry-run"],
  ["checkpoints", EVERY],
  ["status"],
  ["config", "check"],
  ["config", "show"],
  ["doctor"],
  ["trust", "--list"],
];

/** Of which attempts something was printed. */
function signsIn(printed: string): Set<string> {
  return new Set(printed.match(/p\d{3}q/g));
}

const NOT_IN_JSON = /(?!\n)\p{Control}|\p{Format}|\p{Zl}|\p{Zp}|\p{Surrogate}|\p{Variation_Selector}/u;

let attempts = 0;

function judged(
  { stdout, stderr }: Pick<Ended, "stdout" | "stderr">,
  what: string,
  painted = false,
): Set<string> {
  const signs = signsIn(stdout + stderr);
  attempts += signs.size;
  expect({ what, acts: [...actsIn(stdout, painted), ...actsIn(stderr, painted)] }).toEqual({
    what,
    acts: [],
  });
  return signs;
}

it("knows a hundred ways, and would notice each of them", () => {
  expect(ESCAPES.length).toBeGreaterThanOrEqual(100);
  expect(ESCAPES.filter(({ text }) => actsIn(text, true).length === 0).map(({ name }) => name)).toEqual([]);
});

it.each(COMMANDS)("prints nothing of theirs that acts: baton %s %s", async (...args) => {
  const words = args.filter((word) => word !== undefined);
  const signs = judged(await batonHere(place, words), words.join(" "));
  if (words[0] === "doctor") return;
  const colours = { ...place, env: { ...place.env, NO_COLOR: "", FORCE_COLOR: "1" } };
  judged(await batonHere(colours, words), words.join(" "), true);
  if (["jobs", "status", "worktrees"].includes(words[0] ?? "")) expect(signs.size).toBe(ESCAPES.length);
});

it.each(COMMANDS.filter(([name]) => name !== "doctor"))(
  "escapes it in JSON: baton %s %s",
  async (...args) => {
    const words = [...args.filter((word) => word !== undefined), "--json"];
    const { stdout } = await batonHere(place, words);
    const lines = stdout.trimEnd().split("\n");
    expect(stdout).not.toMatch(NOT_IN_JSON);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
    attempts += signsIn(stdout).size;
  },
);

it("says what is wrong with hostile names, paths, options and files in words alone", async () => {
  for (const [index, { text, name }] of ESCAPES.entries()) {
    const ways = [["handoff", "show", text], ["config", "check", text], [text], ["jobs", `--${text}`]];
    for (const words of [["show", text], ways[index % ways.length] ?? []]) {
      const ended = await batonHere(place, words);
      expect(ended.code).not.toBe(0);
      judged(ended, name);
    }
    expect((await batonHere(place, ["show", text, "--json"])).stdout).not.toMatch(NOT_IN_JSON);
  }
});

it("says what is wrong with a hostile configuration in words alone", async () => {
  const folder = await mkdtemp(join(root, "config-"));
  const wrong = ESCAPES.map(({ text }) => `${escapedJson(text)}: ${escapedJson(text)}`);
  const raw = ESCAPES.map(({ text }) => `# ${text}\nmodel${text}: x`);
  for (const lines of [wrong, raw, ["agents:", ...raw]]) {
    await writeFile(join(folder, "baton.yaml"), `${lines.join("\n")}\n`);
    for (const words of [
      ["config", "check"],
      ["config", "show"],
      ["run", "coder", "x"],
    ]) {
      judged(await batonHere({ ...place, folder }, words), words.join(" "));
    }
  }
});

it("asks and refuses in words alone where a document is hostile", async () => {
  const folder = await mkdtemp(join(root, "documents-"));
  await writeFile(join(folder, "none.md"), ALL);
  judged(await batonHere({ ...place, folder }, ["continue", "none.md"]), "continue");
  judged(await batonHere({ ...place, folder }, ["continue", "none.md", ALL]), "continue with an agent");
});

/** As a journal has it. */
const inJournal = (event: JobEvent): JournalEvent => ({
  seq: 1,
  at: "2026-01-01T00:00:00.000Z",
  job: EVERY,
  attempt: 1,
  ...event,
});

it("draws a chat and a live line with nothing of theirs that acts", () => {
  const config = configIn("/nowhere");
  for (const { text, name } of ESCAPES) {
    const events = eventsWith(text).map(inJournal);
    const job = [
      inJournal({ type: "job:created", agent: text, prompt: text, agentConfig: {} }),
      inJournal({ type: "session:starting", session: text, ordinal: 1, mode: "fresh" }),
      inJournal({ type: "session:started", session: text, model: text, program: text }),
      ...events.slice(0, 2),
    ].reduce(apply, emptyJob(EVERY));
    for (const paint of [plain, coloured]) {
      const drawn = [
        ...[undefined, 60].flatMap((width) =>
          events.flatMap((event) => [
            chatLine(event, paint, width) ?? "",
            eventLine(event, paint, width) ?? "",
          ]),
        ),
        saidLine(text, paint),
        statusReport(job, paint),
        sessionsReport(job, paint),
        liveLine(job, config, new Date(), 200, paint),
      ];
      judged({ stdout: drawn.map(onScreen).join("\n"), stderr: "" }, name, paint === coloured);
    }
  }
});

it("writes a chat's screen through Ink with nothing of theirs that acts", async () => {
  const { showChat } = await import("../../src/chat/view.ts");
  const { Chat } = await import("../../src/chat/chat.ts");
  let written = "";
  const stdout = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        written += chunk;
        done();
      },
    }),
    { isTTY: true, columns: 100, rows: 400 },
  );
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => {},
    ref: () => {},
    unref: () => {},
  });
  const before = { stdout: process.stdout, stdin: process.stdin };
  const become = (streams: object) => {
    for (const [name, value] of Object.entries(streams))
      Object.defineProperty(process, name, { value, configurable: true });
  };
  // A test's console has none, and Ink makes one of its own.
  Object.assign(console, { Console });
  const chat = new Chat({
    job: emptyJob(EVERY),
    isResumed: true,
    paint: plain,
    files: async () => [`x${ALL}`, `x${ALL}y`],
    leave: () => {},
  });
  become({ stdout, stdin });
  try {
    const screen = showChat({ chat, config: configIn("/nowhere"), paint: plain });
    const shown = chat.screen({ job: emptyJob(EVERY) } as Journal);
    shown.show(inJournal({ type: "text", session, text: ALL }));
    for (const event of eventsWith(ALL.replaceAll("\n", " "))) shown.show(inJournal(event));
    chat.act({ type: "edit", edit: { type: "insert", text: "@x" } });
    chat.act({ type: "complete" });
    chat.act({ type: "edit", edit: { type: "insert", text: ALL.slice(0, 500) } });
    await screen.waitUntilRenderFlush();
    chat.close();
    await screen.waitUntilRenderFlush();
    screen.unmount();
  } finally {
    become(before);
  }
  // What Ink itself writes: where the cursor is, and what to draw over.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: Ink's own
  const own = /\u001b\[(?:\d*[AGK]|\?25[hl]|\?2026[hl]|\?2004[hl]|2m|22m|7m|27m|\d*J|H)|\r/g;
  expect(signsIn(written).size).toBe(ESCAPES.length);
  judged({ stdout: written.replace(own, ""), stderr: "" }, "the screen of a chat");
});

it("tells status lines, notices, commits, pull requests and messengers in words alone", async () => {
  for (const { text, name } of ESCAPES) {
    const handoff = aHandoff("failed", { reason: text });
    const job = apply(
      emptyJob(EVERY),
      inJournal({ type: "job:created", agent: text, prompt: text, agentConfig: {} }),
    );
    const failed = {
      ...inJournal({ type: "job:failed", error: text }),
      type: "job:failed" as const,
      error: text,
    };
    const { title, body } = pullRequestText({
      branch: "b",
      result: text,
      prompt: text,
      job: EVERY,
      agent: text,
    });
    const told = messageAbout(failed, job, new Date(0));
    const said = [
      onScreen(statusLine({ model: text }, { figure: null, parent: null, pane: null, handoff })),
      title,
      body,
      commitMessage("{summary} {agent}", { summary: text, agent: text, jobId: EVERY }),
      told.title,
      told.text,
      ...told.facts.map(({ value }) => value),
    ];
    judged({ stdout: said.join("\n"), stderr: "" }, name);
  }
});

it("answers a session's tools in words alone", () => {
  for (const { text, name } of ESCAPES) {
    const { content, structuredContent } = result({ one: text, list: [{ two: text }] });
    const said = [content[0]?.text ?? "", structuredContent.one, structuredContent.list[0]?.two ?? ""];
    judged({ stdout: said.join("\n"), stderr: "" }, name);
  }
});

it("gives a desktop's program its words as arguments without anything that acts", async () => {
  const bin = await mkdtemp(join(root, "bin-"));
  const seen = join(bin, "seen");
  await writeFile(join(bin, "notify-send"), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${seen}"\n`, { mode: 0o755 });
  const path = process.env.PATH;
  process.env.PATH = `${bin}:${path}`;
  try {
    const reach = reachOf(process.stderr, { DISPLAY: ":0" });
    for (const { text } of ESCAPES.slice(0, 12))
      await reach.desktop({ event: "failure", title: text, text, command: text });
  } finally {
    process.env.PATH = path;
  }
  const { readFile } = await import("node:fs/promises");
  const got = await readFile(seen, "utf8");
  expect(judged({ stdout: got, stderr: "" }, "notify-send").size).toBe(12);
});

it("leaves people's own writing as it is", async () => {
  expect((await batonHere(place, ["show", "job-2026-01-03-honest"])).stdout).toContain(HONEST);
  const shown = await batonHere(place, ["handoff", "show", ".baton/handoffs/handoff-2026-01-01-000000.md"]);
  expect(shown.stdout).toContain(HONEST);
});

it("counted every attempt, and none got through", () => {
  expect(attempts).toBeGreaterThan(2_000);
});
