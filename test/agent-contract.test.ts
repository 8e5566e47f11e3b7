import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { acpAgent } from "../src/agents/acp/acp.ts";
import type { Agent, AgentSession, OwnTool, OwnTools, SessionSpec } from "../src/agents/agent.ts";
import { claude } from "../src/agents/claude/claude.ts";
import { claudeCli } from "../src/agents/claude/cli/claude-cli.ts";
import { claudeProgram } from "../src/agents/claude/program.ts";
import { codex } from "../src/agents/codex/codex.ts";
import type { AgentEvent, Outcome, TokenUsage } from "../src/agents/events.ts";
import type { PermissionAnswer, PermissionQuestion, Permit } from "../src/agents/permission.ts";
import { pi } from "../src/agents/pi/pi.ts";
import { costAt } from "../src/agents/price.ts";
import { ACP_PRESETS } from "../src/config/runtimes/acp.ts";
import { promptOf } from "../src/job/replay/trace.ts";
import { markedProcesses } from "../src/processes/marks.ts";
import { traceOf } from "../src/processes/trace.ts";
import { agentEnvironment } from "../src/simulator/environment.ts";
import type { Rule, Scenario, Step } from "../src/simulator/scenario.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { bash } from "./careful.ts";
import { CODEX_MODEL, codexEnvironment } from "./codex-home.ts";
import { needs, PROGRAMS, type Program } from "./needs.ts";
import { PI_MODEL, piEnvironment } from "./pi-home.ts";
import { isRunning } from "./processes.ts";
import { scripted } from "./scripted/agent.ts";

/** An adapter under test, and how its program is spoken to. A new adapter is one more of these. */
interface Subject {
  title: string;
  agent: Agent;
  tags: string[];
  /** What tests need to be installed for it. */
  program?: Program;
  model: string;
  windows: { model: string; window: number | undefined }[];
  /** Two spellings of one model. */
  sameModel: [string, string];
  /** What its program needs in its environment to run on the simulator; `root` is a folder for it alone. */
  environment(simulator: Simulator, root: string, account: PlaceOptions["account"]): Record<string, string>;
  /** Names of variables by which it signs in begin so. */
  credentials: RegExp;
  /** The tool that runs commands. */
  shell: string;
  /** An answer of the model that runs a command, as this program's tools are called. */
  run(command: string, input?: Record<string, unknown>): { call: Call };
  file(does: "write" | "read" | "edit", path: string, text?: string): { call: Call };
  /** What the model calls a tool of Baton's. */
  ownTool(name: string): string;
  subagent: Call;
  /** Puts files into a folder that its program acts on by itself. */
  repository(folder: string): Promise<Repository>;
  /** Where it compacts a window of 200,000 tokens. */
  compactsAt: number;
  /** How its API says that it has too much to do, and how many retries are told. */
  overloaded: { status: number; message: RegExp; retries: number };
  /** Whether it says when a usage limit ends. */
  tellsReset: boolean;
  /** How its transcript begins a tool call. */
  callInTranscript: string;
  /** What the model is told of a call that was denied. */
  denied: RegExp;
  /** What the model is told of a call that was cut off with the program. */
  cutOff: RegExp;
  /** Its API can be told that a call has failed. Otherwise only its words tell. */
  tellsErrors: boolean;
  /** Cases that it cannot pass, by their titles, with the reason. */
  skips: Record<string, string>;
  /** The program that runs a tool's shell, where that is not its parent. */
  programOf?(shell: number): Promise<number>;
}

interface Repository {
  /** The files, as they are to be named. */
  named: string[];
  /** What appears in the folder where they act. */
  makes: string[];
  /** A file with instructions, which is not among them. */
  instructions: string;
}

interface Call {
  tool: string;
  input: Record<string, unknown>;
}

const claudeCode: Omit<Subject, "title" | "agent"> = {
  tags: [],
  model: "claude-sonnet-4-5",
  windows: [
    { model: "claude-sonnet-4-5", window: 200_000 },
    { model: "claude-sonnet-4-5[1m]", window: 1_000_000 },
    { model: "another", window: undefined },
  ],
  sameModel: ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
  environment: (simulator, root, account) => ({
    ...agentEnvironment(simulator, join(root, "claude"), account),
    CLAUDE_CODE_MAX_RETRIES: "0",
  }),
  credentials: /^ANTHROPIC/,
  shell: "Bash",
  run: (command, input) => ({ call: bash(command, "Do it", input) }),
  file(does, path, text = "one") {
    const input = {
      write: { content: text },
      read: {},
      edit: { old_string: "one", new_string: "two" },
    }[does];
    const tool = { write: "Write", read: "Read", edit: "Edit" }[does];
    return { call: { tool, input: { file_path: path, ...input } } };
  },
  ownTool: (name) => `mcp__baton__${name}`,
  subagent: {
    tool: "Agent",
    input: { description: "dig", prompt: "Dig.", subagent_type: "general-purpose" },
  },
  async repository(folder) {
    const hook = (file: string) => JSON.stringify(hooking(`echo ran >> ${file}`));
    await mkdir(join(folder, ".claude", "agents"), { recursive: true });
    await writeFile(join(folder, ".claude", "settings.json"), hook("settings"));
    await writeFile(join(folder, ".claude", "settings.local.json"), hook("local"));
    await writeFile(join(folder, ".claude", "agents", "helper.md"), "---\nname: helper\n---\nHelp.\n");
    const server = { command: "sh", args: ["-c", "echo ran >> server"] };
    await writeFile(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { theirs: server } }));
    return {
      named: [
        ".claude/agents/helper.md file",
        ".claude/settings.json file",
        ".claude/settings.local.json file",
        ".mcp.json file",
      ],
      makes: ["settings", "local", "server"],
      instructions: "CLAUDE.md",
    };
  },
  compactsAt: 167_000,
  overloaded: { status: 529, message: /Overloaded/, retries: 1 },
  tellsReset: true,
  callInTranscript: "tool_use",
  denied: /denied/i,
  cutOff: /interrupted/,
  tellsErrors: true,
  skips: {},
};

