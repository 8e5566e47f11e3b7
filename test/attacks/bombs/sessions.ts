import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { hookInput } from "../../../src/agents/claude/own/hook-input.ts";
import { statusInput } from "../../../src/agents/claude/own/status-input.ts";
import { statusFigure } from "../../../src/agents/claude/own/status-line.ts";
import { transcriptEvents } from "../../../src/agents/claude/own/transcript.ts";
import { toolStart } from "../../../src/agents/claude/tools.ts";
import { lineEvents } from "../../../src/agents/claude/transcript/line.ts";
import { folderOf } from "../../../src/agents/claude/transcripts.ts";
import { statusLine } from "../../../src/cli/sessions/statusline.ts";
import { CONFIG_LIMITS } from "../../../src/config/limits.ts";
import { loadConfigOf } from "../../../src/config/load.ts";
import { configWithoutFile } from "../../../src/config/without-file.ts";
import { readPending } from "../../../src/sessions/handoff/pending.ts";
import { type HookWorld, runHook } from "../../../src/sessions/hooks/run.ts";
import { tell } from "../../../src/sessions/record/mail.ts";
import { Registry } from "../../../src/sessions/record/registry.ts";
import { newSession } from "../../../src/sessions/record/session.ts";
import { hasSpokenSince } from "../../../src/sessions/record/transcript-end.ts";
import { atMost, type Bomb, filled, folder, is, KB, MB, pipe } from "./bomb.ts";

const SESSION = "11111111-1111-4111-8111-111111111111";

