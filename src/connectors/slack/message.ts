import type { Button, MessageRef, Place, Said } from "../connector.ts";
import { UndeliveredError } from "../error.ts";
import { BUTTON_PREFIX } from "./heard.ts";
import { MESSAGE_LIMIT, plain, withoutMentions } from "./text.ts";
import type { Arguments } from "./web-api.ts";

const MOST_BUTTONS = 25;
const LABEL_LIMIT = 75;
const VALUE_LIMIT = 2_000;
/** By which a message of ours is found again. */
export const METADATA_TYPE = "baton_message";

/**
 * What a message holds, as Slack takes it. As blocks, because `markdown_text` cannot stand beside buttons, and an edit of
 * blocks is not marked as one.
 */
export function contentOf({ text, buttons = [] }: Pick<Said, "text" | "buttons">): Arguments {
  if (text.length > MESSAGE_LIMIT) {
    throw new UndeliveredError(
      `The message has ${text.length} characters; Slack takes ${MESSAGE_LIMIT}.`,
      "",
      false,
    );
  }
  const shown = withoutMentions(text).trim();
  return {
    text: plain(text) || "…",
    blocks: [
      { type: "markdown", text: shown === "" ? "…" : shown },
      ...(buttons.length === 0
        ? []
        : [{ type: "actions", elements: buttons.slice(0, MOST_BUTTONS).map(buttonOf) }]),
    ],
  };
}

function buttonOf({ id, label, style }: Button, index: number) {
  if (id.length > VALUE_LIMIT) {
    throw new UndeliveredError(
      `A button's id has ${id.length} characters; Slack takes ${VALUE_LIMIT}.`,
      "",
      false,
    );
  }
  const text = { type: "plain_text", text: plain(label, LABEL_LIMIT) || "…", emoji: false };
  return { type: "button", action_id: `${BUTTON_PREFIX}${index}`, value: id, text, ...(style && { style }) };
}

export function metadataOf(nonce: string): object {
  return { event_type: METADATA_TYPE, event_payload: { nonce } };
}

export function placeArguments({ channel, thread }: Place): Arguments {
  return { channel, thread_ts: thread };
}

export function refOf(channel: string, ts: string, nonce: string): MessageRef {
  return [channel, ts, nonce].join(":");
}

export function partsOf(ref: MessageRef): { channel: string; ts: string; nonce: string } {
  const [channel = "", ts = "", ...nonce] = ref.split(":");
  return { channel, ts, nonce: nonce.join(":") };
}
