import { oneLine, printable } from "../../util/printable.ts";
import type { Button, ChatPerson, MessageRef, Said } from "../connector.ts";
import { UndeliveredError } from "../error.ts";

/** Of one message. */
export const MESSAGE_LIMIT = 2_000;
const LABEL_LIMIT = 80;
const ID_LIMIT = 100;
const BUTTONS_IN_A_ROW = 5;
const MOST_ROWS = 5;
/** Links are not unfolded: what an agent writes is not a place to advertise. */
const SUPPRESS_EMBEDS = 4;
/** By which our buttons are known. */
export const BUTTON_PREFIX = "baton:";
const STYLES = { primary: 1, danger: 4 } as const;
const SECONDARY = 2;

/** Nothing that is said rings. Discord is asked for it with every message, since it would ring by default. */
const NOBODY = { parse: [] };

/** What a message holds, as Discord takes it. */
export function contentOf({ text, buttons = [] }: Pick<Said, "text" | "buttons">) {
  const shown = printable(text).trim() || "…";
  if (shown.length > MESSAGE_LIMIT) {
    throw new UndeliveredError(
      `The message has ${shown.length} characters; Discord takes ${MESSAGE_LIMIT}.`,
      "",
      false,
    );
  }
  const rows = Math.min(MOST_ROWS, Math.ceil(buttons.length / BUTTONS_IN_A_ROW));
  const components = Array.from({ length: rows }, (_, row) => ({
    type: 1,
    components: buttons.slice(row * BUTTONS_IN_A_ROW, (row + 1) * BUTTONS_IN_A_ROW).map(buttonOf),
  }));
  return { content: shown, components, allowed_mentions: NOBODY, flags: SUPPRESS_EMBEDS };
}

function buttonOf({ id, label, style }: Button): object {
  const name = `${BUTTON_PREFIX}${id}`;
  if (name.length > ID_LIMIT)
    throw new UndeliveredError(
      `A button's id has ${id.length} characters; Discord takes ${ID_LIMIT - BUTTON_PREFIX.length}.`,
      "",
      false,
    );
  return {
    type: 2,
    style: style ? STYLES[style] : SECONDARY,
    label: printable(oneLine(label).slice(0, LABEL_LIMIT)) || "…",
    custom_id: name,
  };
}

export function refOf(channel: string, message: string): MessageRef {
  return `${channel}:${message}`;
}

export function partsOf(ref: MessageRef): { channel: string; message: string } {
  const [channel = "", message = ""] = ref.split(":");
  return { channel, message };
}

interface Names {
  people: readonly ChatPerson[];
  channel: (id: string) => string | undefined;
  role: (id: string) => string | undefined;
}

/** What a person wrote, as Markdown, without the mention of `own`. */
export function markdownOf(text: string, own: readonly string[], { people, channel, role }: Names): string {
  return text
    .replace(/<(@[!&]?|#)(\d{5,25})>/g, (_, sign: string, id: string) => {
      if (sign === "#") return `#${channel(id) ?? id}`;
      if (own.includes(id)) return "";
      if (sign === "@&") return `@${role(id) ?? id}`;
      return `@${people.find((person) => person.id === id)?.name ?? id}`;
    })
    .replace(/<a?(:\w{1,40}:)\d{5,25}>/g, "$1")
    .trim();
}

const EPOCH_MS = 1_420_070_400_000;

/** Ids of Discord say when they were made. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH_MS;
}

/** The smallest id of that time. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - EPOCH_MS)) << 22n);
}
