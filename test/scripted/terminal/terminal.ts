import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import type { AgentEvent } from "../../../src/agents/events.ts";
import { ScriptedAgent } from "../scripted-agent.ts";
import type { Input, ToolResult } from "../tools.ts";
import { Transcript } from "../transcript.ts";
import { keysIn, nothingWritten, press, type Written } from "./keys.ts";
import { type HookAnswer, Plugin } from "./plugin.ts";
import { drawn } from "./screen.ts";
import { ToolServer } from "./server.ts";

const FOOTER = "⏵⏵ bypass permissions on (shift+tab to cycle)";

/**
 * A coding agent as a person sees it: a prompt in a terminal, with the hooks, commands and servers of a plugin, laid out
 * and reported as Claude Code does it. `terminal-contract.test.ts` holds both to the same contract.
 */
class Terminal {
  readonly #model: string | undefined;
  readonly #plugin: Plugin | undefined;
  readonly #servers: Promise<{ server: ToolServer; name: string; tools: string[] }>[];
  #session: { id: string; agent: ScriptedAgent; transcript: Transcript };
  /** What the model hears with the next prompt. */
  #hints: string[] = [];
  #conversation: string[] = [];
  #written: Written = nothingWritten;
  #dialog: string[] | undefined;
  #isWorking = false;
  /** Keys and commands are dealt with one after the other. */
  #queue = Promise.resolve();

