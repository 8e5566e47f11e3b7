import { oneLine, printable } from "../../util/printable.ts";

/** Of all Markdown in one message. */
export const MESSAGE_LIMIT = 12_000;
/** What notifications show, and screens read aloud: Slack cuts off far later. */
const FALLBACK_LIMIT = 600;

/**
 * Markdown as Slack shows it, in which nothing rings. Slack reads `<!channel>` and `<@U1>` anywhere, in code too, and an
 * entity that it has decoded not again; `&` stays as it is, or addresses would break. `>` stays because it quotes.
 */
export function withoutMentions(markdown: string, most = MESSAGE_LIMIT): string {
  const clean = printable(markdown);
  const escaped = clean.replaceAll("<", "&lt;");
  // Almost nothing but these signs: one that looks like it takes no more room.
  return escaped.length <= most ? escaped : clean.replaceAll("<", "‹").slice(0, most);
}

/** For Slack's own markup, which is not Markdown. */
export function plain(text: string, most = FALLBACK_LIMIT): string {
  const line = oneLine(text);
  const short = line.length <= most ? line : `${printable(line.slice(0, most - 1))}…`;
  return short.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const TOKEN = /<([@#!]?)([^<>|\n]{1,3000})(?:\|([^<>\n]{0,3000}))?>/g;

/** Who is spoken of in a text, each once. */
export function peopleIn(text: string): string[] {
  const ids = [...text.matchAll(TOKEN)].filter(([, sign]) => sign === "@").map(([, , id = ""]) => id);
  return [...new Set(ids)];
}

/** What a person wrote, as Markdown, without the mention of `bot`. */
export function markdownOf(text: string, names: ReadonlyMap<string, string>, bot: string): string {
  const shown = text.replace(TOKEN, (_, sign: string, target: string, label?: string) => {
    if (sign === "@") return target === bot ? "" : `@${names.get(target) ?? label ?? target}`;
    if (sign === "#") return `#${label || target}`;
    if (sign === "!") return special(target, label);
    const address = target.replace(/^(?:mailto|tel):/, "");
    return !label || label === address || label === target ? address : `[${label}](${target})`;
  });
  return shown.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&").trim();
}

function special(target: string, label: string | undefined): string {
  const name = target.split("^", 1)[0] ?? "";
  if (name === "date") return label ?? "";
  return label ? `@${label.replace(/^@/, "")}` : `@${name}`;
}

/** Whether a text speaks to somebody by their id. */
export function mentions(text: string, id: string): boolean {
  return peopleIn(text).includes(id);
}
