import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TranscriptReader } from "../src/agents/claude/transcript/reader.ts";
import { FactCollector } from "../src/handoff/collect.ts";
import { noFacts } from "../src/handoff/facts.ts";
import { type Measure, median, timed } from "./measure.ts";

const SHORT_BYTES = 5_000_000;
const LONG_BYTES = 50_000_000;
const TURNS = 200;
/** What a tool printed, on average, in the transcripts that we measure on. */
const OUTPUT_CHARACTERS = 6_000;

/** What it costs to collect the facts of one more turn, in a long session against a short one. */
export async function measureFacts(): Promise<Measure> {
  const root = await mkdtemp(join(tmpdir(), "baton-bench-"));
  try {
    await using short = await GrowingSession.of(SHORT_BYTES, join(root, "short.jsonl"));
    await using long = await GrowingSession.of(LONG_BYTES, join(root, "long.jsonl"));
    const inShort: number[] = [];
    const inLong: number[] = [];
    // In turns, so that whatever else the machine does weighs on both.
    for (let turn = 0; turn < TURNS; turn++) {
      inShort.push(await short.oneTurn());
      inLong.push(await long.oneTurn());
    }
    return {
      name: "facts",
      value: median(inLong) / median(inShort),
      unit: "ratio",
      limit: 1.1,
      detail: {
        compared: "facts of one turn in a 50 MB transcript / in a 5 MB transcript",
        longMs: median(inLong),
        shortMs: median(inShort),
        turns: TURNS,
      },
    };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** A transcript that an agent writes turn by turn, and the facts that are collected after each. */
class GrowingSession implements AsyncDisposable {
  readonly #file: FileHandle;
  readonly #reader: TranscriptReader;
  readonly #collector = new FactCollector("/project", noFacts("Do it."));
  #bytes = 0;
  #turn = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#reader = new TranscriptReader(path);
  }

  static async of(bytes: number, path: string): Promise<GrowingSession> {
    const session = new GrowingSession(await open(path, "a"), path);
    while (session.#bytes < bytes) await session.oneTurn();
    return session;
  }

  /** Milliseconds to collect what is new after one more turn. */
  async oneTurn(): Promise<number> {
    const text = turnOf(++this.#turn);
    this.#bytes += text.length;
    await this.#file.write(text);
    return timed(async () => {
      for await (const event of this.#reader.read()) this.#collector.add(event);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}

function turnOf(turn: number): string {
  const line = (n: number) =>
    `src/part${turn}/file${n}.ts:${n}: ${nameOf(turn + n)} is called in ${nameOf(n)}\n`;
  const output = Array.from({ length: 200 }, (_, n) => line(n))
    .join("")
    .slice(0, OUTPUT_CHARACTERS);
  const edit = {
    file_path: `/project/src/file-${turn % 400}.ts`,
    old_string: `function ${nameOf(turn)}() {}`,
    new_string: `function ${nameOf(turn + 1)}() {\n  return ${nameOf(turn + 2)}();\n}`,
  };
  const calls = [
    { id: `bash-${turn}`, name: "Bash", input: { command: `npm test -- part-${turn}` } },
    { id: `edit-${turn}`, name: "Edit", input: edit },
  ];
  const usage = { input_tokens: 4, output_tokens: 200, cache_read_input_tokens: 90_000 };
  const said = { id: `message-${turn}`, model: "claude-sonnet-4-5", usage };
  const asks = calls.map((call) => ({ type: "tool_use", ...call }));
  const results = calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: output }));
  const entries = [
    { type: "assistant", message: { ...said, role: "assistant", content: asks } },
    { type: "user", message: { role: "user", content: results } },
  ];
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** Another one for every number. */
function nameOf(number: number): string {
  return `load${String(number).replace(/\d/g, (digit) => "ABCDEFGHIJ"[Number(digit)] ?? "")}State`;
}
