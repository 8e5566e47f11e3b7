import { joinedLines, longestRun } from "../util/text.ts";
import { type Account, emptyAccount, SECTIONS, type SectionKey } from "./account.ts";

/** A part of a document under a heading of the second level. */
export interface Section {
  title: string;
  body: string;
}

const NONE = "None.";

/** Where these are empty, a reader misses nothing. */
const MAY_BE_LEFT_OUT = new Set<SectionKey>(["criticalContext", "activeSubagents", "links"]);

/** Sections in the order and under the names of the template, if there is one; else our own. */
export function renderAccount(account: Account, order: readonly string[] = []): string {
  const known = SECTIONS.map(({ key, title }): Section & { key: SectionKey } => ({
    key,
    title: order.find((wanted) => sectionNamed(wanted) === key) ?? title,
    body: sectionText(account, key),
  })).filter(({ key, body }) => body !== NONE || !MAY_BE_LEFT_OUT.has(key));
  const all = [...known, ...account.extra.map(({ title, text }) => ({ title, body: escaped(text) }))];
  const place = (title: string) => {
    const at = order.indexOf(title);
    return at === -1 ? order.length : at;
  };
  const placed = all
    .map((section) => ({ ...section, at: place(section.title) }))
    .toSorted((a, b) => a.at - b.at);
  return placed.map(({ title, body }) => `## ${title}\n\n${body}`).join("\n\n");
}

/** Reads an account out of Markdown: our own rendering, an agent's answer, or what a person has edited. */
export function parseAccount(markdown: string): Account {
  const account = emptyAccount();
  for (const { title, body } of sectionsOf(markdown)) {
    const key = sectionNamed(title);
    if (key === undefined) account.extra.push({ title, text: unescaped(body) });
    else Object.assign(account, { [key]: readSection(key, body) });
  }
  return account;
}

const LEAST_SECTIONS = 3;

/** Whether it has enough of the sections to be an account and not a remark. What is missing, the checks find. */
export function isAccount(markdown: string): boolean {
  const known = new Set(sectionsOf(markdown).flatMap(({ title }) => sectionNamed(title) ?? []));
  return known.size >= LEAST_SECTIONS;
}

/** Splits at headings of the second level that do not stand in a code block. */
export function sectionsOf(markdown: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  let fence: string | undefined;
  for (const line of markdown.split("\n")) {
    const ticks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (ticks) fence = fence === undefined ? ticks : ticks.startsWith(fence) ? undefined : fence;
    const title = fence === undefined && /^##\s/.test(line) ? line.slice("##".length).trim() : "";
    if (title !== "") sections.push({ title, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, body: lines.join("\n").trim() }));
}

/** No title of a section that is known is longer, with what somebody has put behind it in brackets. */
const LONGEST_TITLE = 300;

export function sectionNamed(title: string): SectionKey | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const wanted = title.replace(/\s*\(.*\)$/, "").toLowerCase();
  return SECTIONS.find(
    ({ title: own, aliases }) =>
      own.toLowerCase() === wanted || aliases.some((alias) => alias.toLowerCase() === wanted),
  )?.key;
}

export function sectionText(account: Account, key: SectionKey): string {
  switch (key) {
    case "goal":
    case "currentState":
      return escaped(account[key]) || NONE;
    case "progress": {
      const { done, inProgress, pending } = account.progress;
      return [
        `### Done\n\n${list(done)}`,
        `### In progress\n\n${list(inProgress)}`,
        `### Pending\n\n${list(pending)}`,
      ].join("\n\n");
    }
    case "decisions":
      return list(
        account.decisions.map(({ decision, reason }) => `${joinedLines(decision, " ")}\nReason: ${reason}`),
      );
    case "filesChanged":
      return list(
        account.filesChanged.map(({ path, change }) => (change ? `${code(path)}: ${change}` : code(path))),
      );
    case "constraints":
    case "failedAttempts":
    case "criticalContext":
    case "openIssues":
    case "nextSteps":
    case "activeSubagents":
    case "links":
      return list(account[key]);
  }
}

