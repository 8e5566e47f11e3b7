import { printable } from "../../util/printable.ts";
import type { WorkItem } from "../workspace.ts";
import { closingNothing } from "./closing-words.ts";

/** As long as a subject may be that `git log --oneline` and every forge show whole. */
const SUBJECT_LIMIT = 72;
const BODY_LIMIT = 5_000;
const SHORTEST_SUMMARY = 20;
/** Nobody's first line is longer, and no pattern below has to read more. */
const LINE_LIMIT = 2_000;

interface Committed {
  /** The agent's account: its first line becomes the summary, the rest the body. */
  summary: string;
  agent: string;
  jobId: string;
  workItem?: Pick<WorkItem, "id" | "source"> | undefined;
}

/** Fills in `commit_message`. Lines after its first one come last, so that trailers stay trailers. */
export function commitMessage(pattern: string, { summary, agent, jobId, workItem }: Committed): string {
  const [first = "", ...others] = pattern
    .split(/\r?\n/)
    .flatMap((line) => (workItem === undefined ? withoutWorkItem(line) : [line]));
  const fill = (line: string, short: string) =>
    filled(line, { summary: short, agent, jobId, workItem: workItem?.id ?? "" });
  // Of what a tracker has, a person closes each thing: not the words of an agent that read it.
  const told = (text: string) => (workItem?.source === undefined ? text : closingNothing(text));
  const whole = subjectOf(summary, LINE_LIMIT);
  const room = Math.max(SHORTEST_SUMMARY, SUBJECT_LIMIT - [...fill(first, "")].length);
  const short = shortened(whole, room);
  const subject = fill(first, told(short)).trim() || `Work of ${jobId}`;
  const isTold = pattern.includes("{summary}") && short === whole;
  const body = told(cutAtLine(isTold ? afterFirstLine(summary) : cleaned(summary), BODY_LIMIT));
  const last = others
    .map((line) => fill(line, told(short)))
    .join("\n")
    .trim();
  return `${[subject, body, last].filter(Boolean).join("\n\n")}\n`;
}

/** The first line with words in it, as plain text, shortened at a word. Empty where there is none. */
export function subjectOf(text: string, limit = SUBJECT_LIMIT): string {
  const first = linesOf(text).find(hasWords);
  return first === undefined ? "" : shortened(plain(first), limit);
}

/** The beginning of a text, whole lines, with a sign that there is more. */
export function cutAtLine(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 2);
  const end = cut.lastIndexOf("\n");
  return `${(end > limit / 2 ? cut.slice(0, end) : withoutHalfACharacter(cut)).trimEnd()}\n…`;
}

function afterFirstLine(text: string): string {
  const lines = linesOf(text);
  return lines
    .slice(lines.findIndex(hasWords) + 1)
    .join("\n")
    .trim();
}

const hasWords = (line: string) => !/^\s*(?:```|~~~)/.test(line) && /[\p{L}\p{N}]/u.test(plain(line));

const linesOf = (text: string) => cleaned(text).split("\n");

/** Without what a terminal would obey or git refuses. */
function cleaned(text: string): string {
  return printable(text.replace(/\r\n?/g, "\n")).trim();
}

function plain(line: string): string {
  return line
    .slice(0, LINE_LIMIT)
    .replace(/^[\s>]*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d+[.)]\s+)?/, "")
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|~~|`+/g, "")
    .replace(/(?<![\w*])\*(?=\S)([^*]*)\*(?![\w*])/g, "$1")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/:$/, "");
}

function shortened(text: string, limit: number): string {
  const letters = [...text];
  if (letters.length <= limit) return text;
  const cut = letters.slice(0, limit - 1).join("");
  const space = letters[limit - 1] === " " ? cut.length : cut.lastIndexOf(" ");
  return `${(space > cut.length / 2 ? cut.slice(0, space) : cut).replace(/[\s,;:.–—-]+$/, "")}…`;
}

const withoutHalfACharacter = (text: string) => text.replace(/[\ud800-\udbff]$/, "");

/** In one go, so that a value that looks like a placeholder stays what it is. */
function filled(line: string, values: Record<string, string>): string {
  return line.replace(/\{(\w+)\}/g, (placeholder, name: string) => {
    const value = values[name];
    return value === undefined ? placeholder : cleaned(value).replace(/\s+/g, " ");
  });
}

/** A line of the pattern for a job without a work item: none where the line was about nothing else. */
function withoutWorkItem(line: string): string[] {
  if (!line.includes("{workItem}")) return [line];
  const rest = line
    .split(/[([<#]*\{workItem\}[)\]>]*/)
    .reduce((before, after) => joined(before.trimEnd() === "" ? "" : before, after));
  return /^\s*[\w-]*\s*$/.test(rest) ? [] : [rest];
}

/** Of the separators on both sides of a gap one side's are left, and none at an end of the line. */
function joined(before: string, after: string): string {
  const separators = /^[\s:;,./|·–—-]*/.exec(after)?.[0] ?? "";
  if (before === "") return after.slice(separators.length);
  if (separators === after || separators.trim() !== "") {
    return before.replace(/[\s:;,./|·–—-]*$/, "") + (separators === after ? "" : after);
  }
  const glue = /\s$/.test(before) ? "" : separators;
  return before + glue + after.slice(separators.length);
}
