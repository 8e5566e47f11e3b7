import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "../../../test/needs.ts";
import { serviceFor } from "./service.ts";

const ODD = { root: `/home/me/50% of "it", \\ $HOME & <more>` };
const options = { env: { PATH: "/usr/bin:/bin" }, home: "/home/me" };

it("is a unit that systemd accepts, whatever the folders are called", () => {
  needs("systemd-analyze");
  const folder = mkdtempSync(join(tmpdir(), "baton-service-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const projects of [[], [{ root: "/home/me/site" }, ODD]]) {
    const { text, path, kind } = serviceFor(projects, { ...options, platform: "linux" });
    expect([kind, path]).toEqual(["systemd", "/home/me/.config/systemd/user/baton.service"]);
    const unit = join(folder, "baton.service");
    writeFileSync(unit, text);
    const said = execFileSync("systemd-analyze", ["--user", "verify", unit], {
      encoding: "utf8",
      stdio: "pipe",
      env: { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder },
    });
    expect(said).toBe("");
  }
});

it("keeps every sign of a folder's name, and names no secret", () => {
  const { text } = serviceFor([ODD], {
    ...options,
    env: { ...options.env, ANTHROPIC_API_KEY: "sk-secret" },
    platform: "linux",
  });
  expect(text).toContain(`"-C" "/home/me/50%% of \\"it\\", \\\\ $$HOME & <more>"`);
  expect(text).not.toContain("sk-secret");
  const plist = serviceFor([ODD], { ...options, platform: "darwin" });
  expect(plist.path).toBe("/home/me/Library/LaunchAgents/dev.baton.fleet.plist");
  expect(plist.text).toContain(
    "<string>/home/me/50% of &#34;it&#34;, \\ $HOME &#38; &#60;more&#62;</string>",
  );
});
