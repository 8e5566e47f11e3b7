import { z } from "zod";
import {
  type Block,
  BOT,
  BOT_USER,
  type Channel,
  markdownIn,
  Refused,
  type StoredFile,
  type StoredMessage,
  TEAM,
  type Workspace,
} from "./workspace.ts";

export type Arguments = Record<string, unknown>;
type Method = (given: Arguments, workspace: Workspace, service: Hooks) => object;

/** What methods set off outside the workspace. */
export interface Hooks {
  /** The bot's own messages and edits come back as events. */
  echo: (event: object) => void;
  /** Where a file's bytes go, and where they are. */
  uploadUrl: (fileId: string) => string;
  fileUrl: (file: StoredFile) => string;
}

const MARKDOWN_MOST = 12_000;
const plainText = (most: number) =>
  z.strictObject({
    type: z.literal("plain_text"),
    text: z.string().min(1).max(most),
    emoji: z.boolean().optional(),
  });
const BlockShape = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("markdown"), text: z.string().min(1) }),
  z.strictObject({
    type: z.literal("section"),
    text: z.strictObject({ type: z.enum(["mrkdwn", "plain_text"]), text: z.string().min(1).max(3_000) }),
  }),
  z.strictObject({
    type: z.literal("actions"),
    elements: z
      .array(
        z.strictObject({
          type: z.literal("button"),
          action_id: z.string().min(1).max(255),
          value: z.string().max(2_000),
          text: plainText(75),
          style: z.enum(["primary", "danger"]).optional(),
        }),
      )
      .min(1)
      .max(25),
  }),
]);
const MetadataShape = z.strictObject({
  event_type: z.string().regex(/^[A-Za-z0-9_]{1,255}$/),
  event_payload: z.record(z.string(), z.unknown()),
});

/** `text`, `blocks` or `markdown_text`, within the limits of each. */
function contentOf(given: Arguments): Pick<StoredMessage, "text" | "blocks"> {
  const { text, blocks, markdown_text: markdown } = given;
  if (markdown !== undefined) {
    if (text !== undefined || blocks !== undefined) throw new Refused("markdown_text_conflict");
    if (String(markdown).length > MARKDOWN_MOST) throw new Refused("msg_too_long");
    return { text: String(markdown) };
  }
  if (text === undefined && blocks === undefined) throw new Refused("no_text");
  if (blocks === undefined) return { text: String(text).slice(0, 40_000) };
  const parsed = z.array(BlockShape).min(1).max(50).safeParse(blocks);
  if (!parsed.success)
    throw new Refused("invalid_blocks", { response_metadata: { messages: [parsed.error.message] } });
  const markdowns = parsed.data.flatMap((block) => (block.type === "markdown" ? [block.text] : []));
  if (markdowns.join("").length > MARKDOWN_MOST) throw new Refused("msg_blocks_too_long");
  return { text: String(text ?? "").slice(0, 40_000), blocks: parsed.data as Block[] };
}

function metadataOf(given: Arguments): Pick<StoredMessage, "metadata"> {
  if (given.metadata === undefined) return {};
  const parsed = MetadataShape.safeParse(given.metadata);
  if (!parsed.success) throw new Refused("invalid_metadata_format");
  return { metadata: parsed.data };
}

function threadOf(given: Arguments, channel: Channel): Pick<StoredMessage, "thread_ts"> {
  if (given.thread_ts === undefined) return {};
  const root = channel.messages.find(({ ts }) => ts === given.thread_ts);
  if (!root) throw new Refused("thread_not_found");
  return { thread_ts: root.thread_ts ?? root.ts };
}

/** One that the bot wrote itself. */
function ownMessage(given: Arguments, workspace: Workspace): StoredMessage {
  workspace.joined(given.channel);
  const message = workspace.message(given.channel, given.ts);
  if (!message) throw new Refused("message_not_found");
  if (message.bot_id !== BOT) throw new Refused("cant_update_message");
  return message;
}

function streamed(given: Arguments): string {
  const { markdown_text: markdown, chunks } = given;
  const text = Array.isArray(chunks)
    ? chunks
        .map((chunk: { type: string; text?: string }) => (chunk.type === "markdown_text" ? chunk.text : ""))
        .join("")
    : String(markdown ?? "");
  if (text.length > MARKDOWN_MOST) throw new Refused("msg_too_long");
  return text;
}