function readSection(key: SectionKey, body: string): Account[SectionKey] {
  switch (key) {
    case "goal":
    case "currentState":
      return isNone(body) ? "" : unescaped(body);
    case "progress":
      return readProgress(body);
    case "decisions":
      return items(body).map((item) => {
        const at = item.indexOf("\nReason: ");
        if (at === -1) return { decision: item, reason: "" };
        return { decision: item.slice(0, at), reason: item.slice(at + "\nReason: ".length) };
      });
    case "filesChanged":
      return items(body).map(readFileChange);
    case "constraints":
    case "failedAttempts":
    case "criticalContext":
    case "openIssues":
    case "nextSteps":
    case "activeSubagents":
    case "links":
      return items(body);
  }
}

const MOST_TICKS = 100;

/** A path in backticks, as many as it needs, or the first word; then what changed. */
function readFileChange(item: string): Account["filesChanged"][number] {
  const ticks = /^`*/.exec(item)?.[0] ?? "";
  const [firstLine = ""] = item.split("\n", 1);
  const end = ticks === "" || ticks.length > MOST_TICKS ? -1 : firstLine.indexOf(ticks, ticks.length + 1);
  if (end !== -1) {
    const quoted = item.slice(ticks.length, end);
    const path = quoted.length > 2 ? quoted.replace(/^ /, "").replace(/ $/, "") : quoted;
    return {
      path,
      change: item
        .slice(end + ticks.length)
        .replace(/^:/, "")
        .trim(),
    };
  }
  const [, path = item, change = ""] = /^([^\s:]+)(?:[:\s]([\s\S]*))?$/.exec(item) ?? [];
  return { path, change: change.trim() };
}

/** With the three parts under headings, or told by bold words, or all in one list. */
function readProgress(body: string): Account["progress"] {
  const progress: Account["progress"] = { done: [], inProgress: [], pending: [] };
  const parts = body.split(
    /^(?:#{3,4}\s+|\*\*)(done|completed|in progress|pending)(?:\*\*)?:?\s*(?:\*\*)?$|^(done|completed|in progress|pending):\s*$/gim,
  );
  const [before = "", ...rest] = parts;
  progress.done = items(before);
  for (let at = 0; at < rest.length; at += 3) {
    const name = (rest[at] ?? rest[at + 1] ?? "").toLowerCase();
    const found = items(rest[at + 2] ?? "");
    const part = name === "in progress" ? "inProgress" : name === "pending" ? "pending" : "done";
    for (const item of found) progress[part].push(item);
  }
  return progress;
}

function list(entries: string[]): string {
  if (entries.length === 0) return NONE;
  return entries.map((entry) => `- ${entry.replaceAll("\n", "\n  ")}`).join("\n");
}

/** The entries of a list. Prose without one is a single entry. */
function items(body: string): string[] {
  if (isNone(body)) return [];
  const entries: string[][] = [];
  for (const line of body.split("\n")) {
    const start = /^(?:[-*+]|\d+[.)])\s+(.*)$/.exec(line)?.[1];
    if (start !== undefined || entries.length === 0) entries.push([start ?? line]);
    else entries.at(-1)?.push(line.replace(/^ {2}/, ""));
  }
  return entries.map((lines) => lines.join("\n").trim()).filter((entry) => !isNone(entry));
}

function isNone(text: string): boolean {
  return /^(?:[-*+]\s*)?(?:\(?none\)?\.?)?$/i.test(text.trim());
}

function code(path: string): string {
  const longest = longestRun(path, "`");
  const ticks = "`".repeat(longest + 1);
  return longest > 0 ? `${ticks} ${path} ${ticks}` : `\`${path}\``;
}

/** A heading inside a text must not begin a section of the document. */
function escaped(text: string): string {
  return text.replace(/^(\\*#{1,2}\s)/gm, "\\$1");
}

function unescaped(text: string): string {
  return text.replace(/^\\(\\*#{1,2}\s)/gm, "$1");
}
