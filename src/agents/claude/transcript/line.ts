import { fromJson, isFields } from "../../../util/json.ts";
import type { AgentEvent } from "../../events.ts";
import { listCost } from "../prices.ts";
import { howEnded, madeBy, refusal, toolStart } from "../tools.ts";
import { termsIn, tokensIn } from "../usage.ts";

type Fields = Record<string, unknown>;

const NONE: AgentEvent[] = [];

/** The program's name for messages that no model wrote: API errors, interrupts. */
export const SYNTHETIC = "<synthetic>";

/** What is longer holds nothing that Baton needs, and is not read: pictures come to a few megabytes. */
export const LONGEST_LINE = 32 * 1024 * 1024;

/** An entry with events holds one of these words. Most lines do not, and need not be parsed. */
const MARK =
  /"message"|compact_boundary|"modelId"|"queued_command"|"type":"(?:ai-title|custom-title|queue-operation)"/;

/** The events in one line of a Claude Code transcript. What is broken or not understood holds none. */
export function lineEvents(line: string): AgentEvent[] {
  return line.length <= LONGEST_LINE && MARK.test(line) ? entryEvents(fromJson(line)) : NONE;
}

function entryEvents(entry: unknown): AgentEvent[] {
  if (!isFields(entry)) return NONE;
  const subagent = entry.isSidechain === true ? nameOf(entry) : undefined;
  switch (entry.type) {
    case "assistant":
    case "user":
      return messageEvents(entry, subagent);
    case "progress":
      return progressEvents(entry.data);
    case "system":
      return subagent === undefined ? systemEvents(entry) : NONE;
    case "attachment":
      return subagent === undefined ? attachmentEvents(entry) : NONE;
    case "queue-operation":
      return queueEvents(entry);
    case "ai-title":
      return titleEvents(entry.aiTitle, false);
    case "custom-title":
      return titleEvents(entry.customTitle, true);
    default:
      return NONE;
  }
}

function messageEvents(entry: Fields, subagent: string | undefined): AgentEvent[] {
  const { message } = entry;
  if (!isFields(message)) return NONE;
  const owner = subagent === undefined ? {} : { subagent };
  if (entry.type === "user") {
    const said = subagent === undefined && entry.isMeta !== true && entry.isCompactSummary !== true;
    return [
      ...toolEnds(message.content, owner),
      ...(said ? [...wordsInRefusals(message.content), ...userWords(message.content)] : NONE),
      ...(subagent === undefined ? subagentEvents(entry) : NONE),
    ];
  }
  const when = typeof entry.timestamp === "string" ? { at: entry.timestamp } : {};
  return [...responseOf(message, { ...when, ...owner }), ...blocksOf(message.content, owner)];
}

function responseOf({ id, model, usage }: Fields, owner: { at?: string; subagent?: string }): AgentEvent[] {
  if (typeof id !== "string" || typeof model !== "string" || model === SYNTHETIC) return NONE;
  if (!isFields(usage)) return [{ type: "response", id, model, ...owner }];
  const used = tokensIn(usage);
  const costUsd = listCost(model, used, termsIn(usage));
  return [{ type: "response", id, model, usage: used, ...(costUsd !== undefined && { costUsd }), ...owner }];
}

function blocksOf(content: unknown, owner: { subagent?: string }): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const block of blocks(content)) {
    if (block.type === "text" && typeof block.text === "string") {
      events.push({ type: "text", text: block.text, ...owner });
    } else if (block.type === "tool_use" && typeof block.id === "string" && typeof block.name === "string") {
      events.push({ ...toolStart(block.id, block.name, block.input), ...owner });
    }
  }
  return events;
}

function toolEnds(content: unknown, owner: { subagent?: string }): AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const block of blocks(content)) {
    if (block.type !== "tool_result" || typeof block.tool_use_id !== "string") continue;
    const output = textOf(block.content);
    const ok = block.is_error !== true;
    const ended = { ...howEnded(ok, output), ...madeBy(output) };
    events.push({ type: "tool:end", id: block.tool_use_id, ok, output, ...ended, ...owner });
  }
  return events;
}

/** That one was started, in the result of the call; that it ended, in a notice in a person's place. */
function subagentEvents({ message, toolUseResult, timestamp }: Fields): AgentEvent[] {
  const when = typeof timestamp === "string" ? { at: timestamp } : {};
  if (isFields(toolUseResult) && typeof toolUseResult.agentId === "string") {
    const { agentId: id, description, prompt, status } = toolUseResult;
    const task = [description, prompt].find((text) => typeof text === "string") ?? "";
    const state = status === "async_launched" ? "running" : "completed";
    return [{ type: "subagent", id, task, state, ...when }];
  }
  const content = isFields(message) ? message.content : undefined;
  return typeof content === "string" ? noticeEvents(content, when) : NONE;
}

/** What a notice tells stands before the words of the agent that ended. */
const NOTICE_HEAD = 8_192;

