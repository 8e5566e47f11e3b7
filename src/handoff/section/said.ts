import { counted } from "../../util/figures.ts";
import type { Account } from "../account.ts";
import { isLong, type Told, toldWords } from "../appendix/words.ts";
import type { Facts } from "../facts.ts";
import { goalFromRequest, MARK } from "../from-facts.ts";
import { joined, quote } from "../text/quotes.ts";
import { withPlainLines } from "../text/sections.ts";
import { pathsIn } from "../working/paths.ts";
import type { Aside, Rendered } from "./aside.ts";
import { code, part } from "./marks.ts";

/** What the user said, word for word: the request, unless it stands there as the goal, and all that came later. */
export function saidParts(facts: Facts, { goal }: Account, most: number, aside: Aside): Rendered[] {
  const { request, messages } = facts;
  const left = new LeftOut(aside, new Set(facts.files.map(({ path }) => path)));
  const isGoal = request !== "" && isSame(withoutMark(goal), goalFromRequest(request));
  if (isGoal) return [requestAsGoal(request, left), laterPart(toldWords(messages, most), left)];
  const [first, ...later] = toldWords([request, ...messages], most);
  const said = first && first.text !== "" ? toldPart(first, REQUEST, left) : () => "";
  return [(where) => part("Request, word for word", said(where)), laterPart(later, left)];
}

const REQUEST = "The request of the user";

/** What stands only beside the document: where, and what files it names. */
class LeftOut {
  readonly #aside: Aside;
  /** They are named anyway. */
  readonly #known: ReadonlySet<string>;

  constructor(aside: Aside, known: ReadonlySet<string>) {
    this.#aside = aside;
    this.#known = known;
  }

  put(title: string, text: string): Rendered {
    const place = this.#aside.add(title, text);
    const files = pathsIn(text).filter((path) => !this.#known.has(path));
    const named = files.slice(0, MOST_FILES).map(code).join(", ");
    return (where) => `${where(place)}${named === "" ? "." : `. It names ${named}.`}`;
  }
}

/** A plan is often told by files, some of which nobody has made yet. */
const MOST_FILES = 30;

/** An account may have got its goal from the request. */
function withoutMark(goal: string): string {
  return goal.endsWith(` ${MARK}`) ? goal.slice(0, -MARK.length) : goal;
}

function requestAsGoal(request: string, left: LeftOut): Rendered {
  if (!isLong(request)) return () => "The goal above is the request of the user, word for word.";
  const rest = left.put(REQUEST, request);
  return (where) =>
    `The goal above is the beginning and the end of the user's request. All of it, ${characters(request)}: ${rest(where)}`;
}

function laterPart(messages: readonly Told[], left: LeftOut): Rendered {
  const before = messages.filter(({ kind }) => kind === "aside").map(({ text }) => text);
  const shown = messages.filter(({ kind }) => kind !== "aside");
  const earlier: Rendered[] = [];
  if (before.length > 0) {
    const rest = left.put("What the user said before", before.join(BETWEEN));
    earlier.push((where) => `${counted(before.length, "earlier message")}, whole: ${rest(where)}`);
  }
  const told = shown.map((one, index) =>
    toldPart(one, `Message ${before.length + index + 1} of the user`, left),
  );
  return (where) =>
    part(
      "What the user said later, word for word",
      [...earlier, ...told].map((render) => render(where)).join("\n\n"),
    );
}

const BETWEEN = "\n\n-----\n\n";

function toldPart(told: Told, title: string, left: LeftOut): Rendered {
  if (told.kind === "whole") return () => quote(told.text);
  const rest = left.put(title, told.text);
  const all: Rendered = (where) => `All of it, ${characters(told.text)}: ${rest(where)}`;
  return told.kind === "aside" ? all : (where) => `${quote(joined(told.brief))}\n\n${all(where)}`;
}

function characters({ length }: string): string {
  return `${length.toLocaleString("en")} characters`;
}

/** A goal that was read back from a document has its lines in one way only. */
function isSame(one: string, other: string): boolean {
  return withPlainLines(one).trim() === withPlainLines(other).trim();
}
