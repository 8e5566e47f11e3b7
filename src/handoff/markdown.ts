import { joinedLines, longestRun } from "../util/text.ts";
import { type Account, emptyAccount, SECTIONS, type SectionKey } from "./account.ts";
import { isNone, items, list, NONE } from "./text/lists.ts";
import { escaped, type Section, sectionsOf, titled, unescaped, withPlainLines } from "./text/sections.ts";

/** Where these are empty, a reader misses nothing. */
const MAY_BE_LEFT_OUT = new Set<SectionKey>(["criticalContext", "activeSubagents", "links"]);

/** Sections in the order and under the names of the template, if there is one; else our own. */
export function renderAccount(given: Account, order: readonly string[] = []): string {
  const account = inOwnSections(given);
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
  for (const section of sectionsOf(markdown)) addSection(account, section);
  return account;
}

const UNTITLED = "More";

/** A further section that has the name of one of ours belongs there: under that name it would be read back so. */
function inOwnSections({ extra, ...known }: Account): Account {
  const account: Account = { ...structuredClone(known), extra: [] };
  for (const { title, text } of extra) {
    addSection(account, { title: titled(title) || UNTITLED, body: escaped(text) });
  }
  return account;
}

const LEAST_SECTIONS = 3;

/** Whether it has enough of the sections to be an account and not a remark. What is missing, the checks find. */
export function isAccount(markdown: string): boolean {
  const known = new Set(sectionsOf(markdown).flatMap(({ title }) => sectionNamed(title) ?? []));
  return known.size >= LEAST_SECTIONS;
}

/** No title of a section that is known is longer, with what somebody has put behind it in brackets. */
const LONGEST_TITLE = 300;

export function sectionNamed(title: string): SectionKey | undefined {
  if (title.length > LONGEST_TITLE) return undefined;
  const wanted = title
    .replace(/[*_:]/g, "")
    .replace(/\s*\(.*\)$/, "")
    .trim()
    .toLowerCase();
  return SECTIONS.find(
    ({ title: own, aliases }) =>
      own.toLowerCase() === wanted || aliases.some((alias) => alias.toLowerCase() === wanted),
  )?.key;
}

export function sectionText(account: Account, key: SectionKey): string {
  switch (key) {
    case "goal":
    case "currentState":
      return isNone(account[key]) ? NONE : escaped(account[key]);
    case "progress": {
      const { done, inProgress, pending } = account.progress;
      return [
        `### Done\n\n${list(done)}`,
        `### In progress\n\n${list(inProgress)}`,
        `### Pending\n\n${list(pending)}`,
      ].join("\n\n");
    }
    case "decisions":
      return list(account.decisions.map(decisionText));
    case "filesChanged":
      return list(account.filesChanged.map(fileText));
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

/** Two headings can mean one section, and neither of them is lost. */
function addSection(account: Account, { title, body }: Section): void {
  const key = sectionNamed(title);
  switch (key) {
    case undefined:
      account.extra.push({ title, text: unescaped(body) });
      return;
    case "goal":
    case "currentState": {
      const [before, text] = [account[key], isNone(body) ? "" : unescaped(body)];
      if (text !== "") account[key] = isNone(before) ? text : `${before}\n\n${text}`;
      return;
    }
    case "progress":
      addProgress(account.progress, body);
      return;
    case "decisions":
      for (const item of items(body)) account.decisions.push(readDecision(item));
      return;
    case "filesChanged":
      for (const item of items(body)) account.filesChanged.push(readFileChange(item));
      return;
    case "constraints":
    case "failedAttempts":
    case "criticalContext":
    case "openIssues":
    case "nextSteps":
    case "activeSubagents":
    case "links":
      for (const item of items(body)) account[key].push(item);
  }
}

const REASON = "Reason: ";
const REASON_LINE = /^\s*(?:[-*+]\s+)?[*_]*(?:reason|rationale|why)[*_]*\s*:[*_]*(.*)$/is;
const DECISION_LABELS = /^(?:[*_]*decision(?:\s+\d{1,4})?[*_]*\s*:[*_]*\s*)+/i;
const REASON_LABELS = /^(?:[*_]*(?:reason|rationale|why)[*_]*\s*:[*_]*\s*)+/i;

function decisionText({ decision, reason }: Account["decisions"][number]): string {
  const what = decisionIn(decision);
  const why = withPlainLines(reason).trim().replace(REASON_LABELS, "");
  if (isNone(what)) return isNone(why) ? "" : decisionText(readDecision(why));
  return isNone(why) ? what : `${what}\n${REASON}${why}`;
}

/** A decision, then its reason on a line of its own, by whatever name. */
function readDecision(item: string): Account["decisions"][number] {
  const lines = item.split("\n");
  const at = lines.findIndex((line, index) => index > 0 && REASON_LINE.test(line));
  if (at === -1) return { decision: decisionIn(item), reason: "" };
  const [, first = ""] = REASON_LINE.exec(lines[at] ?? "") ?? [];
  const reason = [first, ...lines.slice(at + 1)].join("\n").trim();
  return {
    decision: decisionIn(lines.slice(0, at).join("\n")),
    reason: reason.replace(REASON_LABELS, ""),
  };
}

/** In one line. Earlier versions added a `Reason:` to it at each handoff where there was none. */
function decisionIn(text: string): string {
  let line = joinedLines(withPlainLines(text), " ");
  while (line.endsWith(` ${REASON.trim()}`)) line = line.slice(0, -REASON.length).trimEnd();
  return line.replace(DECISION_LABELS, "");
}

function fileText({ path, change }: Account["filesChanged"][number]): string {
  const named = joinedLines(withPlainLines(path), " ");
  const what = withPlainLines(change).trim();
  if (named === "") return what === "" ? "" : fileText(readFileChange(what));
  return what === "" ? code(named) : `${code(named)}: ${what}`;
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
function addProgress(progress: Account["progress"], body: string): void {
  const parts = body.split(
    /^(?:#{3,4}\s+|\*\*)(done|completed|in progress|pending)(?:\*\*)?:?\s*(?:\*\*)?$|^(done|completed|in progress|pending):\s*$/gim,
  );
  const [before = "", ...rest] = parts;
  for (const item of items(before)) progress.done.push(item);
  for (let at = 0; at < rest.length; at += 3) {
    const name = (rest[at] ?? rest[at + 1] ?? "").toLowerCase();
    const found = items(rest[at + 2] ?? "");
    const part = name === "in progress" ? "inProgress" : name === "pending" ? "pending" : "done";
    for (const item of found) progress[part].push(item);
  }
}

function code(path: string): string {
  const longest = longestRun(path, "`");
  const ticks = "`".repeat(longest + 1);
  return longest > 0 ? `${ticks} ${path} ${ticks}` : `\`${path}\``;
}
