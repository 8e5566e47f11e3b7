import { expect, it } from "vitest";
import { keptOptions } from "../launch.ts";
import { type Known, waysOf } from "./ways.ts";

const NOBODY = "and a job in the background has nobody to ask";

/** A session that accepts edits and was never asked anything. */
function known(more: Partial<Known> = {}, options = ""): Known {
  return {
    folder: "/p",
    mode: "acceptEdits",
    trail: { model: "claude-sonnet-4-5", tells: true, asked: [], granted: [], editedIn: [] },
    settings: { allow: [], deny: [], folders: [] },
    options: keptOptions(options.split(" ")),
    env: {},
    readsRepository: true,
    ...more,
  };
}

it("works as the session does: in its folder, on its model, in its mode, by its rules", () => {
  const settings = { allow: ["Bash(npm *)"], deny: ["Bash(git push *)"], folders: ["/lib"] };
  const { trail } = known();
  const given = "--allowedTools Bash(make:*) Edit --disallowed-tools WebFetch --add-dir ../docs";
  expect(waysOf(known({ settings, trail: { ...trail, granted: ["Read(//etc/**)"] } }, given))).toEqual({
    folder: "/p",
    model: "claude-sonnet-4-5",
    permissionMode: "acceptEdits",
    allowedTools: [
      "Bash(npm *)",
      "Bash(make:*)",
      "Edit",
      "Read(//etc/**)",
      "Read(//lib/**)",
      "Edit(//lib/**)",
      "Read(//docs/**)",
      "Edit(//docs/**)",
    ],
    deniedTools: ["Bash(git push *)", "WebFetch"],
  });
});

it("takes the mode from its hooks, its transcript, its command line or its settings, in that order", () => {
  const { trail, settings } = known();
  const modes = (more: Partial<Known>, options = "") => {
    const found = waysOf(known(more, options));
    return "why" in found ? found.why : found.permissionMode;
  };
  const bypass = "--dangerously-skip-permissions";
  expect(modes({ mode: "auto", trail: { ...trail, mode: "plan" } })).toBe("auto");
  expect(modes({ mode: undefined, trail: { ...trail, mode: "dontAsk" } }, bypass)).toBe("dontAsk");
  expect(modes({ mode: undefined }, bypass)).toBe("bypassPermissions");
  expect(modes({ mode: undefined, settings: { ...settings, mode: "acceptEdits" } })).toBe("acceptEdits");
  expect(modes({ mode: undefined })).toBe("its permission mode is not known");
  expect(modes({ mode: "of a later version" })).toBe("its permission mode is not known");
});

it("asks for the long window of a model where the session did", () => {
  const model = (more: Partial<Known>, options = "") => {
    const found = waysOf(known(more, options));
    return "why" in found ? found.why : found.model;
  };
  expect(model({}, "--model sonnet[1m]")).toBe("claude-sonnet-4-5[1m]");
  expect(model({ settings: { allow: [], deny: [], folders: [], model: "opus[1m]" } })).toBe(
    "claude-sonnet-4-5",
  );
  const { model: _model, ...trail } = known().trail;
  expect(model({ trail, env: { ANTHROPIC_MODEL: "opus" } })).toBe("opus");
});

it.each<[string, Partial<Known>]>([
  ["it is not known how it was started", { options: undefined }],
  ["it is in plan mode, and only you can approve a plan", { mode: "plan" }],
  [`it asks you before it changes a file, ${NOBODY}`, { mode: "default" }],
  [
    `it asked you before it used Bash, WebFetch, ${NOBODY}`,
    {
      trail: {
        ...known().trail,
        asked: [
          { tool: "Write", kind: "write" },
          { tool: "Bash", kind: "command" },
          { tool: "WebFetch", kind: "other" },
        ],
      },
    },
  ],
  ["its transcript does not tell what you allowed it to do", { trail: { ...known().trail, tells: false } }],
  [
    "its sandbox is set up in .claude/settings.json, which a job reads once you trust it",
    {
      readsRepository: false,
      settings: { allow: [], deny: [], folders: [], sandboxIn: ".claude/settings.json" },
    },
  ],
])("leaves it to the person: %s", (why, more) => {
  expect(waysOf(known(more))).toEqual({ why });
});

it("needs nobody where the session asks nobody", () => {
  const asked = [{ tool: "Bash", kind: "command" } as const];
  const trail = { ...known().trail, tells: false, asked };
  expect(waysOf(known({ mode: "bypassPermissions", trail }))).toMatchObject({
    permissionMode: "bypassPermissions",
  });
  const edits = { ...known().trail, editedIn: ["default"] };
  expect(waysOf(known({ mode: "default", trail: edits }))).toMatchObject({ permissionMode: "default" });
  const settings = { allow: ["Edit"], deny: [], folders: [] };
  expect(waysOf(known({ mode: "default", settings }))).toMatchObject({ permissionMode: "default" });
});
