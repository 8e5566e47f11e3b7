import type { HandoffDocument } from "./document.ts";
import { sectionNamed, sectionsOf, sectionText } from "./markdown.ts";

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

/** The template with each section that we can tell about filled; of the others, what stands in the document now. */
export function filledTemplate(template: string, handoff: HandoffDocument, present: string): string {
  const kept = new Map(sectionsOf(present).map(({ title, body }) => [title, body]));
  const [before = ""] = template.split(/^##\s/m, 1);
  const sections = sectionsOf(template).map(({ title, body }) => {
    const text = tell(title, handoff) ?? kept.get(title) ?? body;
    return `## ${title}\n\n${text}`.trimEnd();
  });
  return `${before.trimEnd()}\n\n${sections.join("\n\n")}\n`.trimStart();
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
      return key === undefined ? undefined : sectionText(account, key);
    }
  }
}

function bullets(items: string[]): string {
  return items.length > 0 ? items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`).join("\n") : "- none";
}
