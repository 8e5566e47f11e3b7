import { parse, stringify } from "yaml";
import { frontMatter } from "../../util/front-matter.ts";
import { isFields } from "../../util/json.ts";
import { type Account, SECTIONS } from "../account.ts";
import { type HandoffDocument, isByMachine, ownTitle, parseDocument, partsByMachine } from "../document.ts";
import { parseAccount, sectionNamed, sectionText } from "../markdown.ts";
import { escaped, piecesOf, titled } from "./sections.ts";

/**
 * An announced document with its head, its facts and whatever its account lacked. What its author wrote stays word for word,
 * but for sections that had to be corrected.
 */
export function completedText(text: string, document: HandoffDocument): string {
  const { head, account } = document;
  const { front = "", body } = frontMatter(text);
  const before = sectionTexts(parseAccount(body));
  const now = sectionTexts(account);
  const isOurs = parseDocument(text).head.session !== undefined;
  const told = new Set<string>();
  const own = piecesOf(body).flatMap(({ title, lines }) => {
    if (isByMachine(title)) return isOurs ? [] : [[`## ${ownTitle(title)}`, ...lines.slice(1)].join("\n")];
    const name = sectionNamed(title) ?? title;
    const isRepeated = told.has(name);
    told.add(name);
    const text = now.get(name)?.text;
    if (text === undefined || text === before.get(name)?.text) return [lines.join("\n")];
    return isRepeated ? [] : [`## ${title}\n\n${text}`];
  });
  const added = [...now].flatMap(([name, { title, text }]) =>
    told.has(name) || text === before.get(name)?.text ? [] : [`## ${title}\n\n${text}`],
  );
  const parts = [...own, ...added, ...partsByMachine(document)].map((part) => part.trim()).filter(Boolean);
  return `---\n${stringify({ ...keysIn(front), ...head })}---\n\n${parts.join("\n\n")}\n`;
}

/** The body of every section, by the key of one of ours and by the title of any other. */
function sectionTexts(account: Account): Map<string, { title: string; text: string }> {
  return new Map([
    ...SECTIONS.map(({ key, title }) => [key, { title, text: sectionText(account, key) }] as const),
    ...account.extra.map(
      ({ title, text }) => [titled(title), { title: titled(title), text: escaped(text) }] as const,
    ),
  ]);
}

/** What else its author has put there. */
function keysIn(front: string): Record<string, unknown> {
  try {
    const value: unknown = parse(front, { uniqueKeys: false, maxAliasCount: 0, logLevel: "silent" });
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}