function openStream(given: Arguments, workspace: Workspace): StoredMessage {
  const message = ownMessage(given, workspace);
  if (workspace.isStreaming(message)) return message;
  throw new Refused(
    message.stream?.endedBy === "user" ? "stopped_by_user" : "message_not_in_streaming_state",
  );
}

function rewrite(message: StoredMessage, workspace: Workspace): void {
  message.edits += 1;
  message.states.push(markdownIn(message));
  workspace.ring(message);
}

function page(all: StoredMessage[], given: Arguments, { fileUrl }: Hooks): object {
  // The message that a thread hangs on comes with every page.
  const after = all.filter(
    ({ ts }) => ts === given.ts || given.oldest === undefined || Number(ts) >= Number(given.oldest),
  );
  const from = Number(given.cursor ?? 0);
  const limit = Math.min(Number(given.limit ?? 100), 1_000);
  const messages = after
    .slice(from, from + limit)
    .map(({ metadata, reactions, edits, states, stream, ...message }) => ({
      ...message,
      ...(message.files && { files: message.files.map((file) => shownFile(file, fileUrl)) }),
      ...(given.include_all_metadata !== undefined && metadata !== undefined && { metadata }),
    }));
  const has_more = from + limit < after.length;
  return { messages, has_more, response_metadata: { next_cursor: has_more ? String(from + limit) : "" } };
}

export function shownFile(
  { content: _, shares: __, ...file }: StoredFile,
  fileUrl: Hooks["fileUrl"],
): object {
  return { ...file, url_private_download: fileUrl({ ...file, content: _, shares: __ }) };
}

