import { expect, it } from "vitest";
import { linesToAllow } from "./denied.ts";
import type { JobEvent, JournalEvent } from "./events.ts";
import { apply } from "./fold.ts";
import { emptyJob, type Job } from "./job.ts";
import { jobView } from "./view.ts";

const session = "s";
const npmTest = { tools: ["Bash(npm test *)"] };

function jobAfter(...events: JobEvent[]): Job {
  return events
    .map(
      (event, index): JournalEvent => ({ ...event, seq: index + 1, at: "2026-01-01", job: "j", attempt: 1 }),
    )
    .reduce(apply, emptyJob("j"));
}

const denied = (summary: string, more: object = { allow: npmTest }): JobEvent => ({
  type: "tool:denied",
  session,
  id: summary,
  name: "Bash",
  summary,
  message: "no",
  ...more,
});
const starting = (tools: string[], mode?: string): JobEvent => ({
  type: "session:starting",
  session,
  ordinal: 1,
  mode: "resumed",
  permissions: { tools, ...(mode && { mode }) },
});

it("keeps each denied call once, with how often it was tried, over all sessions", () => {
  const job = jobAfter(denied("npm test"), starting([]), denied("npm test"), denied("npm test -- x"));
  expect(jobView(job).denied).toMatchObject([
    { call: "npm test", times: 2, allow: { allowed_tools: ["Bash(npm test *)"] } },
    { call: "npm test -- x", times: 1 },
  ]);
  expect(job.deniedToolCalls).toBe(3);
});

it.each([
  ["allows it", starting(["Bash(npm test *)"])],
  ["allows it in the older spelling", starting(["Bash(npm test:*)"])],
  ["allows the tool", starting(["Bash"])],
  ["allows everything", starting([], "bypassPermissions")],
])("drops it where a later session %s", (_how, later) => {
  expect(jobAfter(denied("npm test"), later).denied).toEqual([]);
});

it("keeps it where a later session allows something else, and where another rule forbids it", () => {
  const job = jobAfter(
    denied("npm test"),
    denied("git push", {}),
    starting(["Bash(npm run *)"], "acceptEdits"),
  );
  expect(job.denied).toHaveLength(2);
  expect(jobView(job).denied?.[1]).toEqual({ tool: "Bash", call: "git push", times: 1, reason: "no" });
});

it("drops an edit where a later session may edit", () => {
  const edit = denied("a.ts", { allow: { mode: "acceptEdits" } });
  expect(jobAfter(edit, starting([], "default")).denied).toHaveLength(1);
  expect(jobAfter(edit, starting([], "acceptEdits")).denied).toEqual([]);
});

it("drops a call that was made in the end", () => {
  const again: JobEvent = {
    type: "tool:start",
    session,
    id: "t",
    name: "Bash",
    does: "command",
    summary: "npm test",
  };
  const end = (ok: boolean): JobEvent => ({ type: "tool:end", session, id: "t", ok, output: "" });
  expect(jobAfter(denied("npm test"), again, end(true)).denied).toEqual([]);
  expect(jobAfter(denied("npm test"), again, end(false)).denied).toHaveLength(1);
});

it("does not count what a person said no to", () => {
  expect(jobAfter(denied("npm test", { byPerson: true })).denied).toBeUndefined();
});

it("does not grow without end", () => {
  const calls = Array.from({ length: 200 }, (_, index) => denied(`npm test ${index}`));
  const job = jobAfter(...calls);
  expect(job.denied).toHaveLength(50);
  expect(job.deniedToolCalls).toBe(200);
});

it("writes the lines that allow all of it, with what is allowed already", () => {
  const job = jobAfter(
    starting(["WebFetch", "Bash(git status:*)"]),
    denied("npm test"),
    denied("a.ts", { allow: { mode: "acceptEdits" } }),
    denied("curl x", { allow: { tools: ["Bash(curl [redacted: TOKEN] *)"] } }),
  );
  expect(linesToAllow(job)).toEqual([
    "permission_mode: acceptEdits",
    'allowed_tools: [WebFetch, "Bash(git status:*)", "Bash(npm test *)", Bash]',
  ]);
});

it("names the tool where there would be too many rules for it", () => {
  const calls = Array.from({ length: 9 }, (_, index) =>
    denied(`tool-${index}`, { allow: { tools: [`Bash(tool-${index} *)`] } }),
  );
  expect(linesToAllow(jobAfter(...calls))).toEqual(["allowed_tools: [Bash]"]);
});