const ASKS_NOBODY = "pi asks nobody: what the model calls, runs";

const SUBJECTS: Subject[] = [
  { ...claudeCode, title: "Claude Code", agent: claude, tags: ["claude"] },
  {
    ...claudeCode,
    title: "the user's own claude",
    agent: claudeCli,
    tags: ["claude"],
    environment: (simulator, root, account) => ({
      ...claudeCode.environment(simulator, root, account),
      PATH: [dirname(claudeProgram() ?? ""), process.env.PATH].join(delimiter),
    }),
  },
  {
    ...claudeCode,
    title: "Codex",
    agent: codex,
    tags: ["claude"],
    program: "codex",
    model: CODEX_MODEL,
    windows: [
      { model: CODEX_MODEL, window: 258_400 },
      { model: "gpt-6.1-terra", window: 475_000 },
      { model: "another", window: undefined },
    ],
    sameModel: [CODEX_MODEL, `openai/${CODEX_MODEL}-2026-04-23`],
    environment: (simulator, root, account) =>
      codexEnvironment(simulator, join(root, "codex"), { retries: account === "plan" ? 1 : 0 }),
    credentials: /^OPENAI/,
    shell: "exec_command",
    async repository(folder) {
      await mkdir(join(folder, ".codex"));
      const hook = { hooks: [{ type: "command", command: `echo ran >> ${join(folder, "hook")}` }] };
      await writeFile(
        join(folder, ".codex", "hooks.json"),
        JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }),
      );
      const server = `command = "sh"\nargs = ["-c", "echo ran >> ${join(folder, "server")}"]\n`;
      await writeFile(join(folder, ".codex", "config.toml"), `[mcp_servers.theirs]\n${server}`);
      return {
        named: [".codex/config.toml file", ".codex/hooks.json file"],
        makes: ["hook", "server"],
        instructions: "AGENTS.md",
      };
    },
    compactsAt: 200_000,
    overloaded: { status: 503, message: /at capacity/, retries: 0 },
    callInTranscript: "function_call",
    cutOff: /aborted/,
    tellsErrors: false,
    skips: {
      "tells during a turn what was heard has cost, and nothing that is still to be heard":
        "Codex does not tell what it costs",
      "denies what its permissions do not allow, and says what would allow it":
        "Codex has no rules for single tools (codex-agent.test.ts shows what it denies)",
      "asks a person about what its permissions do not allow, where there is one":
        "what Codex is allowed then, it does in a sandbox, and not in a folder for tests (codex-agent.test.ts)",
      "tells of a command in the background, rests beside it, and hears of its end":
        "Codex does not come back by itself when one has ended (codex-agent.test.ts shows what it does)",
      "keeps what a subagent says and uses apart, and rests only after it":
        "Codex runs without its subagents, whose use it does not tell",
      "asks once more for an answer in which there is nothing, then takes it for one":
        "Codex takes it for one at once",
    },
  },
  {
    ...claudeCode,
    title: "pi",
    agent: pi,
    tags: ["claude"],
    program: "pi",
    model: PI_MODEL,
    windows: [{ model: PI_MODEL, window: undefined }],
    sameModel: [PI_MODEL, `${PI_MODEL}:high`],
    environment: (simulator, root, account) =>
      piEnvironment(simulator, join(root, "pi"), { retries: account === "plan" ? 1 : 0 }),
    credentials: /^SIMULATED/,
    shell: "bash",
    async repository(folder) {
      const acts = (name: string) => `import { writeFileSync } from "node:fs";
        export default () => writeFileSync(${JSON.stringify(join(folder, name))}, "ran");`;
      await mkdir(join(folder, ".pi", "extensions"), { recursive: true });
      await writeFile(join(folder, ".pi", "extensions", "theirs.ts"), acts("extension"));
      const settings = { extensions: ["other.ts"], sessionDir: "./theirs" };
      await writeFile(join(folder, ".pi", "settings.json"), JSON.stringify(settings));
      await writeFile(join(folder, ".pi", "other.ts"), acts("other"));
      await mkdir(join(folder, ".agents", "skills", "dig"), { recursive: true });
      await writeFile(join(folder, ".agents", "skills", "dig", "SKILL.md"), "---\nname: dig\n---\nDig.\n");
      const named = [
        ".pi/extensions/theirs.ts",
        ".pi/other.ts",
        ".pi/settings.json",
        ".agents/skills/dig/SKILL.md",
      ];
      return {
        named: named.map((path) => `${path} file`),
        makes: ["extension", "other"],
        instructions: "AGENTS.md",
      };
    },
    compactsAt: 200_000 - 16_384,
    overloaded: { status: 503, message: /overloaded/, retries: 1 },
    callInTranscript: "toolCall",
    cutOff: /No result provided/,
    skips: {
      "denies what its permissions do not allow, and says what would allow it": ASKS_NOBODY,
      "asks a person about what its permissions do not allow, where there is one": ASKS_NOBODY,
      "asks nobody any more once it is interrupted": ASKS_NOBODY,
      "tells of a command in the background, rests beside it, and hears of its end":
        "pi runs no commands in the background",
      "keeps what a subagent says and uses apart, and rests only after it": "pi has no subagents",
      "asks once more for an answer in which there is nothing, then takes it for one":
        "pi takes it for one at once",
    },
  },
  {
    ...claudeCode,
    title: "claude-agent-acp",
    agent: acpAgent(ACP_PRESETS["claude-agent-acp"].command),
    tags: ["claude"],
    program: "claude-agent-acp",
    environment: (simulator, root, account) => ({
      ...claudeCode.environment(simulator, root, account),
      PATH: [PROGRAMS, process.env.PATH].join(delimiter),
    }),
    callInTranscript: "tool:start",
    overloaded: { ...claudeCode.overloaded, retries: 0 },
    tellsReset: false,
    denied: /refused/i,
    cutOff: /interrupted|Exit code/,
    programOf: outermost,
    skips: {
      "tells during a turn what was heard has cost, and nothing that is still to be heard":
        "it tells what it costs when a turn is over",
      "takes an answer that does not say its tokens for one of unknown size, and works on":
        "claude-agent-acp fails at such an answer itself",
      "can be told to compact its window by itself from now on": "the protocol has no word for it",
      "tells of a command in the background, rests beside it, and hears of its end":
        "the protocol does not tell of commands in the background",
      "keeps what a subagent says and uses apart, and rests only after it":
        "the protocol does not tell what subagents use",
    },
  },
  { ...claudeCode, title: "the scripted agent", agent: scripted },
];

