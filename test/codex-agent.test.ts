import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import type { AgentSession, SessionSpec } from "../src/agents/agent.ts";
import { codex } from "../src/agents/codex/codex.ts";
import type { AgentEvent } from "../src/agents/events.ts";
import { markedProcesses, sessionMark } from "../src/processes/marks.ts";
import { procFile } from "../src/processes/proc.ts";
import type { Scenario } from "../src/simulator/scenario.ts";
import { type Simulator, startSimulator } from "../src/simulator/server.ts";
import { codexEnvironment } from "./codex-home.ts";
import { needs } from "./needs.ts";
import { isRunning } from "./processes.ts";

/** Tests of the real program, as users have it. */
const REAL = { tags: ["claude"] };

type Changed = Partial<SessionSpec>;

/** What is Codex's own, beside the contract that every agent keeps. */
class Codex {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly events: AgentEvent[] = [];
  session: AgentSession;
  #reader: AsyncIterator<AgentEvent>;

  /** `config`: lines that come before those of its settings. */
  static async run(scenario: Partial<Scenario>, changed: Changed = {}, config = ""): Promise<Codex> {
    needs("codex");
    const root = await mkdtemp(join(tmpdir(), "baton-codex-"));
    const folder = join(root, "work");
    await mkdir(folder);
    const simulator = await startSimulator({ name: "codex", summary: "", ...scenario });
    const env = { HOME: root, ...codexEnvironment(simulator, join(root, "codex")) };
    const path = join(root, "codex", "config.toml");
    await writeFile(path, config + (await readFile(path, "utf8")));
    const run = new Codex(simulator, folder, env, changed);
    onTestFinished(async () => {
      await run.session.close();
      await simulator.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    });
    return run;
  }

  private constructor(simulator: Simulator, folder: string, env: Record<string, string>, changed: Changed) {
    this.simulator = simulator;
    this.folder = folder;
    this.env = env;
    [this.session, this.#reader] = this.#start(changed);
  }

  #start(changed: Changed): [AgentSession, AsyncIterator<AgentEvent>] {
    const session = codex.start({
      ...{ sessionId: crypto.randomUUID(), resume: false, cwd: this.folder, env: this.env },
      ...{ allowedTools: [], deniedTools: [], mcpServers: {}, autoCompact: false, readsRepository: true },
      ownTools: { names: [], load: async () => [] },
      ...changed,
    });
    return [session, session.events[Symbol.asyncIterator]()];
  }