export function answerLine(tokens: number): string {
  const usage = {
    input_tokens: tokens,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const message = {
    id: `msg_${tokens}`,
    role: "assistant",
    model: "claude-sonnet-4-5",
    usage,
    content: [{ type: "text", text: "Said." }],
  };
  return `${JSON.stringify({ type: "assistant", sessionId: SESSION, cwd: "/project", message })}\n`;
}

/** JSON of so many maps within one another. */
const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

interface Met {
  root: string;
  transcript: string;
  record: string;
  log: string[];
}

/** What a hook of a person's session answers that meets what `prepare` has put there; "open" where it says nothing. */
async function hook(prepare: (met: Met) => unknown, event: "tool" | "start" = "tool"): Promise<string> {
  const root = folder();
  const sessions = join(root, "sessions");
  mkdirSync(sessions);
  const met: Met = {
    root,
    transcript: join(root, "t.jsonl"),
    record: join(sessions, `${SESSION}.json`),
    log: [],
  };
  await prepare(met);
  const world: HookWorld = {
    registry: new Registry(sessions),
    env: {},
    projectOf: async () => root,
    configOf: async (project) => {
      const configPath = join(project, "baton.yaml");
      const isThere = met.log.includes("configured");
      return isThere
        ? loadConfigOf({ root, configPath }, { most: CONFIG_LIMITS.hookBytes })
        : configWithoutFile(project);
    },
    program: async () => null,
    startCycle: async () => {},
    writeFromFacts: async () => {},
    mayTake: () => {},
    withFullName: async (prompt) => prompt,
    orchestratorSkill: async () => "",
    log: async (message) => void met.log.push(message),
  };
  const common = { session: SESSION, transcript: met.transcript, cwd: root };
  const answer = await runHook(
    event === "tool"
      ? { ...common, event, skill: undefined, inSubagent: false }
      : { ...common, event, source: "startup" },
    world,
  );
  const said = answer === undefined || Object.keys(answer).length === 0 ? "open" : JSON.stringify(answer);
  return [said, ...met.log.filter((line) => line !== "configured")].join("\n");
}

async function eventsIn(path: string): Promise<string[]> {
  const types: string[] = [];
  for await (const event of transcriptEvents(path)) types.push(event.type);
  return types;
}

/** A file with a line of so many bytes, of which the disk holds none, and then an answer. */
async function longLine(path: string, bytes: number): Promise<string> {
  writeFileSync(path, "");
  truncateSync(path, bytes);
  await appendFile(path, `\n${answerLine(50_000)}`);
  return path;
}

async function keptMail(count: number, text: string) {
  const registry = new Registry(join(folder(), "sessions"));
  const now = new Date().toISOString();
  await registry.update(SESSION, () => newSession({ id: SESSION, cwd: "/p", project: "/p", startedAt: now }));
  for (let at = 0; at < count; at++) await tell(registry, SESSION, { from: "x", text, at: now });
  return (await registry.find(SESSION))?.mail ?? [];
}

export const SESSION_BOMBS: Bomb[] = [
  {
    aims: "size",
    name: "a transcript with a line of 500 MB, in a hook",
    go: () => hook(({ transcript }) => longLine(transcript, 500 * MB)),
    ends: is("open"),
  },
  {
    aims: "size",
    name: "a transcript with a line of 40 MB, read whole",
    go: async () => (await eventsIn(await longLine(join(folder(), "t.jsonl"), 40 * MB))).join(),
    ends: is("response,text"),
  },
  {
    aims: "stack",
    name: "a tool input of 200,000 levels in a transcript",
    go: () => {
      const call = { type: "tool_use", id: "a", name: "Bash", input: 0 };
      const line = JSON.stringify({ type: "assistant", message: { content: [call] } });
      return lineEvents(line.replace('"input":0', `"input":${deep(200_000)}`)).length;
    },
    ends: is(0),
  },
  {
    aims: "stack",
    name: "a tool input of 200,000 levels from a live session",
    go: () => JSON.stringify(toolStart("a", "Other", JSON.parse(deep(200_000)))).length,
    ends: atMost(KB),
  },
  {
    aims: "regex",
    name: "a notice that begins to tell of an agent 60,000 times",
    go: () => {
      const content = `<task-notification>${filled(MB, '<summary>Agent "')}`;
      return lineEvents(JSON.stringify({ type: "user", message: { content } })).length;
    },
    ends: is(0),
  },
  {
    aims: "no file",
    name: "a pipe in place of a transcript, in a hook",
    go: () => hook(({ transcript }) => pipe(transcript)),
    ends: is("open"),
  },
  {
    aims: "no file",
    name: "a folder in place of a transcript, in a hook",
    go: () => hook(({ transcript }) => mkdirSync(transcript)),
    ends: is("open"),
  },
  {
    aims: "no file",
    name: "a pipe in place of a transcript, read whole",
    go: () => eventsIn(pipe(join(folder(), "t.jsonl"))),
    ends: /Cannot read the transcript .* is a pipe, a socket or a device/,
  },
  {
    aims: "no file",
    name: "a pipe in place of a transcript, asked for its folder",
    go: () => folderOf(pipe(join(folder(), "t.jsonl"))),
    ends: /is a pipe, a socket or a device/,
  },
  {
    aims: "no file",
    name: "a pipe in place of a transcript, after a handoff",
    go: () => {
      const transcript = pipe(join(folder(), "t.jsonl"));
      const now = new Date().toISOString();
      const handoff = {
        state: "stored",
        at: now,
        number: 1,
        trigger: "manual",
        documentPath: "/etc/hostname",
      } as const;
      return hasSpokenSince(
        newSession({ id: SESSION, cwd: "/p", project: "/p", startedAt: now, transcript, handoff }),
      );
    },
    ends: is(false),
  },
  {
    aims: "size",
    name: "a record of a session of 2 MB",
    go: () =>
      hook(({ record }) => writeFileSync(record, JSON.stringify({ id: SESSION, cwd: filled(2 * MB, "x") }))),
    ends: is("open"),
  },
  {
    aims: "nesting",
    name: "a record of a session of 100,000 levels",
    go: () =>
      hook(({ record }) => writeFileSync(record, `{"id":"${SESSION}","mail":[],"reading":${deep(100_000)}}`)),
    ends: is("open"),
  },
  {
    aims: "no file",
    name: "a pipe in place of a record of a session",
    go: () => hook(({ record }) => pipe(record)),
    ends: is("open"),
  },
  {
    aims: "counts",
    name: "records of sessions that say nothing, at a start",
    go: () =>
      hook(({ record }) => {
        for (const id of ["a", "b", "c"]) writeFileSync(join(record, `../${id}.json`), "{}");
      }, "start"),
    ends: is("open"),
  },
  {
    aims: "size",
    name: "a configuration of 300 kB, in a hook",
    go: () =>
      hook(({ root, log }) => {
        log.push("configured");
        writeFileSync(
          join(root, "baton.yaml"),
          `agents: [{ name: coder }]\n${filled(300 * KB, "# filler\n")}`,
        );
      }),
    ends: (result) => /^open\nthe defaults apply: .*larger than 256 kB/.test(String(result)),
  },
  {
    aims: "no file",
    name: "a pipe in place of the configuration, in a hook",
    go: () =>
      hook(({ root, log }) => {
        log.push("configured");
        pipe(join(root, "baton.yaml"));
      }),
    ends: (result) => /^open\nthe defaults apply: .*a pipe, a socket or a device/.test(String(result)),
  },
  {
    aims: "no file",
    name: "a pipe in place of the file that says that a handoff waits",
    go: async () => {
      const root = folder();
      pipe(join(root, "HANDOFF_PENDING.md"));
      return (await readPending(root)).length;
    },
    ends: is(0),
  },
  {
    aims: "size",
    name: "a file of 1 MB that says that a handoff waits",
    go: async () => {
      const root = folder();
      writeFileSync(join(root, "HANDOFF_PENDING.md"), `---\n${filled(MB, 'reason: "x"\n')}---\n`);
      return (await readPending(root)).length;
    },
    ends: is(0),
  },
  {
    aims: "nesting",
    name: "what a hook is told, 200,000 levels deep",
    go: () => hookInput("PostToolUse", `{"session_id":"a","cwd":"/p","tool_input":${deep(200_000)}}`),
    ends: is(undefined),
  },
  {
    aims: "nesting",
    name: "what a status line is told, 200,000 levels deep",
    go: () => Object.keys(statusInput(deep(200_000))).length,
    ends: is(0),
  },
  {
    aims: "stack",
    name: "a window that is minus a billion per cent full",
    go: () => statusLine({ percent: -1e9 }, undefined).length,
    ends: atMost(40),
  },
  {
    aims: "regex",
    name: "a status line of 1 MB of digits",
    go: () => statusFigure([filled(MB, "1")]),
    ends: is(undefined),
  },
  {
    aims: "counts",
    name: "150 messages to a session that reads none",
    go: async () => {
      const mail = await keptMail(150, "Said.");
      return mail.length === 100 && mail[0]?.text === "Earlier messages were too many to keep.";
    },
    ends: is(true),
  },
  {
    aims: "size",
    name: "a message of 1 MB to a session",
    go: async () => (await keptMail(1, filled(MB, "x")))[0]?.text.length,
    ends: atMost(2_010),
  },
];