/** Commands in the background end with the same notice, but are no agents. */
function noticeEvents(text: string, when: { at?: string }): AgentEvent[] {
  if (!text.startsWith("<task-notification>")) return NONE;
  const head = text.slice(0, NOTICE_HEAD);
  const [, id] = /<task-id>([^<]+)<\/task-id>/.exec(head) ?? [];
  const [, status] = /<status>(\w+)<\/status>/.exec(head) ?? [];
  const [, task] = /<summary>Agent "(.*?)" \w/.exec(head) ?? [];
  if (id === undefined || status === undefined || task === undefined) return NONE;
  const state = status === "completed" || status === "failed" ? status : "stopped";
  return [{ type: "subagent", id, task, state, ...when }];
}

/** What the program itself puts in a person's place: notices, its own commands, reminders. */
const NOT_A_PERSON =
  /^\s*(?:<(?:task-notification|command-|local-command|system-reminder|bash-)|\[Request interrupted)/;

function userWords(content: unknown): AgentEvent[] {
  const texts =
    typeof content === "string"
      ? [content]
      : blocks(content).map((block) => (block.type === "text" ? block.text : ""));
  return texts.flatMap((text): AgentEvent[] =>
    typeof text === "string" && text.trim() !== "" && !NOT_A_PERSON.test(text)
      ? [{ type: "user", text }]
      : [],
  );
}

function wordsInRefusals(content: unknown): AgentEvent[] {
  return blocks(content).flatMap((block): AgentEvent[] => {
    if (block.type !== "tool_result" || block.is_error !== true) return [];
    const text = refusal(textOf(block.content));
    return text === undefined ? [] : [{ type: "user", text }];
  });
}

/** What came while the agent worked, once it was told of it: a person's words, or a notice of the program's own. */
function heardMidTurn({ prompt, origin, isMeta }: Fields): AgentEvent[] {
  if (isMeta === true || (isFields(origin) && origin.kind !== "human")) return NONE;
  return userWords(prompt).map((event) => (event.type === "user" ? { ...event, midTurn: true } : event));
}

/** A command of the program's is no message to the agent. */
const COMMAND = /^\s*\/[\w:-]+(?:\s|$)/;

/**
 * What was sent while the agent works. Where it leaves the queue for the agent, an entry of its own tells so, but in versions that do
 * not say what left.
 */
function queueEvents({ operation, content, reason }: Fields): AgentEvent[] {
  const text = typeof content === "string" ? content : undefined;
  const said = text === undefined ? {} : { text };
  switch (operation) {
    case "enqueue":
      return text === undefined || COMMAND.test(text)
        ? NONE
        : userWords(text).flatMap((event) =>
            event.type === "user" ? [{ type: "queued", text: event.text }] : [],
          );
    case "remove":
      if (reason === undefined) return [{ type: "unqueued", ...said, heard: true }];
      return reason === "absorbed_mid_turn" ? NONE : [{ type: "unqueued", ...said, heard: false }];
    case "popAll":
      return [{ type: "unqueued", ...said, heard: false }];
    default:
      return NONE;
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return blocks(content)
    .flatMap((block) => (typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}

/** Claude Code 2.1.39 writes what subagents do as progress of the main thread. */
function progressEvents(data: unknown): AgentEvent[] {
  if (!isFields(data) || data.type !== "agent_progress" || !isFields(data.message)) return NONE;
  return messageEvents(data.message, nameOf(data));
}

function systemEvents(entry: Fields): AgentEvent[] {
  if (entry.subtype !== "compact_boundary") return NONE;
  const metadata = isFields(entry.compactMetadata) ? entry.compactMetadata : {};
  const before = tokens(metadata.preTokens);
  const after = tokens(metadata.postTokens);
  return [
    {
      type: "compaction:end",
      ok: true,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    },
  ];
}

/** Written at the start and after a model switch. Unlike responses it says whether the window is `[1m]`. */
function attachmentEvents({ attachment, sessionId, version }: Fields): AgentEvent[] {
  if (!isFields(attachment)) return NONE;
  if (attachment.type === "queued_command") return heardMidTurn(attachment);
  if (attachment.type !== "model" || !isFields(attachment.identity)) return NONE;
  const model = attachment.identity.modelId;
  if (typeof model !== "string" || typeof sessionId !== "string") return NONE;
  return [{ type: "init", sessionId, model, program: `Claude Code ${version}` }];
}

function titleEvents(title: unknown, byPerson: boolean): AgentEvent[] {
  return typeof title === "string" ? [{ type: "title", title, byPerson }] : NONE;
}

function nameOf({ agentId }: Fields): string {
  return typeof agentId === "string" ? agentId : "subagent";
}

function blocks(content: unknown): Fields[] {
  return Array.isArray(content) ? content.filter(isFields) : [];
}

function tokens(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : undefined;
}
