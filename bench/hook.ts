import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Measure, median, timed } from "./measure.ts";
import { baton, type Place, type Program } from "./programs.ts";

const ROUNDS = 41;
const WARM_UP_ROUNDS = 5;
const TRANSCRIPT_BYTES = 50 * 1024 * 1024;
const NEW_BYTES = 2 * 1024;
const SESSION = "00000000-0000-4000-8000-000000000000";

/** How long a person's session waits for the hook of a tool call, against the least that Node can do. */
export async function measureHook(): Promise<Measure> {
  const folder = await mkdtemp(join(tmpdir(), "baton-bench-hook-"));
  try {
    const transcript = join(folder, "transcript.jsonl");
    const answers = Math.ceil(TRANSCRIPT_BYTES / NEW_BYTES);
    await writeFile(transcript, Array.from({ length: answers }, (_, index) => answer(index)).join(""));
    const place = { folder, env: { PATH: process.env.PATH ?? "", HOME: folder } };
    const input = JSON.stringify({
      session_id: SESSION,
      transcript_path: transcript,
      cwd: folder,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
      tool_response: { stdout: "ok ".repeat(500) },
    });
    const nothing = { command: process.execPath, args: ["-e", "0"] };
    const nodes: number[] = [];
    const hooks: number[] = [];
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      await appendFile(transcript, answer(answers + round));
      const nodeMs = await timed(() => fed(nothing, input, place));
      const hookMs = await timed(() => fed(baton("hook", "PostToolUse"), input, place));
      if (round < 0) continue;
      nodes.push(nodeMs);
      hooks.push(hookMs);
    }
    await check(folder, answers + ROUNDS - 1);
    return {
      name: "hook",
      value: median(hooks) / median(nodes),
      unit: "ratio",
      limit: 1.25,
      detail: {
        compared: "baton hook PostToolUse / node -e 0",
        hookMs: median(hooks),
        nodeMs: median(nodes),
        transcriptMb: TRANSCRIPT_BYTES / 1024 / 1024,
        newBytes: NEW_BYTES,
        rounds: ROUNDS,
      },
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A hook that fails lets the session go on, and is quick at it: that would be no figure. */
async function check(home: string, last: number): Promise<void> {
  const path = join(home, ".local", "state", "baton", "sessions", `${SESSION}.json`);
  const { reading } = JSON.parse(await readFile(path, "utf8"));
  if (reading.context.response.id === idOf(last)) return;
  throw new Error(`The hook has not read what is new: ${JSON.stringify(reading)}`);
}

function idOf(index: number): string {
  return `msg_${index + 100_000}`;
}

/** An entry of a transcript that is as long as what is new at each round. */
function answer(index: number): string {
  const usage = { input_tokens: 4, cache_read_input_tokens: 20_000 + (index % 1_000), output_tokens: 10 };
  const content = [{ type: "text", text: "" }];
  const message = { id: idOf(index), model: "claude-sonnet-4-5", content, usage };
  const entry = (text: string) => `${JSON.stringify({ type: "assistant", message, pad: text })}\n`;
  return entry("x".repeat(NEW_BYTES - entry("").length));
}

async function fed({ command, args }: Program, input: string, { folder, env }: Place): Promise<void> {
  const child = spawn(command, args, { cwd: folder, env, stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(input);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}`);
}
