import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { needs } from "../../../test/needs.ts";
import { installService, serviceFor, uninstallService } from "./service.ts";

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
  // Only in a command are there variables.
  const { text: setting } = serviceFor([], { ...options, env: { PATH: "/opt/$odd" }, platform: "linux" });
  expect(setting).toContain('Environment="PATH=/opt/$odd"\n');
  const plist = serviceFor([ODD], { ...options, platform: "darwin" });
  expect(plist.path).toBe("/home/me/Library/LaunchAgents/dev.baton.fleet.plist");
  expect(plist.text).toContain(
    "<string>/home/me/50% of &#34;it&#34;, \\ $HOME &#38; &#60;more&#62;</string>",
  );
});

it("is gone with the link of systemctl enable, and with no other, when it is uninstalled", async () => {
  const home = mkdtempSync(join(tmpdir(), "baton-service-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const here = { ...options, home, platform: "linux" as const };
  const service = serviceFor([], here);
  await installService(service);
  const wants = join(dirname(service.path), "default.target.wants");
  mkdirSync(wants);
  const [link, other] = [join(wants, "baton.service"), join(wants, "other.service")];
  for (const each of [link, other]) symlinkSync(service.path, each);
  expect(uninstallService(here)).toEqual([service.path, link]);
  expect(readdirSync(wants)).toEqual(["other.service"]);
  expect(() => uninstallService(here)).toThrow("No service is installed");
  // Left by whoever removed the file by hand.
  symlinkSync("../baton.service", link);
  expect(uninstallService(here)).toEqual([link]);
});
