import type { HandoffDocument } from "../document.ts";
import { sectionNamed, sectionText } from "../markdown.ts";
import { sectionsOf } from "../text/sections.ts";

/** What a living document looks like where the project has no template of its own. */
export const STANDARD_TEMPLATE = `# Orchestration Handoff

## Session Info

## Active Workers

| Session | Task | Status | Branch | Last Update |
| --- | --- | --- | --- | --- |

## Pending Tasks

## Blocked Items

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
    return { title, body: tell(title, handoff) ?? found };
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

function tell(title: string, handoff: HandoffDocument): string | undefined {
  const { head, account } = handoff;
  switch (title.toLowerCase()) {
    case "session info":
      return [
        `- **Timestamp**: ${head.created.slice(0, 16).replace("T", " ")}`,
        `- **Reason**: ${head.reason}`,
        `- **Context at handoff**: ${head.tokens} of ${head.window} tokens (${head.percent}%)`,
        `- **Session**: ${head.session}`,
      ].join("\n");
    case "pending tasks":
      return bullets(
        [...account.progress.inProgress, ...account.progress.pending].map((task) => `[ ] ${task}`),
      );
    case "recent events":
      return bullets(account.progress.done.slice(-RECENT_EVENTS));
    case "facts":
      return handoff.facts;
    default: {
      const key = sectionNamed(title);
      return key === undefined ? extraSection(account, title) : sectionText(account, key);
    }
  }
}

function extraSection({ extra }: HandoffDocument["account"], wanted: string): string | undefined {
  return extra.find(({ title }) => title.toLowerCase() === wanted.toLowerCase())?.text;
}

function bullets(items: string[]): string {
  return items.length > 0 ? items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n") : "- none";
}