  constructor(options: { model?: string | undefined; id: string; plugin?: string | undefined }) {
    this.#model = options.model;
    this.#plugin = options.plugin === undefined ? undefined : new Plugin(options.plugin);
    this.#session = this.#newSession(options.id, []);
    this.#servers = (this.#plugin?.servers ?? []).map(async (command) => {
      const server = new ToolServer(command, this.#env());
      return { server, name: command.name, tools: await server.toolNames() };
    });
  }

  async start(prompt: string | undefined): Promise<void> {
    await this.#begin(this.#session.id, "startup");
    process.stdin.setRawMode(true).setEncoding("utf8");
    process.stdin.on("data", (bytes: string) => {
      for (const key of keysIn(bytes)) this.#queue = this.#queue.then(() => this.#press(key));
    });
    process.stdout.on("resize", () => this.#draw());
    if (prompt !== undefined) await this.#say(prompt);
    this.#draw();
  }

  async #press(key: string): Promise<void> {
    const pressed = press(key, this.#written);
    if (pressed.kind === "edit") this.#written = pressed.written;
    else if (pressed.kind === "enter") await this.#enter();
    else if (this.#dialog) this.#dialog = undefined;
    else this.#session.agent.interrupt();
    this.#draw();
  }

  async #enter(): Promise<void> {
    const line = this.#written.text.trim();
    const { isShell } = this.#written;
    this.#written = nothingWritten;
    if (line === "") return;
    if (isShell) {
      spawnSync("sh", ["-c", line], { stdio: "ignore" });
      return;
    }
    const [, command, given = ""] = /^\/(\S+)\s*([\s\S]*)$/.exec(line) ?? [];
    switch (command) {
      case "clear":
        return this.#clear();
      case "exit":
        return this.#exit();
      case "mcp":
        return this.#showServers();
      case undefined:
        return this.#say(line);
      default: {
        const meaning = this.#promptOf(command, given);
        return meaning === undefined ? this.#unknown(command, given) : this.#say(line, meaning);
      }
    }
  }

  #unknown(command: string, given: string): void {
    for (const words of [
      `Unknown command: /${command}`,
      ...(given ? [`Args from unknown skill: ${given}`] : []),
    ]) {
      this.#conversation.push(`● ${words}`);
      this.#session.transcript.informational(words);
    }
  }

  /** What a command of the plugin stands for. */
  #promptOf(command: string, given: string): string | undefined {
    const [plugin, name] = command.split(":");
    if (plugin !== this.#plugin?.name || name === undefined) return undefined;
    return this.#plugin?.promptOf(name, given);
  }

  async #say(line: string, meaning?: string): Promise<void> {
    this.#conversation.push(`❯ ${line}`);
    this.#isWorking = true;
    this.#draw();
    const answers = await this.#hook("UserPromptSubmit", { prompt: line });
    const blocked = answers.find(({ decision }) => decision === "block");
    if (blocked) return this.#blocked(line, blocked.reason ?? "");
    const hints = [...this.#hints, ...contextsOf(answers)];
    this.#hints = [];
    this.#session.agent.hear(meaning ?? line, hints);
  }

  /** The model hears nothing of it, and the person reads why in its place. */
  #blocked(line: string, reason: string): void {
    this.#conversation.pop();
    const text = `${reason}\n\nOriginal prompt: ${line}`.replaceAll("\n", "\n  ");
    this.#conversation.push(`● UserPromptSubmit operation blocked by hook:\n  ${text}`);
    this.#isWorking = false;
    this.#draw();
  }

  async #clear(): Promise<void> {
    await this.#hook("SessionEnd", { reason: "clear" });
    this.#conversation = [];
    this.#hints = [];
    await this.#begin(randomUUID(), "clear");
    this.#conversation.push("❯ /clear");
    const names = ["name>/clear", "message>clear", "args>"];
    const tags = names.map((name) => `<command-${name}</command-${name.split(">")[0]}>`);
    this.#session.transcript.user(tags.join("\n            "));
  }

  async #exit(): Promise<void> {
    await this.#hook("SessionEnd", { reason: "prompt_input_exit" });
    for (const { server } of await Promise.all(this.#servers)) server.end();
    process.exit(0);
  }

  async #showServers(): Promise<void> {
    const servers = await Promise.all(this.#servers);
    const lines = servers.map(({ name }) => `  ✔ plugin:${this.#plugin?.name}:${name}`);
    this.#dialog = ["Manage MCP servers", "", ...lines, "", "Esc to cancel"];
  }

  async #begin(id: string, source: "startup" | "clear"): Promise<void> {
    this.#session = this.#newSession(id, await this.#toolNames());
    // Commands have the environment of this process.
    Object.assign(process.env, this.#env());
    const answers = await this.#hook("SessionStart", { source, model: this.#model }, `:${source}`);
    this.#hints.push(...contextsOf(answers));
  }

  #newSession(id: string, ownTools: string[]) {
    const home = process.env.CLAUDE_CONFIG_DIR ?? "";
    const transcript = new Transcript(home, id, process.cwd());
    const spec = {
      sessionId: id,
      resume: false,
      ...(this.#model !== undefined && { model: this.#model }),
      permissionMode: "bypassPermissions" as const,
      readsRepository: false,
      allowedTools: [],
      deniedTools: [],
      ownTools,
      ownPrefix: `mcp__plugin_${this.#plugin?.name}_`,
    };
    const agent = new ScriptedAgent(spec, {
      emit: (event) => this.#heard(id, event),
      stopsHere: async () => false,
      callOwn: (_id, name, input) => this.#call(name, input),
      afterTool: (name, input, result) => this.#afterTool(name, input, result),
      whyNotEnd: (words, wasAsked) => this.#whyNotEnd(words, wasAsked),
    });
    return { id, agent, transcript };
  }

  async #toolNames(): Promise<string[]> {
    const servers = await Promise.all(this.#servers);
    return servers.flatMap(({ name, tools }) => tools.map((tool) => `${name}__${tool}`));
  }

  async #call(qualified: string, input: Input): Promise<ToolResult> {
    const [server, tool] = qualified.split("__");
    const found = (await Promise.all(this.#servers)).find(({ name }) => name === server);
    return found && tool ? found.server.call(tool, input) : { ok: false, text: `No such tool: ${qualified}` };
  }

  async #afterTool(name: string, input: Input, { ok, text }: ToolResult): Promise<string[]> {
    const event = ok ? "PostToolUse" : "PostToolUseFailure";
    const about = { tool_name: name, tool_input: input, ...(ok ? { tool_response: text } : { error: text }) };
    return contextsOf(await this.#hook(event, about));
  }

  async #whyNotEnd(lastWords: string, wasAsked: boolean): Promise<string | undefined> {
    const answers = await this.#hook("Stop", {
      stop_hook_active: wasAsked,
      last_assistant_message: lastWords,
      background_tasks: [],
    });
    const reason = answers.find(({ decision }) => decision === "block")?.reason;
    if (reason !== undefined) this.#conversation.push(`● Ran 1 stop hook\n  ⎿  Stop hook error: ${reason}`);
    return reason;
  }

  async #hook(event: string, about: object, label = ""): Promise<HookAnswer[]> {
    if (!this.#plugin) return [];
    const { id, transcript } = this.#session;
    const common = { session_id: id, transcript_path: transcript.path, cwd: process.cwd() };
    const input = { ...common, permission_mode: "bypassPermissions", hook_event_name: event, ...about };
    const answers = await this.#plugin.run(event, input, this.#env());
    for (const { systemMessage } of answers) {
      if (systemMessage) this.#conversation.push(`  ⎿  ${event}${label} says: ${systemMessage}`);
    }
    return answers;
  }

  #env(): Record<string, string | undefined> {
    return {
      ...process.env,
      CLAUDECODE: "1",
      CLAUDE_PID: String(process.pid),
      CLAUDE_CODE_SESSION_ID: this.#session.id,
      CLAUDE_CODE_ENTRYPOINT: process.env.CLAUDE_CODE_ENTRYPOINT ?? "cli",
      CLAUDE_PROJECT_DIR: process.cwd(),
    };
  }

  #heard(session: string, event: AgentEvent): void {
    if (session !== this.#session.id) return;
    if (event.type === "text") this.#conversation.push(`● ${event.text}`);
    if (event.type === "tool:start") this.#conversation.push(`● ${event.name}`);
    if (event.type === "turn:end" && event.outcome.kind === "interrupted")
      this.#conversation.push("  ⎿  Interrupted");
    if (event.type === "idle") this.#isWorking = false;
    if (event.type !== "text:delta") this.#draw();
  }

  #draw(): void {
    const view = {
      conversation: this.#conversation,
      isWorking: this.#isWorking,
      written: this.#written,
      footer: FOOTER,
      dialog: this.#dialog,
    };
    process.stdout.write(drawn(view, process.stdout.columns, process.stdout.rows));
  }
}

function contextsOf(answers: HookAnswer[]): string[] {
  return answers.flatMap(({ hookSpecificOutput }) => hookSpecificOutput?.additionalContext ?? []);
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: "string" },
    "session-id": { type: "string" },
    "plugin-dir": { type: "string" },
    "dangerously-skip-permissions": { type: "boolean" },
  },
});
const terminal = new Terminal({
  model: values.model,
  id: values["session-id"] ?? randomUUID(),
  plugin: values["plugin-dir"],
});
await terminal.start(positionals[0]);
