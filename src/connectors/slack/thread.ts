import { z } from "zod";
import type { Place } from "../connector.ts";
import { METADATA_TYPE } from "./message.ts";
import type { SlackApi } from "./web-api.ts";

const PAGE = 200;
const MOST_PAGES = 10;

const Message = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  username: z.string().nullish(),
  subtype: z.string().nullish(),
  text: z.string().nullish(),
  blocks: z.array(z.looseObject({ type: z.string() })).nullish(),
  files: z.array(z.looseObject({ name: z.string().nullish(), size: z.number().nullish() })).nullish(),
  metadata: z
    .object({ event_type: z.string(), event_payload: z.looseObject({ nonce: z.string().optional() }) })
    .nullish()
    .catch(undefined),
});

export type ThreadMessage = z.infer<typeof Message>;

const Page = z.object({
  messages: z.array(Message),
  has_more: z.boolean().optional(),
  response_metadata: z.object({ next_cursor: z.string().optional() }).nullish(),
});

/** What stands in a thread since `after`, oldest first; of a channel, the last of it. */
export async function messagesIn(
  api: SlackApi,
  { channel, thread }: Place,
  after: string | undefined,
  signal: AbortSignal,
): Promise<ThreadMessage[]> {
  const asked = { channel, limit: PAGE, include_all_metadata: true, oldest: after, inclusive: true };
  if (thread === undefined) {
    const { messages } = await api.call("conversations.history", asked, Page, { signal });
    return messages.toReversed();
  }
  const all: ThreadMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page++) {
    const got = await api.call("conversations.replies", { ...asked, ts: thread, cursor }, Page, { signal });
    all.push(...got.messages);
    cursor = got.response_metadata?.next_cursor || undefined;
    if (!got.has_more || cursor === undefined) break;
  }
  return all;
}

/** By what a message of ours is known. */
export function nonceOf({ metadata }: ThreadMessage): string | undefined {
  return metadata?.event_type === METADATA_TYPE ? metadata.event_payload.nonce : undefined;
}

/** As Markdown: what we say is in blocks, and the text beside them is cut off. */
export function textOf({ blocks, text }: ThreadMessage): string {
  const markdown = (blocks ?? [])
    .filter(({ type }) => type === "markdown")
    .map((block) => (typeof block.text === "string" ? block.text : ""))
    .join("\n");
  return markdown === "" ? (text ?? "") : markdown;
}
