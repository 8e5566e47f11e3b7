import { expect, it } from "vitest";
import { hasOtherStatusLine, pluginIn, withoutPlugin, withPlugin } from "./plugin-settings.ts";

const entries = { folder: "/baton/plugin", node: "/usr/bin/node" };

const theirs = {
  model: "opus",
  env: { TOKEN: "x" },
  permissions: { allow: ["Bash(ls)"], deny: ["Read(.env)"] },
  enabledPlugins: { "other@shop": true },
  hooks: {},
};

it.each([{}, theirs, { permissions: { allow: [] } }, { env: {}, enabledPlugins: {} }])(
  "takes out what it put in, and nothing else: %j",
  (settings) => {
    const installed = withPlugin(settings, { ...entries, statusLine: '"/n" "/b/bin/baton.js" statusline' });
    expect(pluginIn(installed)).toEqual({ folder: "/baton/plugin", node: "/usr/bin/node" });
    expect(withoutPlugin(installed, settings)).toEqual(settings);
    expect(pluginIn(withoutPlugin(installed))).toBeUndefined();
  },
);

it("keeps what else is in the settings, and changes nothing the second time", () => {
  const installed = withPlugin(theirs, entries);
  expect(installed).toMatchObject({
    model: "opus",
    env: { TOKEN: "x" },
    enabledPlugins: { "other@shop": true },
  });
  expect(withPlugin(installed, entries)).toEqual(installed);
  const later = withoutPlugin({ ...installed, model: "sonnet" });
  expect(later).toEqual({ ...theirs, model: "sonnet" });
});

it("leaves a person's own status line", () => {
  const settings = { statusLine: { type: "command", command: "~/bin/line" }, model: "opus" };
  expect(hasOtherStatusLine(settings)).toBe(true);
  expect(JSON.stringify(withoutPlugin(withPlugin(settings, entries)))).toBe(JSON.stringify(settings));
});
