import { afterEscape, type Runs } from "./alphabets.ts";
import { canBeSecret, hasDigit } from "./looks-random.ts";
import type { Span } from "./span.ts";

/** Finds a secret at a place where its sign stands. */
type Special = (runs: Runs, index: number) => Span | undefined;

/** Secrets that more than one prefix and one alphabet tells, by a sign that they all have. */
export const specials: readonly (readonly [sign: string, find: Special])[] = [
  ["eyJ", webToken],
  ["Basic ", basic],
  ["basic ", basic],
  ["Bearer ", bearer],
  ["bearer ", bearer],
  ["BEARER ", bearer],
  ["hooks.slack.com/", webhook],
  ["discord.com/api/webhooks/", webhook],
  ["discordapp.com/api/webhooks/", webhook],
  [".webhook.office.com/", webhook],
  ["chat.googleapis.com/v1/spaces/", webhook],
  ["api.telegram.org/bot", webhook],
  [":AA", telegram],
  [".atlasv1.", terraform],
  ["-us", mailchimp],
  ["pat", airtable],
  [":5432:", passwordFile],
  [":5433:", passwordFile],
  [":6432:", passwordFile],
  [":*:", passwordFile],
  ["password ", netrc],
  ["sshpass -p", argument],
  ["IDENTIFIED BY '", argument],
  ["identified by '", argument],
  ["-u ", user],
  ["--user ", user],
  ["--proxy-user ", user],
];

/** How the headers of such tokens begin, by which even half of one is known: `{"alg":`, `{"typ":`, `{"kid":`, `{"enc":`, `{"cty":`. */
const HEADERS = /^eyJ(?:hbGci|0eXAi|raWQi|lbmMi|jdHki)/;

function webToken(runs: Runs, index: number): Span | undefined {
  const { text } = runs;
  const header = runs.end("slug", index);
  const isWeb = HEADERS.test(text.slice(index, index + 8));
  if (header - index < 12) return undefined;
  if (text[header] !== ".") return isWeb ? { from: index, to: header } : undefined;
  const to = runs.end("token", header);
  const payload = runs.end("slug", header + 1);
  const isWhole = payload - header > 8 && text[payload] === ".";
  return isWeb || isWhole ? { from: index, to } : undefined;
}

function basic(runs: Runs, index: number): Span | undefined {
  const from = index + "basic ".length;
  const to = runs.end("base64", from);
  if (to - from < 8) return undefined;
  const plain = Buffer.from(runs.text.slice(from, Math.min(to, from + 400)), "base64").toString("latin1");
  return /^[\x20-\x7e]*:[\x20-\x7e]+$/.test(plain) ? { from, to } : undefined;
}

function bearer(runs: Runs, index: number): Span | undefined {
  const from = index + "bearer ".length;
  const to = runs.end("token", from);
  return to - from >= 12 && canBeSecret(runs.text.slice(from, Math.min(to, from + 200)), ASSIGNED)
    ? { from, to }
    : undefined;
}

const ASSIGNED = { quoted: false, assigned: true };

/** The host is for everybody to see, the path is the key. */
function webhook(runs: Runs, index: number): Span | undefined {
  const at = runs.end("dotted", index);
  const to = runs.end("query", at);
  const from = runs.text.startsWith("api.telegram.org/bot", index) ? index + 20 : at + 1;
  return to - from >= 24 && hasDigit(runs.text, from, to) ? { from, to } : undefined;
}

function telegram(runs: Runs, index: number): Span | undefined {
  const from = runs.start("digits", index, 12);
  const to = runs.end("slug", index + 1);
  return index - from >= 6 && to - index >= 30 ? { from, to } : undefined;
}

/** A client secret of Entra ID, at its `~`. */
export function azureSecretAt(runs: Runs, tilde: number): Span | undefined {
  const from = runs.start("dotted", tilde, 5);
  if (tilde - from !== 5 || !/[78]Q/.test(runs.text.slice(tilde - 2, tilde))) return undefined;
  const to = runs.end("dotted", tilde);
  return to - tilde >= 28 && to - tilde <= 44 ? { from, to } : undefined;
}

function terraform(runs: Runs, index: number): Span | undefined {
  const to = runs.end("slug", index + ".atlasv1.".length);
  const from = runs.start("alnum", index, 20);
  return index - from >= 10 && to - index >= 40 ? { from, to } : undefined;
}

function mailchimp(runs: Runs, index: number): Span | undefined {
  const to = runs.end("digits", index + 3);
  const from = runs.start("hex", index, 33);
  return to > index + 3 && to - index <= 5 && index - from === 32 ? { from, to } : undefined;
}

function airtable(runs: Runs, index: number): Span | undefined {
  const dot = index + 17;
  if (runs.text[dot] !== "." || runs.end("alnum", index) !== dot) return undefined;
  const to = runs.end("hex", dot + 1);
  return to - dot > 40 ? { from: index, to } : undefined;
}

/** Discord's: the id of a bot in base64, a time, and a signature, at the first of the two dots between them. */
export function botTokenAt(runs: Runs, dot: number): Span | undefined {
  const { text } = runs;
  const second = dot + 7;
  if (runs.end("slug", dot + 1) !== second) return undefined;
  const from = afterEscape(text, runs.start("slug", dot, 29));
  const to = runs.end("slug", second + 1);
  if (dot - from < 22 || dot - from > 28 || to - second < 25) return undefined;
  const isId = /^\d{16,20}$/.test(Buffer.from(text.slice(from, dot), "base64").toString("latin1"));
  return isId ? { from, to } : undefined;
}

/** `.pgpass`: host, port, database, user, password. */
function passwordFile(runs: Runs, index: number): Span | undefined {
  const { text } = runs;
  const port = text.indexOf(":", index + 1);
  const line = text.slice(port + 1, Math.min(port + 300, runs.end("solid", port)));
  const [head] = /^[^:\s]{1,100}:[^:\s]{1,100}:(?=[^:\s]{4,})/.exec(line) ?? [];
  if (head === undefined || index === runs.start("dotted", index, 100)) return undefined;
  return { from: port + 1 + head.length, to: port + 1 + line.length };
}

/** `machine host login me password …` */
function netrc(runs: Runs, index: number): Span | undefined {
  const before = runs.text.slice(Math.max(0, index - 200), index);
  runs.steps += before.length;
  if (!/(?:^|\s)login\s+\S+\s+$/.test(before)) return undefined;
  const from = index + "password ".length;
  const to = runs.end("solid", from);
  return to - from >= 4 ? { from, to } : undefined;
}

function argument(runs: Runs, index: number): Span | undefined {
  const { text } = runs;
  let from = index + (text[index] === "s" ? "sshpass -p" : "identified by '").length;
  while (/[ '"]/.test(text[from] ?? "") && from < index + 20) from++;
  const to = runs.end("bare", from);
  return to - from >= 6 && !/^[$<{.]/.test(text[from] ?? "") ? { from, to } : undefined;
}

/** `curl -u name:password` */
function user(runs: Runs, index: number): Span | undefined {
  const { text } = runs;
  if (!/\s/.test(text[index - 1] ?? "")) return undefined;
  let from = runs.end("slug", index + 1) + 1;
  if (/['"]/.test(text[from] ?? "")) from++;
  const to = runs.end("bare", from);
  const colon = text.slice(from, Math.min(to, from + 100)).indexOf(":");
  if (colon < 1) return undefined;
  const password = from + colon + 1;
  return canBeSecret(text.slice(password, Math.min(to, password + 200)), ASSIGNED)
    ? { from: password, to }
    : undefined;
}