/** As many as there are: one more is a decision. */
const SKIPS = 17;

const NO_TOOLS: OwnTools = { names: [], load: async () => [] };

interface Place {
  folder: string;
  env: Record<string, string>;
  simulator: Simulator;
}

interface PlaceOptions {
  account?: "key" | "plan";
  env?: Record<string, string>;
}

type Answers = Omit<Scenario, "name" | "summary">;

async function openPlace(
  subject: Subject,
  scenario: Answers,
  options: PlaceOptions = {},
): Promise<Place & AsyncDisposable> {
  const root = await mkdtemp(join(tmpdir(), "baton-contract-"));
  const folder = join(root, "work");
  await mkdir(folder);
  const simulator = await startSimulator(Object.assign(scenario, { name: "contract", summary: "" }));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    ...subject.environment(simulator, root, options.account),
    ...options.env,
  };
  return {
    folder,
    env,
    simulator,
    async [Symbol.asyncDispose]() {
      await simulator.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function placeFor(subject: Subject, scenario: Answers): Promise<Place> {
  const place = await openPlace(subject, scenario);
  onTestFinished(() => place[Symbol.asyncDispose]());
  return place;
}

/** Reads a session as far as a test wants, and no further: a reader may lag behind. */
class Heard {
  readonly session: AgentSession;
  readonly events: AgentEvent[] = [];
  readonly #iterator: AsyncIterator<AgentEvent>;

  /** For the test that runs now, which ends it. */
  static of(subject: Subject, place: Place, spec?: Partial<SessionSpec>): Heard {
    const heard = new Heard(subject, place, spec);
    onTestFinished(() => heard.session.close());
    return heard;
  }

  constructor({ agent, model }: Subject, { folder, env }: Place, spec: Partial<SessionSpec> = {}) {
    this.session = agent.start({
      sessionId: crypto.randomUUID(),
      resume: false,
      cwd: folder,
      model,
      allowedTools: [],
      deniedTools: [],
      permissionMode: "bypassPermissions",
      mcpServers: {},
      ownTools: NO_TOOLS,
      env,
      autoCompact: false,
      readsRepository: true,
      ...spec,
    });
    this.#iterator = this.session.events[Symbol.asyncIterator]();
  }

  async until<T extends AgentEvent["type"]>(
    type: T,
    matches: (event: Extract<AgentEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<AgentEvent, { type: T }>> {
    for (;;) {
      const { done, value } = await this.#iterator.next();
      if (done) throw new Error(`no ${type} among ${this.events.map((event) => event.type).join(", ")}`);
      this.events.push(value);
      if (isOf(value, type) && matches(value)) return value;
    }
  }

  async turn(text: string): Promise<Outcome> {
    this.session.send({ text, verbatim: true });
    return (await this.until("turn:end")).outcome;
  }

  of<T extends AgentEvent["type"]>(type: T): Extract<AgentEvent, { type: T }>[] {
    return this.events.filter((event) => isOf(event, type));
  }
}

function isOf<T extends AgentEvent["type"]>(
  event: AgentEvent,
  type: T,
): event is Extract<AgentEvent, { type: T }> {
  return event.type === type;
}

/** A session in which one case comes after the other. */
class Stage {
  readonly heard: Heard;
  readonly place: Place & AsyncDisposable;
  readonly scenario: Answers;
  #answers: Step[] = [];
  #earlier = 0;

  static async open(subject: Subject, options: PlaceOptions, spec: Partial<SessionSpec>): Promise<Stage> {
    const scenario: Answers = { rules: [digs(subject)] };
    return new Stage(subject, await openPlace(subject, scenario, options), scenario, spec);
  }

  private constructor(
    subject: Subject,
    place: Place & AsyncDisposable,
    scenario: Answers,
    spec: Partial<SessionSpec>,
  ) {
    this.place = place;
    this.scenario = scenario;
    this.heard = new Heard(subject, place, spec);
  }

  /** What the model answers from here on, the last of it again and again. All that was heard before is forgotten. */
  plays(...answers: Step[]): void {
    this.#answers = [...answers];
    this.#earlier = this.place.simulator.requests.length;
    this.heard.events.length = 0;
    this.scenario.otherwise = async (request) => {
      const [next = {}] = this.#answers.length > 1 ? this.#answers.splice(0, 1) : this.#answers;
      return typeof next === "function" ? next(request) : next;
    };
  }

  /** What the model was sent since: a program may ask for a title beside the work. */
  get requests() {
    return this.place.simulator.requests
      .slice(this.#earlier)
      .filter(({ request }) => request.kind !== "side");
  }

  /** Resolves once the model has answered something since. */
  async answered(): Promise<void> {
    const before = new Set(this.place.simulator.requests.slice(0, this.#earlier));
    await this.place.simulator.waitFor((one) => one.endedAt !== undefined && !before.has(one));
  }

  async close(): Promise<void> {
    await this.heard.session.close();
    await this.place[Symbol.asyncDispose]();
  }
}

/**
 * Cases that leave their session as good as they found it have one in common: the program takes longer to start than
 * they do. One that fails takes the session with it.
 */
function inOneSession(subject: Subject, options: PlaceOptions = {}, spec: Partial<SessionSpec> = {}) {
  let open: Stage | undefined;
  afterAll(() => open?.close());
  const it = caseOf(subject);
  // What says that it has closed the session is the last case of it.
  return (title: string, act: (stage: Stage) => Promise<unknown>): void => {
    it(title, async () => {
      const stage = open ?? (await Stage.open(subject, options, spec));
      open = undefined;
      try {
        if ((await act(stage)) === "closed") return;
        if (stage.heard.events.at(-1)?.type !== "idle") await stage.heard.until("idle");
        open = stage;
      } finally {
        if (!open) await stage.close();
      }
    });
  };
}

/** A case of the contract, or why this adapter skips it. */
function caseOf({ skips, program }: Subject) {
  return (title: string, act: () => Promise<void> | void): void => {
    const why = skips[title];
    known.add(title);
    if (why === undefined) {
      it(title, () => {
        if (program !== undefined) needs(program);
        return act();
      });
    } else it.skip(`${title} (skipped: ${why})`, act);
  };
}

/** Titles of all cases. */
const known = new Set<string>();

async function all(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const found: AgentEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

const sum = (figures: number[]) => figures.reduce((total, figure) => total + figure, 0);
const say = (text: string) => ({ say: text });
const digs = ({ run }: Subject): Rule => ({
  when: ({ kind, turns }) => kind === "subagent" && turns === 0,
  reply: run("echo dug > dug"),
});
/** Writes its process into `started-<name>`, and ends once there is `release-<name>`. */
const slow = (name: string) =>
  `echo $$ > started-${name}; until [ -e release-${name} ]; do sleep 0.02; done; echo released`;

/** What a command has written to a file, once there is something in it. */
function written(place: Place, name: string): Promise<string> {
  const read = () => readFile(join(place.folder, name), "utf8").catch(() => "");
  return vi.waitUntil(read, { timeout: 20_000, interval: 20 });
}

for (const subject of SUBJECTS) {
  describe(`the contract of an agent: ${subject.title}`, { tags: subject.tags }, () => contract(subject));
}

it("skips no case by chance", () => {
  const skipped = SUBJECTS.flatMap(({ skips }) => Object.keys(skips));
  expect(skipped.filter((title) => !known.has(title))).toEqual([]);
  expect(skipped).toHaveLength(SKIPS);
});

/** What the relay relies on, of every agent that it can run. */
function contract(subject: Subject): void {
  const { agent, run, model } = subject;
  const it = caseOf(subject);
  const trace = traceOf({ job: "job", owner: "contract", session: crypto.randomUUID() });
  const session = inOneSession(subject, {}, { trace });

  // The first of them: it hears the session begin.
  session(
    "tells what is said and done, counts each answer once and in full, and comes to rest",
    async (stage) => {
      const { heard, place } = stage;
      stage.plays({ say: "I look.", ...run("echo seen; echo wrong >&2; exit 3") }, say("It is done."));
      expect(await heard.turn("Look around.")).toEqual({ kind: "completed", text: "It is done." });
      await heard.until("idle");

      expect(heard.of("init")).toMatchObject([{ sessionId: heard.session.id, model }]);
      expect(heard.of("text").map(({ text }) => text)).toEqual(["I look.", "It is done."]);
      const deltas = heard.of("text:delta").map(({ text }) => text);
      expect(deltas.join("")).toBe("I look.It is done.");
      const [call] = heard.of("tool:start");
      const command = "echo seen; echo wrong >&2; exit 3";
      expect(call).toMatchObject({ does: { kind: "command", command }, about: command });
      expect(heard.of("tool:end")).toMatchObject([
        { id: call?.id, ok: false, output: expect.stringMatching(/(?=[\s\S]*3)[\s\S]*seen/) },
      ]);
      const used = stage.requests.map(({ usage }) => usage);
      const priced = heard.of("response").map(({ costUsd = Number.NaN }) => costUsd);
      const byClass = used.map((usage) => ({
        input: usage?.input_tokens ?? 0,
        output: usage?.output_tokens ?? 0,
        cacheRead: usage?.cache_read_input_tokens ?? 0,
        cacheWrite: usage?.cache_creation_input_tokens ?? 0,
      }));
      const listed = (usage: TokenUsage) => {
        const price = agent.models.priceOf(model, promptOf(usage));
        return price ? costAt(price, usage) : Number.NaN;
      };
      const [end] = heard.of("turn:end");
      expect(end?.windows).toMatchObject({ [model]: 200_000 });
      if (agent.abilities.cost === "told") expect(end?.costUsd).toBeGreaterThan(0.05);
      else expect(end).not.toHaveProperty("costUsd");
      if (agent.abilities.usage === "each response") {
        expect(heard.of("response").map(({ usage }) => usage)).toEqual(byClass);
        expect(sum(priced)).toBeCloseTo(end?.costUsd ?? sum(byClass.map(listed)), 6);
      } else {
        const filled = byClass.map((usage) => ({ tokens: sum(Object.values(usage)) }));
        expect(heard.of("response").map(({ window }) => window)).toEqual(filled);
      }
      expect(await heard.session.contextUsage()).toMatchObject({ window: 200_000, autoCompact: false });
      const order = heard.events
        .map(({ type }) => type)
        .filter((type) => /tool|response|turn|idle/.test(type));
      expect(order).toEqual(["tool:start", "response", "tool:end", "response", "turn:end", "idle"]);

      const where = { sessionId: heard.session.id, env: place.env };
      expect(await readFile((await agent.findTranscript(where)) ?? "", "utf8")).toContain("It is done.");
      const kept = await all(agent.readTranscript(where));
      const told = kept.filter(({ type }) => /^(user|text|tool:.*)$/.test(type));
      expect(told).toMatchObject([
        { type: "user", text: "Look around." },
        { type: "text", text: "I look." },
        { type: "tool:start", id: call?.id, does: { kind: "command", command }, about: command },
        { type: "tool:end", id: call?.id, ok: false },
        { type: "text", text: "It is done." },
      ]);
      const counted = kept.filter((event) => isOf(event, "response"));
      expect(new Set(counted.map(({ id, usage }) => `${id} ${usage?.output}`)).size).toBe(2);
    },
  );

  session(
    "tells what its tools do, and what they make, while they run and by its transcript",
    async (stage) => {
      const { heard, place } = stage;
      const path = join(place.folder, "new.txt");
      const { file } = subject;
      stage.plays(file("write", path), file("read", path), file("edit", path), say("Done."));
      expect(await heard.turn("Write.")).toMatchObject({ kind: "completed" });
      const written = await all(agent.readTranscript({ sessionId: heard.session.id, env: place.env }));
      const from = written.findLastIndex((event) => isOf(event, "user") && event.text === "Write.");
      for (const events of [heard.events, written.slice(from)]) {
        const calls = events.filter((event) => isOf(event, "tool:start"));
        expect(calls.map(({ does }) => does)).toEqual([
          { kind: "write", path, changes: [{ added: "one" }] },
          { kind: "read", path },
          { kind: "write", path, changes: [{ removed: "one", added: "two" }] },
        ]);
        const ends = events.filter((event) => isOf(event, "tool:end"));
        expect(ends.map(({ ok, made }) => [ok, made?.kind])).toEqual([
          [true, "file"],
          [true, undefined],
          [true, undefined],
        ]);
      }
    },
  );

  it("has nothing to read of a session that is not there", async () => {
    const { env } = await placeFor(subject, {});
    const session = { sessionId: crypto.randomUUID(), env };
    expect(await agent.findTranscript(session)).toBeUndefined();
    expect(await all(agent.readTranscript(session))).toEqual([]);
  });

  it("knows the windows of its models, and no others", () => {
    const { windowOf, windowKey, isSameModel } = agent.models;
    for (const { model, window } of subject.windows) expect(windowOf(model)).toBe(window);
    const [one, other] = subject.sameModel;
    expect(isSameModel(one, other)).toBe(true);
    expect(windowKey(other)).toBe(windowKey(one));
  });

  it("says whether it is ready, and what is missing where not", async () => {
    const { env, folder } = await placeFor(subject, {});
    const ready = await agent.ready({ env });
    expect(ready).toMatchObject({ state: "ready", credentials: expect.stringMatching(subject.credentials) });
    if (ready.state !== "ready") throw new Error("not ready");
    expect(await agent.version(ready.program)).toMatch(/\d+\.\d+/);

    const nobody = Object.fromEntries(
      Object.entries(env).filter(([name]) => !subject.credentials.test(name)),
    );
    expect(await agent.ready({ env: nobody })).toMatchObject({
      state: "no-credentials",
      problem: expect.stringContaining(agent.name),
      fix: expect.stringContaining("sign in"),
    });
    expect(await agent.ready({ env, executable: join(folder, "missing") })).toMatchObject({
      state: "no-program",
      problem: expect.stringContaining(agent.name),
      fix: expect.stringContaining("executable"),
    });
  });

  it("names what came with a repository and acts, and runs none of it unless it may", async () => {
    const place = await placeFor(subject, { otherwise: say("Done.") });
    const { folder } = place;
    const { named, makes, instructions } = await subject.repository(folder);
    await writeFile(join(folder, instructions), "Use tabs.\n");
    const before = (await readdir(folder)).sort();

    const files = await agent.repositoryFiles(folder);
    expect(files.map(({ path, kind }) => `${path} ${kind}`)).toEqual(named);
    expect(await agent.instructions(folder)).toEqual([{ path: instructions, text: "Use tabs.\n" }]);

    await Heard.of(subject, place, { readsRepository: false }).turn("Go.");
    expect((await readdir(folder)).sort()).toEqual(before);
    await Heard.of(subject, place).turn("Go.");
    await Promise.all(makes.map((name) => written(place, name)));
  });

  session(
    "stops at a boundary once the running tool has finished, and takes the next message",
    async (stage) => {
      const { heard, place } = stage;
      stage.plays(run(slow("stop")), say("Too late."));
      heard.session.send({ text: "Wait.", verbatim: true });
      await heard.until("response");
      heard.session.stopAtBoundary();
      await written(place, "started-stop");
      await stage.answered();
      await writeFile(join(place.folder, "release-stop"), "");
      expect((await heard.until("turn:end")).outcome).toEqual({ kind: "stopped" });
      expect(heard.of("tool:end")).toMatchObject([{ ok: true, output: "released" }]);
      expect(stage.requests).toHaveLength(1);

      stage.plays(say("I am asked for more."), run("echo second"), say("All done."));
      expect(await heard.turn("And now?")).toEqual({ kind: "completed", text: "I am asked for more." });
      heard.session.stopAtBoundary();
      heard.session.goOn();
      expect(await heard.turn("Go on.")).toEqual({ kind: "completed", text: "All done." });
    },
  );

  session("asks at a boundary only when its reader has heard what led to it", async (stage) => {
    const { heard } = stage;
    stage.plays(run("echo first"), run("echo second"), say("Too late."));
    heard.session.send({ text: "Go.", verbatim: true });
    await stage.answered();
    // The command has long run by now, and the reader has not heard the response yet.
    await heard.until("response");
    heard.session.stopAtBoundary();
    expect((await heard.until("turn:end")).outcome).toEqual({ kind: "stopped" });
    expect(heard.of("tool:start")).toHaveLength(1);
  });

  const calls: unknown[] = [];
  let permit: Permit = async () => ({ answer: "no" });
  const note: OwnTool = {
    name: "note",
    description: "Takes a note.",
    input: { text: z.string() },
    call: async (input) => {
      calls.push(input);
      return { ok: calls.length > 1, text: `note ${calls.length}` };
    },
  };
  const asking = inOneSession(
    subject,
    {},
    {
      permissionMode: "default",
      permit: (...asked) => permit(...asked),
      ownTools: { names: ["note"], load: async () => [note] },
    },
  );

  asking("offers Baton's own tools, allows them, and gives the agent their answers", async (stage) => {
    const { heard } = stage;
    const noting = { call: { tool: subject.ownTool("note"), input: { text: "mine" } } };
    stage.plays(noting, noting, say("Noted."));
    expect(await heard.turn("Note it.")).toEqual({ kind: "completed", text: "Noted." });
    expect(calls).toEqual([{ text: "mine" }, { text: "mine" }]);
    expect(heard.of("tool:start").map(({ does }) => does)).toEqual([{ kind: "own" }, { kind: "own" }]);
    expect(stage.requests[0]?.request.tools).toContain(subject.ownTool("note"));
    expect(stage.requests.at(-1)?.request.results).toMatchObject([
      { text: expect.stringContaining("note 1"), isError: subject.tellsErrors },
      { text: expect.stringContaining("note 2"), isError: false },
    ]);
  });

  asking("asks nobody any more once it is interrupted", async (stage) => {
    const { heard, place } = stage;
    stage.plays(run("touch made"), say("Something else."));
    const asked = Promise.withResolvers<AbortSignal>();
    permit = (_question, signal) => {
      asked.resolve(signal);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ answer: "no" }), { once: true }),
      );
    };
    heard.session.send({ text: "Make it.", verbatim: true });
    const end = heard.until("turn:end");
    const signal = await asked.promise;
    await heard.session.interrupt();
    expect((await end).outcome).toEqual({ kind: "interrupted" });
    expect(signal.aborted).toBe(true);
    await expect(readFile(join(place.folder, "made"))).rejects.toThrow("ENOENT");
  });

  // The last of them: an answer holds for all that comes after it.
  asking("asks a person about what its permissions do not allow, where there is one", async (stage) => {
    const { heard } = stage;
    const asked: PermissionQuestion[] = [];
    // What a library warns of would stand in the middle of a person's screen.
    const warnings: string[] = [];
    const hear = ({ message }: Error) => void warnings.push(message);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    const answers: PermissionAnswer[] = [
      { answer: "once" },
      { answer: "no", because: "use another name" },
      { answer: "always" },
    ];
    const commands = ["touch one", "touch two", "touch three", "touch three"];
    stage.plays(...commands.map((command) => run(command)), say("Done."));
    permit = async (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? { answer: "no" };
    };
    expect(await heard.turn("Make them.")).toEqual({ kind: "completed", text: "Done." });
    const ids = heard.of("tool:start").map(({ id }) => id);
    expect(asked).toMatchObject(
      commands.slice(0, 3).map((about, index) => ({ id: ids[index], name: subject.shell, about })),
    );
    // All of it: a yes is for exactly this.
    for (const [index, { input }] of asked.entries())
      expect(JSON.stringify(input)).toContain(commands[index]);
    if (subject.agent.abilities.toolRules)
      expect(asked[2]?.rule).toMatch(new RegExp(`^${subject.shell}(?:\\(touch .*\\))?$`));
    else expect(asked[2]?.rule).toBeUndefined();
    expect(heard.of("tool:denied")).toMatchObject([
      { id: ids[1], message: expect.stringContaining("use another name") },
    ]);
    expect(heard.of("tool:end").map(({ ok }) => ok)).toEqual([true, false, true, true]);
    expect(warnings.filter((message) => message.includes("canUseTool"))).toEqual([]);
  });

  it("denies what its permissions do not allow, and says what would allow it", async () => {
    let folder = "";
    const attempts: Step[] = [
      () => subject.file("write", join(folder, "made.js"), "1"),
      run("node made.js"),
      run("git push nowhere"),
      run("git init -q inner"),
    ];
    const place = await placeFor(subject, {
      steps: [...attempts, say("I may not."), ...attempts, say("I may.")],
    });
    ({ folder } = place);
    const permissionMode = "default";
    const first = Heard.of(subject, place, { permissionMode, deniedTools: ["Bash(git push:*)"] });
    await first.turn("Try.");
    const [edit, command, forbidden] = first.of("tool:denied");
    const [, started] = first.of("tool:start");
    expect(command).toMatchObject({ name: subject.shell, id: started?.id, about: "node made.js" });
    const last = place.simulator.requests.findLast(({ request }) => request.kind !== "side");
    expect(last?.request.results[1]).toMatchObject({
      isError: true,
      text: expect.stringMatching(subject.denied),
    });
    await expect(readFile(join(folder, "made.js"))).rejects.toThrow("ENOENT");
    expect(forbidden).toMatchObject({ about: "git push nowhere" });
    expect(forbidden).not.toHaveProperty("allow");
    expect(edit).toMatchObject({ name: "Write", allow: { mode: "acceptEdits" } });
    expect(command?.allow).toMatchObject({ tools: [expect.stringMatching(/^Bash/)] });
    if (!command?.allow || !("tools" in command.allow)) return;

    const allowedTools = [...command.allow.tools, ...agent.vocabulary.commandRules("git init")];
    const second = Heard.of(subject, place, { permissionMode: "acceptEdits", allowedTools });
    await second.turn("Try again.");
    expect(second.of("tool:end").map(({ ok }) => ok)).toEqual([true, true, false, true]);
  });

  session(
    "tells during a turn what was heard has cost, and nothing that is still to be heard",
    async (stage) => {
      const { heard } = stage;
      const before = heard.of("turn:end").at(-1)?.costUsd ?? 0;
      stage.plays(...Array.from({ length: 6 }, (_, n) => run(`echo ${n}`)), say("It is done."));
      heard.session.send({ text: "Work.", verbatim: true });
      const asked: Promise<[number, number]>[] = [];
      for (let response = 1; response <= 6; response++) {
        await heard.until("response");
        const priced = () => heard.of("response").map(({ costUsd = Number.NaN }) => costUsd);
        asked.push(
          heard.session.costSoFar().then((costUsd = Number.NaN) => [costUsd - before, sum(priced())]),
        );
      }
      await heard.until("idle");
      for (const [told, estimated] of await Promise.all(asked)) expect(told).toBeCloseTo(estimated, 6);
    },
  );

  session("tells of a command in the background, rests beside it, and hears of its end", async (stage) => {
    const { heard, place } = stage;
    const inBackground = run(slow("background"), { run_in_background: true });
    stage.plays(inBackground, say("It runs."), say("It has ended."));
    expect(await heard.turn("Start it.")).toEqual({ kind: "completed", text: "It runs." });
    const how = { command: slow("background"), cwd: await realpath(place.folder) };
    expect(heard.of("background").at(-1)?.tasks).toMatchObject([{ description: "Do it", ...how }]);
    await heard.until("idle");
    await written(place, "started-background");
    await writeFile(join(place.folder, "release-background"), "");
    await heard.until("background", ({ tasks }) => tasks.length === 0);
    expect((await heard.until("turn:end")).outcome).toEqual({ kind: "completed", text: "It has ended." });
    await heard.until("idle");
  });

  session("keeps what a subagent says and uses apart, and rests only after it", async (stage) => {
    const { heard, place } = stage;
    stage.plays({ call: subject.subagent }, say("It digs."), say("It has dug."));
    heard.session.send({ text: "Dig.", verbatim: true });
    await heard.until("idle");
    expect(heard.of("turn:end").at(-1)?.outcome).toEqual({ kind: "completed", text: "It has dug." });
    expect(await readFile(join(place.folder, "dug"), "utf8")).toBe("dug\n");
    const states = heard.of("subagent").map(({ task, state }) => `${task} ${state}`);
    expect([states.at(0), states.at(-1)]).toEqual(["dig running", "dig completed"]);
    const owners = heard.of("response").map(({ subagent }) => subagent !== undefined);
    expect(owners.filter(Boolean)).toHaveLength(2);
    expect(owners.filter((isSubagents) => !isSubagents)).toHaveLength(3);
    const [, , , ...none] = heard.of("text").filter(({ subagent }) => subagent === undefined);
    expect(none).toEqual([]);
  });

  session(
    "takes an answer that does not say its tokens for one of unknown size, and works on",
    async (stage) => {
      const { heard } = stage;
      stage.plays(
        { ...run("echo seen"), fault: { kind: "no-usage" } },
        { say: "It is done.", fault: { kind: "no-usage" } },
      );
      expect(await heard.turn("Look around.")).toEqual({ kind: "completed", text: "It is done." });
      expect(heard.of("response").map(({ usage }) => usage)).toEqual([undefined, undefined]);
    },
  );

  session("ends a turn as what it is: a connection that breaks", async (stage) => {
    stage.plays({ fault: { kind: "drop" } });
    const message = expect.stringContaining("Connection to the API was lost");
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "failed", retryable: true, message });
    expect(stage.heard.of("retry")).toEqual([]);
    expect(stage.heard.of("response")).toEqual([]);
  });

  session("ends a turn as what it is: credentials that are refused", async (stage) => {
    stage.plays({ fault: { kind: "unauthorized" } });
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "no-access" });
    expect(stage.heard.of("retry")).toEqual([]);
    expect(stage.heard.of("response")).toEqual([]);
  });

  session("ends a turn as what it is: a rate limit", async (stage) => {
    stage.plays({ fault: { kind: "rate-limit" } });
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "limited" });
    expect(stage.heard.of("retry")).toEqual([]);
    expect(stage.heard.of("response")).toEqual([]);
  });

  session("asks once more for an answer in which there is nothing, then takes it for one", async (stage) => {
    stage.plays({ fault: { kind: "empty" } });
    expect(await stage.heard.turn("Go.")).toEqual({ kind: "completed", text: "" });
    expect(stage.requests.map(({ request }) => request.last)).toEqual([
      expect.stringContaining("Go."),
      expect.stringMatching(/Go\.[\s\S]*no visible output/),
    ]);
  });

  session(
    "ends a turn whose request has more bytes than the API takes as out of context, and does not repeat it",
    async (stage) => {
      stage.plays({ fault: { kind: "too-large" } });
      expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "out-of-context" });
      expect(stage.requests).toHaveLength(1);
    },
  );

  session("ends a turn that no longer fits the window as out of context", async (stage) => {
    stage.plays(say("never"));
    stage.scenario.window = 1_000;
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "out-of-context" });
    delete stage.scenario.window;
  });

  // The last of them.
  session(
    "begins nothing more once it is closed, tells all that happened until its end, and takes everything that it has started with it",
    async (stage) => {
      const { heard, place } = stage;
      const leaves = (file: string) =>
        `setsid sh -c 'echo $$ > ${file}; exec sleep 600' < /dev/null > /dev/null 2>&1 &`;
      // A program may end what its shell leaves behind: by then both are in sessions of their own.
      const haveLeft = "until [ -s marked ] && [ -s unmarked ]; do sleep 0.01; done";
      const command = `${leaves("marked")} env -i ${leaves("unmarked")} ${haveLeft}`;
      stage.plays(run(command), say("It runs."), run("echo called >> calls"));
      await heard.turn("Start it.");
      const pids = [Number(await written(place, "marked")), Number(await written(place, "unmarked"))];
      expect(await Promise.all(pids.map(isRunning))).toEqual([true, true]);

      heard.events.length = 0;
      heard.session.send({ text: "Go.", verbatim: true });
      await heard.until("tool:end");
      await heard.until("tool:end");
      const closed = heard.session.close();
      await heard.until("exit");
      await closed;
      expect(await Promise.all(pids.map(isRunning))).toEqual([false, false]);
      const calls = (await readFile(join(place.folder, "calls"), "utf8")).trim().split("\n");
      expect(heard.of("tool:end").filter(({ ok }) => ok)).toHaveLength(calls.length);
      expect(heard.events.at(-1)?.type).toBe("exit");
      const asked = place.simulator.requests.length;
      heard.session.send({ text: "And more.", verbatim: true });
      expect(place.simulator.requests).toHaveLength(asked);
      expect(await heard.session.contextUsage()).toBeUndefined();
      return "closed";
    },
  );

  const limited = inOneSession(
    subject,
    { account: "plan", env: { CLAUDE_CODE_MAX_RETRIES: "1" } },
    { maxTurns: 2 },
  );

  // The first of them: nothing else has shown yet what the program can do.
  limited("ends a running tool when it is interrupted, and can be told something else", async (stage) => {
    const { heard, place } = stage;
    stage.plays(run(slow("interrupted")), say("Something else."));
    heard.session.send({ text: "Wait.", verbatim: true });
    await heard.until("response");
    const pid = Number(await written(place, "started-interrupted"));
    await heard.session.interrupt();
    expect((await heard.until("turn:end")).outcome).toEqual({ kind: "interrupted" });
    expect(heard.of("tool:end")).toMatchObject([{ ok: false, interrupted: true }]);
    await vi.waitFor(async () => expect(await isRunning(pid)).toBe(false), { timeout: 20_000 });
    expect(await heard.turn("Never mind.")).toEqual({ kind: "completed", text: "Something else." });
  });

  limited("ends a turn as what it is: an API that fails", async (stage) => {
    stage.plays({ fault: { kind: "overloaded" } });
    const message = expect.stringMatching(subject.overloaded.message);
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "failed", retryable: true, message });
    const { status, retries } = subject.overloaded;
    expect(stage.heard.of("retry")).toMatchObject(
      Array.from({ length: retries }, (_, n) => ({ attempt: n + 1, of: retries, status })),
    );
    // Or nobody would know any more how often it has failed.
    expect(stage.heard.of("response")).toEqual([]);
  });

  limited("ends a turn as what it is: a usage limit on a plan", async (stage) => {
    stage.plays({ fault: { kind: "usage-limit", resetsAt: 4_000_000_000 } });
    const resetsAt = subject.tellsReset ? 4_000_000_000_000 : undefined;
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "limited", ...(resetsAt && { resetsAt }) });
    expect(stage.heard.of("retry")).toEqual([]);
    expect(stage.heard.of("response")).toEqual([]);
  });

  limited("ends a turn after the number of answers that it may have", async (stage) => {
    stage.plays(run("echo again"));
    expect(await stage.heard.turn("Go.")).toMatchObject({ kind: "max-turns" });
    expect(stage.requests).toHaveLength(2);
  });

  limited("can be told to compact its window by itself from now on", async (stage) => {
    const { heard } = stage;
    stage.plays(say("One."), say("Two."));
    await heard.turn("Say one.");
    expect(await heard.session.contextUsage()).toMatchObject({ autoCompact: false });
    expect(await heard.session.letCompact()).toBe(true);
    expect(await heard.session.contextUsage()).toMatchObject({
      autoCompact: true,
      autoCompactThreshold: subject.compactsAt,
    });
    expect(await heard.turn("Say two.")).toEqual({ kind: "completed", text: "Two." });
  });

  it("continues a session whose program was killed while a tool ran", async () => {
    const place = await placeFor(subject, { steps: [run(slow("killed")), say("I see what became of it.")] });
    const first = Heard.of(subject, place);
    first.session.send({ text: "Remember the word: heron.", verbatim: true });
    await first.until("response");
    const tool = Number(await written(place, "started-killed"));
    await vi.waitFor(
      async () => {
        const path = await agent.findTranscript({ sessionId: first.session.id, env: place.env });
        expect(await readFile(path ?? "", "utf8")).toContain(subject.callInTranscript);
      },
      { timeout: 20_000 },
    );
    process.kill(await (subject.programOf ?? parentOf)(tool), "SIGKILL");
    expect(await first.until("exit")).toMatchObject({ signal: "SIGKILL" });
    await first.session.close();
    expect(await isRunning(tool)).toBe(false);

    const second = Heard.of(subject, place, { sessionId: first.session.id, resume: true });
    expect(await second.turn("Where were we?")).toEqual({
      kind: "completed",
      text: "I see what became of it.",
    });
    const last = place.simulator.requests.at(-1)?.request;
    expect(last?.text).toContain("heron");
    expect(last?.results).toMatchObject([
      { isError: subject.tellsErrors, text: expect.stringMatching(subject.cutOff) },
    ]);
    expect(last?.last).toContain("Where were we?");
  });

  it("tells of the end of a program that is killed before it was told anything", async () => {
    const place = await placeFor(subject, { otherwise: say("never") });
    const mark = { name: "TEST_MARK", value: crypto.randomUUID() };
    const heard = Heard.of(subject, { ...place, env: { ...place.env, [mark.name]: mark.value } });
    // Asked once: a program that gives way to another, as Codex does, has no environment for a moment.
    const [pid] = await vi.waitUntil(
      async () => {
        const found = await markedProcesses(mark);
        return found.length > 0 && found;
      },
      { timeout: 20_000, interval: 20 },
    );
    process.kill(Number(pid), "SIGKILL");
    expect(await heard.until("exit")).toMatchObject({ signal: "SIGKILL" });
  });
}

/** Settings that run a command when a session starts. */
function hooking(command: string) {
  return { hooks: { SessionStart: [{ hooks: [{ type: "command", command }] }] } };
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The one that this process has started. */
async function outermost(pid: number): Promise<number> {
  const parent = await parentOf(pid);
  return parent === process.pid ? pid : outermost(parent);
}