  /** The same thread, in another run of the program. */
  async again(changed: Changed = {}): Promise<void> {
    await this.session.close();
    this.events.length = 0;
    [this.session, this.#reader] = this.#start({ sessionId: this.session.id, resume: true, ...changed });
  }

  async until<T extends AgentEvent["type"]>(type: T): Promise<Extract<AgentEvent, { type: T }>> {
    for (;;) {
      const { done, value } = await this.#reader.next();
      if (done) throw new Error(`no ${type} among ${this.events.map((event) => event.type).join(", ")}`);
      this.events.push(value);
      if (value.type === type) return value as Extract<AgentEvent, { type: T }>;
    }
  }

  async turn(text: string) {
    this.session.send({ text, verbatim: true });
    const { outcome } = await this.until("turn:end");
    await this.until("idle");
    return outcome;
  }

  of<T extends AgentEvent["type"]>(type: T): Extract<AgentEvent, { type: T }>[] {
    return this.events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
  }
}

const FREE: Changed = { permissionMode: "bypassPermissions" };
const bash = (command: string) => ({ call: { tool: "Bash", input: { command } } });
const say = (text: string) => ({ say: text });

it("has an id of Codex's own before it is told anything, and finds its way back by it", REAL, async () => {
  const run = await Codex.run({ steps: [bash("echo one"), say("One."), bash("exit 4"), say("Two.")] }, FREE);
  await run.session.identified;
  const { id } = run.session;
  expect(run.simulator.requests).toEqual([]);
  await run.turn("Remember the heron.");
  await run.again(FREE);
  await run.session.identified;
  expect(run.session.id).toBe(id);
  expect(await run.turn("And now?")).toEqual({ kind: "completed", text: "Two." });
  expect(run.simulator.requests.at(-1)?.request.text).toContain("heron");
  // Codex tells of a resumed thread less, and later.
  const told = run.events.map(({ type }) => type).filter((type) => /tool|response/.test(type));
  expect(told).toEqual(["tool:start", "response", "tool:end", "response"]);
  expect(run.of("tool:end")).toMatchObject([{ ok: false, output: "Exit code 4\n" }]);
  const used = run.simulator.requests.slice(2).map(({ usage }) => usage?.output_tokens);
  expect(run.of("response").map(({ usage }) => usage?.output)).toEqual(used);
});

it("denies what needs a person where none is there, and says what would allow it", REAL, async () => {
  const write = { call: { tool: "Write", input: { file_path: "made.txt", content: "1" } } };
  const run = await Codex.run(
    { steps: [bash("touch made"), write, say("I may not.")] },
    { permissionMode: "default" },
  );
  expect(await run.turn("Try.")).toEqual({ kind: "completed", text: "I may not." });
  expect(run.of("tool:denied")).toMatchObject([
    { name: "exec_command", about: "touch made", allow: { mode: "bypassPermissions" } },
    { name: "apply_patch", about: join(run.folder, "made.txt"), allow: { mode: "acceptEdits" } },
  ]);
  expect(run.of("tool:end").map(({ ok }) => ok)).toEqual([false, false]);
});

// Whether what it is allowed succeeds in a sandbox is the machine's matter.
it("asks a person about what needs one, and takes yes, no and always for an answer", REAL, async () => {
  const commands = ["touch one", "touch two", "touch three", "touch three"];
  const asked: string[] = [];
  const answers = ["once", "no", "always"] as const;
  const run = await Codex.run(
    { steps: [...commands.map(bash), say("Done.")] },
    {
      permissionMode: "default",
      permit: async ({ name, about }) => {
        const answer = answers[asked.push(`${name} ${about}`) - 1] ?? "no";
        return answer === "no" ? { answer, because: "use another name" } : { answer };
      },
    },
  );
  expect(await run.turn("Make them.")).toEqual({ kind: "completed", text: "Done." });
  expect(asked).toEqual(commands.slice(0, 3).map((command) => `exec_command ${command}`));
  expect(run.of("tool:denied")).toMatchObject([
    { about: "touch two", message: "The user said no: use another name", byPerson: true },
  ]);
  expect(run.of("tool:end")).toHaveLength(4);
});

it(
  "rests beside a command in the background, hears how it ends, and ends it with the session",
  REAL,
  async () => {
    const waits = "until [ -e release ]; do sleep 0.02; done; exit 3";
    const background = (command: string) => ({
      call: { tool: "exec_command", input: { cmd: command, yield_time_ms: 300 } },
    });
    const run = await Codex.run(
      {
        steps: [
          background(waits),
          say("It runs."),
          background("echo $$ > pid; sleep 600"),
          say("So does this."),
        ],
      },
      FREE,
    );
    expect(await run.turn("Start it.")).toEqual({ kind: "completed", text: "It runs." });
    const task = { kind: "command", command: waits, cwd: run.folder };
    expect(run.of("background")).toMatchObject([{ tasks: [task] }]);
    expect(run.of("tool:end")).toEqual([]);
    await writeFile(join(run.folder, "release"), "");
    await run.until("idle");
    expect(run.of("tool:end")).toMatchObject([{ ok: false, output: expect.stringContaining("Exit code 3") }]);
    expect(run.of("background").at(-1)?.tasks).toEqual([]);

    await run.turn("Another.");
    const pid = Number(await readFile(join(run.folder, "pid"), "utf8"));
    expect(await isRunning(pid)).toBe(true);
    await run.session.close();
    expect(await isRunning(pid)).toBe(false);
  },
);

it(
  "compacts nothing by itself, unless it is let: the end of the window is the end of the turn",
  REAL,
  async () => {
    const large = bash("printf '%04000d' 1");
    const steps = [...Array.from({ length: 12 }, () => large), say("never")];
    const run = await Codex.run({ factor: 20, window: 1_000_000, steps }, FREE);
    expect(await run.turn("Fill it.")).toMatchObject({ kind: "out-of-context" });
    const usage = await run.session.contextUsage();
    expect(usage).toMatchObject({ window: 200_000, autoCompact: false });
    expect(usage?.tokens).toBeGreaterThan(200_000);
    expect(run.of("compaction:start")).toEqual([]);

    expect(await run.session.letCompact()).toBe(true);
    await run.turn("Go on.");
    const [compacted] = run.of("compaction:end");
    expect(compacted).toMatchObject({ ok: true, before: usage?.tokens });
    expect(compacted?.after).toBeLessThan(50_000);
  },
);

it.each([
  ['approval_policy = "untrusted"', /^Codex ended before it could begin: .*approval_policy[^\n]*$/],
  ['sandbox_mode = "wrong"', /^failed to load configuration: [^\n]*`wrong`[^\n]*$/],
])("says why Codex does not start: %s", REAL, async (config, message) => {
  const run = await Codex.run({}, FREE, `${config}\n`);
  expect(await run.turn("Go.")).toMatchObject({
    kind: "failed",
    retryable: false,
    message: expect.stringMatching(message),
  });
});

it("says at once and for good where its settings turn hooks off", REAL, async () => {
  const run = await Codex.run({ otherwise: say("Hello.") }, FREE, "features.hooks = false\n");
  run.session.send({ text: "Say hello.", verbatim: true });
  expect((await run.until("turn:end")).outcome).toMatchObject({
    kind: "failed",
    retryable: false,
    message: expect.stringContaining("does not run the hooks"),
  });
  await run.until("exit");
});

it(
  "gives servers and tools to Codex without a word on a command line, and CLAUDE.md where there is no AGENTS.md",
  REAL,
  async () => {
    const server = {
      type: "stdio",
      command: "sh",
      args: ["-c", "echo $TOKEN > token"],
      env: { TOKEN: "s3cret" },
    };
    const run = await Codex.run(
      { otherwise: say("Done.") },
      { ...FREE, mcpServers: { theirs: server }, systemPrompt: "Be kind to herons." },
    );
    await run.session.identified;
    await writeFile(join(run.folder, "CLAUDE.md"), "Use tabs.\n");
    await run.session.close();
    const sessionId = crypto.randomUUID();
    await run.again({
      ...FREE,
      sessionId,
      resume: false,
      mcpServers: { theirs: server },
      systemPrompt: "Be kind to herons.",
    });
    await run.turn("Go.");
    await vi.waitFor(async () => expect(await readFile(join(run.folder, "token"), "utf8")).toBe("s3cret\n"));
    const lines = (await markedProcesses(sessionMark(sessionId))).flatMap((pid) => {
      try {
        return procFile(pid, "cmdline");
      } catch {
        return [];
      }
    });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join("\n")).not.toMatch(/s3cret|heron/);
    const { text } = run.simulator.requests.at(-1)?.request ?? {};
    expect(text).toContain("Use tabs.");
  },
);
