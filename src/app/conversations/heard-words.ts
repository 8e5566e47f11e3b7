import type { ChatPerson } from "../../connectors/connector.ts";
import { framed, newTag, shortLine } from "../../util/frame.ts";
import { printable } from "../../util/printable.ts";

const LONGEST_NAME = 60;

/** What an agent hears of a message: whose it is, their words, and apart from them what they quote. */
export function heardFrom(by: ChatPerson, text: string, { isDirect }: { isDirect: boolean }): string {
  const { own, quoted } = apart(printable(text));
  const name = nameOf(by);
  const words = isDirect ? own : `${name}: ${own}`;
  if (quoted === "") return words;
  const frame = framed({ kind: "quoted", source: `what ${name} quotes`, text: quoted, tag: newTag() });
  return `${words}\n\n${frame}`;
}

function nameOf({ name, id }: ChatPerson): string {
  return shortLine(name, LONGEST_NAME).replaceAll(":", "") || shortLine(id, LONGEST_NAME);
}

/** Lines that begin with `>`, where they are no code. */
function apart(text: string): { own: string; quoted: string } {
  const own: string[] = [];
  const quoted: string[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    if (!isCode && /^ {0,3}>/.test(line)) quoted.push(line.replace(/^ {0,3}> ?/, ""));
    else own.push(line);
  }
  return { own: own.join("\n").trim(), quoted: quoted.join("\n") };
}

export interface Earlier {
  by: ChatPerson;
  isOurs: boolean;
  text: string;
}

const LONGEST_EARLIER = 20_000;

/** The request of a conversation that begins where others have talked before, or that ended and is begun anew. */
export function openingWith(
  words: string,
  { earlier, document }: { earlier: readonly Earlier[]; document?: string | undefined },
): string {
  const said = earlier.map(({ by, isOurs, text }) => `${isOurs ? "You" : nameOf(by)}: ${printable(text)}`);
  const parts = [
    ...(document === undefined
      ? []
      : [
          {
            kind: "handoff",
            source: "the last document of your earlier conversation in this thread",
            text: document,
          },
        ]),
    ...(said.length === 0
      ? []
      : [{ kind: "thread", source: "what was written here before", text: said.join("\n\n") }]),
  ];
  const frames = parts.map((part) =>
    framed({ ...part, text: part.text.slice(-LONGEST_EARLIER), tag: newTag() }),
  );
  return [words, ...frames].join("\n\n");
}

/** What an agent is told of how it talks with people. */
export function aboutTalking(service: string, { isDirect }: { isDirect: boolean }): string {
  const whom = isDirect
    ? `You talk with a person in ${service}.`
    : `You talk with people in a thread in ${service}. Each message begins with the name of who wrote it.`;
  return `${whom} What you write is posted there, in Markdown: keep it short. To give them a file, call send_file.`;
}