export const METHODS: Record<string, { scope?: string; run: Method }> = {
  "auth.test": {
    run: () => ({
      url: "https://acme.slack.com/",
      team: "Acme",
      team_id: TEAM,
      user: "baton",
      user_id: BOT_USER,
      bot_id: BOT,
    }),
  },
  "users.info": {
    scope: "users:read",
    run: ({ user }, { users }) => {
      const name = users.get(String(user));
      if (name === undefined) throw new Refused("user_not_found");
      return {
        user: { id: user, name: String(user).toLowerCase(), real_name: name, profile: { display_name: "" } },
      };
    },
  },
  "chat.postMessage": {
    scope: "chat:write",
    run: (given, workspace, { echo }) => {
      const channel = workspace.joined(given.channel);
      const said = { ...contentOf(given), ...metadataOf(given), ...threadOf(given, channel) };
      const message = workspace.add(channel, { user: BOT_USER, bot_id: BOT, ...said });
      echo({ ...message, type: "message", channel: channel.id, channel_type: channel.type });
      return { channel: channel.id, ts: message.ts, message };
    },
  },
  "chat.update": {
    scope: "chat:write",
    run: (given, workspace, { echo }) => {
      const message = ownMessage(given, workspace);
      if (workspace.isStreaming(message)) throw new Refused("streaming_state_conflict");
      const { blocks, text } = contentOf(given);
      Object.assign(message, { text }, metadataOf(given));
      if (blocks) message.blocks = blocks;
      else delete message.blocks;
      rewrite(message, workspace);
      const shown = { type: "message", user: BOT_USER, bot_id: BOT, text, ts: message.ts };
      echo({
        type: "message",
        subtype: "message_changed",
        hidden: true,
        channel: given.channel,
        ts: workspace.nextTs(),
        message: shown,
      });
      return { channel: given.channel, ts: message.ts, text };
    },
  },
  "chat.startStream": {
    scope: "chat:write",
    run: (given, workspace) => {
      const channel = workspace.joined(given.channel);
      if (given.thread_ts === undefined) throw new Refused("missing_thread_ts");
      const thread = threadOf(given, channel);
      if (channel.type !== "im") {
        if (given.recipient_user_id === undefined) throw new Refused("missing_recipient_user_id");
        if (given.recipient_team_id === undefined) throw new Refused("missing_recipient_team_id");
      }
      const stream = { began: workspace.clock.now() };
      const message = workspace.add(channel, {
        user: BOT_USER,
        bot_id: BOT,
        text: streamed(given),
        ...thread,
        stream,
      });
      return { channel: channel.id, ts: message.ts };
    },
  },
  "chat.appendStream": {
    scope: "chat:write",
    run: (given, workspace) => {
      const message = openStream(given, workspace);
      message.text += streamed(given);
      rewrite(message, workspace);
      return { channel: given.channel, ts: message.ts };
    },
  },
  "chat.stopStream": {
    scope: "chat:write",
    run: (given, workspace) => {
      const message = openStream(given, workspace);
      message.text += streamed(given);
      Object.assign(message, metadataOf(given), { stream: { ...message.stream, endedBy: "bot" } });
      rewrite(message, workspace);
      return { channel: given.channel, ts: message.ts };
    },
  },
  "agents.sessions.setStatus": { scope: "assistant:write", run: ({ status }) => ({ status }) },
  "reactions.add": {
    scope: "reactions:write",
    run: ({ channel, timestamp, name }, workspace) => {
      workspace.joined(channel);
      const message = workspace.message(channel, timestamp);
      if (!message) throw new Refused("message_not_found");
      if (!/^[a-z0-9_+'-]+$/.test(String(name))) throw new Refused("invalid_name");
      if (message.reactions.includes(String(name))) throw new Refused("already_reacted");
      message.reactions.push(String(name));
      return {};
    },
  },
  "conversations.replies": {
    scope: "channels:history",
    run: (given, workspace, hooks) => {
      const channel = workspace.joined(given.channel);
      const root = workspace.message(given.channel, given.ts);
      if (!root) throw new Refused("thread_not_found");
      const all = channel.messages.filter(({ ts, thread_ts }) => ts === root.ts || thread_ts === root.ts);
      return page(all, given, hooks);
    },
  },
  "conversations.history": {
    scope: "channels:history",
    run: (given, workspace, hooks) => {
      const { messages } = workspace.joined(given.channel);
      const top = messages
        .filter(({ thread_ts, ts }) => !thread_ts || thread_ts === ts)
        .map((root) => {
          const last = messages.findLast(({ thread_ts, ts }) => thread_ts === root.ts && ts !== root.ts);
          return { ...root, ...(last && { latest_reply: last.ts }) };
        });
      return page(top.toReversed(), given, hooks);
    },
  },
  "files.getUploadURLExternal": {
    scope: "files:write",
    run: ({ filename, length }, { files }, { uploadUrl }) => {
      const [name, size] = [String(filename), Number(length)];
      if (!(size > 0)) throw new Refused("invalid_arguments");
      const id = `F${files.size + 1}`;
      const mimetype = name.endsWith(".md") ? "text/markdown" : "text/plain";
      files.set(id, { id, name, mimetype, size, title: name, content: Buffer.alloc(0), shares: {} });
      return { upload_url: uploadUrl(id), file_id: id };
    },
  },
  "files.completeUploadExternal": {
    scope: "files:write",
    run: (given, workspace) => {
      const wanted = z.array(z.object({ id: z.string(), title: z.string().optional() })).parse(given.files);
      const files = wanted.map(({ id, title }) => {
        const file = workspace.files.get(id);
        if (!file || file.content.length !== file.size) throw new Refused("file_not_found");
        return Object.assign(file, { title: title ?? file.name });
      });
      if (given.channel_id !== undefined) {
        const channel = workspace.joined(given.channel_id);
        if (files.some(({ shares }) => channel.id in (shares.public ?? {})))
          throw new Refused("file_already_shared");
        const comment = String(given.initial_comment ?? "");
        const thread = threadOf(given, channel);
        const shared = { subtype: "file_share", files, ...thread };
        const { ts } = workspace.add(channel, { user: BOT_USER, bot_id: BOT, text: comment, ...shared });
        for (const file of files) file.shares = { public: { [channel.id]: [{ ts }] } };
      }
      return { files: files.map(({ id, title }) => ({ id, title })) };
    },
  },
  "files.info": {
    scope: "files:read",
    run: ({ file: id }, { files }, { fileUrl }) => {
      const file = files.get(String(id));
      if (!file) throw new Refused("file_not_found");
      return { file: { ...shownFile(file, fileUrl), shares: file.shares } };
    },
  },
};
