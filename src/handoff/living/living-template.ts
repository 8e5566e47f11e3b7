import { utcMinute } from "../../util/time.ts";
import type { HandoffDocument } from "../document.ts";
import { sectionNamed, sectionText } from "../markdown.ts";
import { bullet } from "../text/lists.ts";
import { escaped, sectionsOf } from "../text/sections.ts";
import { withRows } from "../text/tables.ts";

/** What a living document looks like where the project has no template of its own. */
export const STANDARD_TEMPLATE = `# Orchestration Handoff

## Session Info

## Active Workers

| Session | Task | Status | Branch | Last Update |
| --- | --- | --- | --- | --- |

## Pending Tasks

## Blocked Items

| Item | Blocker | Action Needed |
| --- | --- | --- |

## Recent Events

## Next Actions

## Notes
`;

const RECENT_EVENTS = 10;

/** The template with each section that we can tell about filled. What else stands in the document now stays as it is. */
export function filledTemplate(template: string, handoff: HandoffDocument, present: string): string {
  const kept = new Map<string, string>();
  for (const { title, body } of sectionsOf(present)) kept.set(title, joined(kept.get(title) ?? "", body));
  const [before = ""] = (present.trim() === "" ? template : present).split(/^##\s/m, 1);
  const told = sectionsOf(template).map(({ title, body }) => {
    const found = kept.get(title) ?? body;
    kept.delete(title);
    if (title.toLowerCase() === "notes") return { title, body: notes(found, handoff) };
    return { title, body: bodyOf(title, handoff, found) };
  });
  const own = [...kept].map(([title, body]) => ({ title, body }));
  const sections = [...told, ...own].map(({ title, body }) => `## ${title}\n\n${body}`.trimEnd());
  return `${before.trimEnd()}\n\n${sections.join("\n\n")}\n`.trimStart();
}

/** People write here too, so it is only added to. */
function notes(present: string, { account }: HandoffDocument): string {
  const added = account.criticalContext
    .map((note) => bullets([note]))
    .filter((note) => !present.includes(note));
  return joined(present, added.join("\n"));
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** A table stays a table: each thing that we can tell becomes a row of it. */
function bodyOf(title: string, handoff: HandoffDocument, found: string): string {
  const items = itemsOf(title, handoff);
  const inTable = items && withRows(found, items, `handoff ${handoff.head.number}`);
  return inTable ?? tell(title, handoff) ?? found;
}

/** What a section tells that is a list of things. */
function itemsOf(title: string, { account }: HandoffDocument): string[] | undefined {
  const { progress } = account;
  switch (title.toLowerCase()) {
    case "pending tasks":
      return [...progress.inProgress, ...progress.pending];
    case "recent events":
      return progress.done.slice(-RECENT_EVENTS);
    default: {
      const key = sectionNamed(title);
      const said = key && account[key];
      return Array.isArray(said) ? said.flatMap((item) => (typeof item === "string" ? item : [])) : undefined;
    }
  }
}

function tell(title: string, handoff: HandoffDocument): string | undefined {
  const { head, account } = handoff;
  switch (title.toLowerCase()) {
    case "session info":
      return [
        `- **Timestamp**: ${utcMinute(head.created)}`,
        `- **Reason**: ${head.reason}`,
        `- **Context at handoff**: ${head.tokens} of ${head.window} tokens (${head.percent}%)`,
        `- **Session**: ${head.session}`,
      ].join("\n");
    case "pending tasks":
      return bullets((itemsOf(title, handoff) ?? []).map((task) => `[ ] ${task}`));
    case "recent events":
      return bullets(itemsOf(title, handoff) ?? []);
    case "facts":
      return handoff.facts;
    default: {
      const key = sectionNamed(title);
      return key === undefined ? extraSection(account, title) : sectionText(account, key);
    }
  }
}

function extraSection({ extra }: HandoffDocument["account"], wanted: string): string | undefined {
  const found = extra.find(({ title }) => title.toLowerCase() === wanted.toLowerCase());
  return found && escaped(found.text);
}

function bullets(items: string[]): string {
  return items.length > 0 ? items.map(bullet).join("\n") : "- none";
}
