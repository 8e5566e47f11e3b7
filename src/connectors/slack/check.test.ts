import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { NEEDED_SCOPES } from "./check.ts";

const PAGE = join(import.meta.dirname, "..", "..", "..", "docs", "slack.md");

it("asks for no scope that the manifest of the documentation leaves out", () => {
  const [, json = ""] = /```json\n([\s\S]*?)\n```/.exec(readFileSync(PAGE, "utf8")) ?? [];
  const manifest = JSON.parse(json);
  expect(manifest.oauth_config.scopes.bot).toEqual(expect.arrayContaining(Object.keys(NEEDED_SCOPES)));
  expect(manifest.settings).toMatchObject({ socket_mode_enabled: true, interactivity: { is_enabled: true } });
});
