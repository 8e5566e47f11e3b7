import { basename, isAbsolute, relative } from "node:path";
import { z } from "zod";
import type { OwnTool } from "../../agents/agent.ts";
import { readInside } from "../../files/inside.ts";
import { putInOutbox } from "../../store/conversations/outbox.ts";
import type { Store } from "../../store/store.ts";
import { messageOf } from "../../util/errors.ts";
import { newNonce } from "./status-message.ts";
import { inLine } from "./words.ts";

const LARGEST = 1_000_000;

const input = {
  path: z.string().min(1).max(1_000).describe("The file, in the folder that you work in"),
  comment: z.string().max(1_000).default("").describe("What it is, in a sentence"),
};

interface Setting {
  store: Store;
  conversation: string;
  job: string;
  /** Where the job works, once that is known. */
  folder: () => string | undefined;
  redact: (text: string) => string;
  said: () => void;
}

/** With which an agent gives people a text file out of the folder of its job, and no other. */
export function sendFile({ store, conversation, job, folder, redact, said }: Setting): OwnTool {
  return {
    name: "send_file",
    description: "Posts a text file from the folder that you work in to the people you talk with.",
    input,
    async call(given) {
      const { path, comment } = z.object(input).parse(given);
      const root = folder();
      if (root === undefined) return { ok: false, text: "There is no folder yet." };
      try {
        const within = isAbsolute(path) ? relative(root, path) : path;
        const text = await readInside(root, within, { mostBytes: LARGEST });
        if (text === undefined) return { ok: false, text: `There is no file ${path}.` };
        if (text.includes("\uFFFD") || text.includes("\0"))
          return { ok: false, text: `${path} is not a text file: only text can be sent.` };
        const name = basename(within);
        const nonce = newNonce();
        const words = comment === "" ? name : inLine(comment);
        await putInOutbox(
          store,
          {
            ...{ conversation, job, source: `${job}:file:${nonce}`, nonce, isLive: false },
            said: { text: redact(words), file: { name, content: redact(text) } },
          },
          new Date(),
        );
        said();
        return { ok: true, text: `${name} is being posted.` };
      } catch (error) {
        return { ok: false, text: messageOf(error) };
      }
    },
  };
}
