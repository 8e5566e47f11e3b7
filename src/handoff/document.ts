import { stringify } from "yaml";
import type { BackgroundTask } from "../agents/agent.ts";
import type { HandoffSource, HandoffTrigger } from "../jobs/events.ts";
import type { Facts } from "./facts.ts";

/** The sections that every handoff document has, in this order. */
export const SECTIONS = [
  "Goal",
  "Constraints",
  "Progress",
  "Current state",
  "Decisions",
  "Failed attempts",
  "Open issues",
  "Next steps",
  "Files changed",
] as const;

/** What the front matter of a document says. */
export interface DocumentHead {
  job: string;
  agent: string;
  number: number;
  previous?: string;
  created: string;
  reason: HandoffTrigger;
  source: HandoffSource;
  session: string;
  transcript?: string;
  tokens: number;
  window: number;
  percent: number;
}

export interface DocumentParts {
  head: DocumentHead;
  request: string;
  /** The agent's own account, in Markdown. Without one, the facts must do. */
  account?: string;
  /** The body of the handoff before this one, carried when the agent could give no account. */
  earlier?: string;
  facts: Facts;
  background: BackgroundTask[];
}

export function renderDocument(parts: DocumentParts): string {
  const { head } = parts;
  const front = stringify({
    job: head.job,
    agent: head.agent,
    number: head.number,
    previous: head.previous ?? null,
    created: head.created,
    reason: head.reason,
    source: head.source,
    session: head.session,
    transcript: head.transcript ?? null,
    tokens: head.tokens,
    window: head.window,
    percent: head.percent,
    branch: parts.facts.git?.branch ?? null,
    head: parts.facts.git?.head ?? null,
  });
  const body = parts.account?.trim() ?? accountFromFacts(parts);
  return [`---\n${front}---`, `# Handoff ${head.number}`, body, factsSection(parts), ""].join("\n\n");
}

/** The document without its front matter and title. */
export function documentBody(document: string): string {
  return document
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .replace(/^\s*# Handoff \d+\n/, "")
    .trim();
}

/** An account is worth passing on when it says something and has the shape that was asked for. */
export function isAccount(text: string): boolean {
  const headings = new Set(
    [...text.matchAll(/^#{1,4}\s+(.+?)\s*$/gm)].map((match) => (match[1] ?? "").toLowerCase()),
  );
  const present = SECTIONS.filter((section) => headings.has(section.toLowerCase()));
  return present.length >= SECTIONS.length / 2;
}

function accountFromFacts({ request, facts, earlier }: DocumentParts): string {
  const { git } = facts;
  const section = (name: (typeof SECTIONS)[number], text: string) => `## ${name}\n\n${text}`;
  const failed = facts.commands.filter((run) => run.ok === false);
  return [
    "> The session could not write its own account. This one is made by machine, from its transcript and from git.",
    section("Goal", quote(request)),
    section("Constraints", "As the request states them."),
    section(
      "Progress",
      [
        git?.commits.length ? `Commits made:\n\n${list(git.commits)}` : "No commit was made in this job.",
        earlier ? `From the handoff before this one:\n\n${quote(earlier)}` : "",
      ]
        .filter(Boolean)
        .join("\n\n"),
    ),
    section(
      "Current state",
      facts.lastText ? `The agent's last words:\n\n${quote(facts.lastText)}` : "Not known.",
    ),
    section("Decisions", "Not known: look in the transcript."),
    section(
      "Failed attempts",
      failed.length ? list(failed.map((run) => code(run.command))) : "None recorded.",
    ),
    section(
      "Open issues",
      facts.lastError ? `The last error:\n\n${fence(facts.lastError)}` : "None recorded.",
    ),
    section("Next steps", "Compare the files with the goal, then do what is still missing."),
    section(
      "Files changed",
      facts.files.length ? list(facts.files.map(code)) : "None through the agent's own tools.",
    ),
  ].join("\n\n");
}

function factsSection({ facts, background, head }: DocumentParts): string {
  const { git } = facts;
  const last = facts.commands.slice(-10);
  const parts = [
    "## Facts",
    "Collected by machine when this handoff was made.",
    git
      ? `- Branch: ${git.branch ? code(git.branch) : "detached"} at ${git.head ? code(git.head) : "no commit"}`
      : "",
    head.transcript ? `- Transcript of this session: ${code(head.transcript)}` : "",
    git?.changes.length
      ? `Uncommitted (\`git status\`):\n\n${fence(git.changes.slice(0, 200).join("\n"))}`
      : "",
    facts.files.length ? `Files written in this session:\n\n${list(facts.files.map(code))}` : "",
    last.length
      ? `Last commands:\n\n${list(last.map((run) => `${code(run.command)} (${verdict(run.ok)})`))}`
      : "",
    background.length
      ? `Still running when the session ended, and ended with it:\n\n${list(background.map((task) => `${task.kind}: ${task.description}`))}`
      : "",
  ];
  return parts.filter(Boolean).join("\n\n");
}

function verdict(ok: boolean | undefined): string {
  if (ok === undefined) return "outcome unknown";
  return ok ? "ok" : "failed";
}

const list = (items: string[]) => items.map((item) => `- ${item}`).join("\n");
const quote = (text: string) => text.trim().replace(/^/gm, "> ");

/** One line of code, whatever it holds. */
function code(text: string): string {
  const line = text.replace(/\s*\n\s*/g, " ⏎ ").trim();
  const shown = line.length > 200 ? `${line.slice(0, 199)}…` : line;
  return shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const ticks = "`".repeat(longest + 1);
  const shown = text.length > 4_000 ? `${text.slice(0, 4_000)}\n…` : text;
  return `${ticks}\n${shown}\n${ticks}`;
}
