import { expect, it } from "vitest";
import { holds } from "./when.ts";

const payload = {
  session: { is_continuation: true, handoff_count: 0, worktree_path: "/tmp/w", branch_name: "" },
  list: [{ ok: true }],
};

it.each([
  "session.is_continuation",
  "session.worktree_path",
  "session",
  "list.0.ok",
  "!session.handoff_count",
  "!session.branch_name",
  "!session.nothing.deeper",
  "! session.nothing",
])("%s holds", (when) => {
  expect(holds(when, payload)).toBe(true);
});

it.each([
  "!session.is_continuation",
  "session.handoff_count",
  "session.nothing",
  "session.worktree_path.length",
  "constructor",
  "session.__proto__",
  "",
])("%s does not hold", (when) => {
  expect(holds(when, payload)).toBe(false);
});
