import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { baton, git, type TestProject, testProject } from "./harness.ts";
import { needs } from "./needs.ts";
import {
  anOwnSession,
  claudeCommand,
  claudeReady,
  eventually,
  registryOf,
  type Screen,
  Tmux,
} from "./panes.ts";

vi.setConfig({ testTimeout: 180_000 });

const scenario = { name: "listens", summary: "", otherwise: { say: "I listen." } };
const program = join(import.meta.dirname, "..", "bin", "baton.js");
const INSTALL = ["install", "claude-code"];
const UNINSTALL = ["uninstall", "claude-code"];

function settingsOf({ env }: TestProject): string {
  return join(env.CLAUDE_CONFIG_DIR ?? "", "settings.json");
}

describe("baton install claude-code", () => {
  it("puts the plugin into the real program for the user or for a project, and takes it out", {
    tags: ["claude"],
  }, async () => {
    needs("tmux");
    const tool = "mcp__plugin_baton_baton__request_handoff";
    const project = await testProject({
      scenario: {
        name: "asks",
        summary: "",
        otherwise: ({ last }) =>
          last.includes("<handoff-request>") ? { say: "I am asked." } : { call: { tool, input: {} } },
      },
    });
    await claudeReady(project);
    const tmux = await Tmux.start(project);
    const open = () => tmux.open(project.folder, ...claudeCommand(), "--model", "claude-sonnet-4-5");
    const commands = join(project.env.CLAUDE_CONFIG_DIR ?? "", "commands");
    await mkdir(commands, { recursive: true });
    await writeFile(join(commands, "theirs.md"), "Theirs.");
    const offersCommands = async (screen: Screen) => {
      await screen.types("/baton:sta");
      await screen.shows(/\/baton:status +.*How full the window is/);
    };

    const settings = settingsOf(project);
    const before = await readFile(settings, "utf8");
    const installed = await baton(project, [...INSTALL, "--user", "--statusline"]);
    expect(installed.stdout).toContain(`Installed in ${settings}`);
    const users = await open();
    await users.says("/mcp");
    await users.shows(/✔ plugin:baton:baton/);
    await users.presses("Escape");
    // A handoff is made without a person who allows it.
    await users.says("Begin");
    expect(await users.shows(/I am asked\.|Do you want to proceed/)).toContain("I am asked.");
    await users.shows(/Sonnet 4\.5 · [█░]{10} \d+% of 200k/);
    await users.says("/handoff the roof");
    await eventually("a request by the short name", async () => {
      const [known] = await registryOf(project).list();
      return known?.handoff?.trigger === "manual" && known.handoff.focus === "the roof";
    });
    await users.waits();
    await offersCommands(users);
    expect(await registryOf(project).list()).toMatchObject([{ cwd: project.folder, ended: null }]);
    expect((await baton(project, ["doctor"])).stdout).toMatch(/✓ plugin +in .*settings/);
    expect((await baton(project, [...UNINSTALL, "--user"])).stdout).toContain("Removed from");
    expect(await readFile(settings, "utf8")).toBe(before);
    expect(await readdir(commands)).toEqual(["theirs.md"]);

    const local = join(project.folder, ".claude", "settings.local.json");
    expect((await baton(project, [...INSTALL, "--project"])).stdout).toContain(`Installed in ${local}`);
    const projects = await open();
    await projects.waits();
    await offersCommands(projects);
    await eventually("another session", async () => (await registryOf(project).list()).length === 2);
    expect((await baton(project, ["doctor"])).stdout).toMatch(/✓ plugin +in .*settings/);
    expect((await baton(project, [...UNINSTALL, "--project"])).stdout).toContain("Removed from");
    expect(existsSync(join(project.folder, ".claude"))).toBe(false);

    const without = await open();
    await without.says("/baton:status");
    await without.shows(/Unknown (?:slash )?(?:command|skill)/);
    await without.says("/plugin");
    expect(await without.shows(/No plugins to show|◯ \w+ · \w+/)).not.toContain("baton · baton");
  });

  it("changes nothing the second time, and keeps what a person changed meanwhile", async () => {
    const project = await testProject({ scenario });
    const settings = settingsOf(project);
    await mkdir(project.env.CLAUDE_CONFIG_DIR ?? "", { recursive: true });
    await writeFile(settings, '{"model":"opus","permissions":{"allow":["Bash(ls)"]}}');
    await baton(project, INSTALL);
    const installed = await readFile(settings, "utf8");
    expect((await baton(project, INSTALL)).stdout).toContain("already");
    expect(await readFile(settings, "utf8")).toBe(installed);
    await writeFile(settings, installed.replace("opus", "sonnet"));
    await baton(project, UNINSTALL);
    const after = JSON.parse(await readFile(settings, "utf8"));
    expect(after).toEqual({ model: "sonnet", permissions: { allow: ["Bash(ls)"] } });
    expect((await baton(project, UNINSTALL)).stdout).toContain("It is not installed");
  });

  it("gives commands shorter names where nothing else has them, and takes only those away again", async () => {
    const project = await testProject({ scenario });
    const home = project.env.CLAUDE_CONFIG_DIR ?? "";
    const [commands, ofProject] = [
      join(home, "commands"),
      join(project.folder, ".claude", "skills", "handoff"),
    ];
    const mine = join(commands, "continue-handoff.md");
    await mkdir(commands, { recursive: true });
    await writeFile(mine, "Mine.");
    await mkdir(ofProject, { recursive: true });
    const { stdout } = await baton(project, INSTALL);
    expect(stdout).toContain(
      `${mine} already has the name /continue-handoff, so Baton's command is /baton:continue.`,
    );
    expect(stdout).toContain(`${ofProject} already has the name /handoff`);
    expect(stdout).toContain("In a session: /baton:handoff, /baton:continue,");
    await rm(ofProject, { recursive: true });
    expect((await baton(project, INSTALL)).stdout).toContain("In a session: /handoff, /baton:continue,");
    const link = join(commands, "handoff.md");
    expect(await readlink(link)).toMatch(/plugin\/commands\/handoff\.md$/);
    expect((await baton(project, INSTALL)).stdout).not.toContain("has the name /handoff");
    // Of a Baton that was somewhere else, and is gone.
    await rm(link);
    await symlink("/gone/plugin/commands/handoff.md", link);
    await baton(project, INSTALL);
    expect(existsSync(link)).toBe(true);
    expect((await baton(project, UNINSTALL)).stdout).toContain(`Removed ${link}.`);
    expect(await readdir(commands)).toEqual(["continue-handoff.md"]);
    await writeFile(link, "Mine as well.");
    await baton(project, INSTALL);
    await baton(project, UNINSTALL);
    expect(await readFile(link, "utf8")).toBe("Mine as well.");
    await baton(project, [...INSTALL, "--project"]);
    expect(existsSync(join(project.folder, ".claude", "commands"))).toBe(false);
  });

  it("takes out what Claude Code has written down of it, once it is installed nowhere", async () => {
    const project = await testProject({ scenario });
    const plugins = join(project.env.CLAUDE_CONFIG_DIR ?? "", "plugins");
    const marketplaces = join(plugins, "known_marketplaces.json");
    const installed = join(plugins, "installed_plugins.json");
    await mkdir(plugins, { recursive: true });
    const theirs = { source: { source: "github", repo: "someone/theirs" } };
    const ours = { source: { source: "directory", path: "/somewhere/plugin" } };
    await writeFile(marketplaces, JSON.stringify({ theirs, baton: ours }));
    await writeFile(
      installed,
      JSON.stringify({ version: 2, plugins: { "x@theirs": [], "baton@baton": [] } }),
    );
    await baton(project, INSTALL);
    await baton(project, [...INSTALL, "--project"]);
    await baton(project, UNINSTALL);
    expect(JSON.parse(await readFile(marketplaces, "utf8"))).toHaveProperty("baton");
    const { stdout } = await baton(project, [...UNINSTALL, "--project"]);
    expect(stdout).toContain(`Removed from ${marketplaces} as well.`);
    expect(JSON.parse(await readFile(marketplaces, "utf8"))).toEqual({ theirs });
    expect(JSON.parse(await readFile(installed, "utf8"))).toEqual({
      version: 2,
      plugins: { "x@theirs": [] },
    });
  });

  it("leaves a marketplace of that name that is somebody else's, and records that it cannot read", async () => {
    const project = await testProject({ scenario });
    const plugins = join(project.env.CLAUDE_CONFIG_DIR ?? "", "plugins");
    await mkdir(plugins, { recursive: true });
    const records = {
      "known_marketplaces.json": '{"baton":{"source":{"source":"github","repo":"someone/baton"}}}',
      "installed_plugins.json": '{"version": 2, "plug',
    };
    for (const [name, text] of Object.entries(records)) await writeFile(join(plugins, name), text);
    await baton(project, INSTALL);
    expect((await baton(project, UNINSTALL)).code).toBe(0);
    for (const [name, text] of Object.entries(records)) {
      expect(await readFile(join(plugins, name), "utf8")).toBe(text);
    }
  });

  it("goes although the file was rewritten between two installations, and takes nothing else along", async () => {
    const project = await testProject({ scenario });
    const settings = settingsOf(project);
    await baton(project, INSTALL);
    const theirs = { model: "opus", ...JSON.parse(await readFile(settings, "utf8")) };
    await writeFile(settings, JSON.stringify(theirs));
    await baton(project, [...INSTALL, "--statusline"]);
    expect((await baton(project, UNINSTALL)).stdout).toContain("Removed from");
    expect(JSON.parse(await readFile(settings, "utf8"))).toEqual({ model: "opus" });
  });

  it("still knows what the file was, after an uninstallation that refused", async () => {
    const project = await testProject({ scenario });
    const settings = settingsOf(project);
    await mkdir(project.env.CLAUDE_CONFIG_DIR ?? "", { recursive: true });
    const before = '{"model":"opus",   "env":{}}';
    await writeFile(settings, before);
    await baton(project, INSTALL);
    const installed = await readFile(settings, "utf8");
    await writeFile(settings, `${installed}]`);
    expect((await baton(project, UNINSTALL)).code).toBe(2);
    await writeFile(settings, installed);
    await baton(project, UNINSTALL);
    expect(await readFile(settings, "utf8")).toBe(before);
  });

  it("keeps the settings of a project out of git, where nobody else does", async () => {
    const project = await testProject({ scenario });
    const changes = () => git(project.folder, "status", "--porcelain", "--untracked-files=all");
    const exclude = join(project.folder, ".git", "info", "exclude");
    const before = await readFile(exclude, "utf8");
    expect((await baton(project, [...INSTALL, "--project"])).stdout).toContain(
      `Git now ignores that file: it is listed in ${exclude}.`,
    );
    expect(await changes()).toBe("");
    expect((await baton(project, [...INSTALL, "--project"])).stdout).not.toContain(exclude);
    expect((await baton(project, [...UNINSTALL, "--project"])).stdout).toContain(`Removed from ${exclude}`);
    expect(await readFile(exclude, "utf8")).toBe(before);
  });

  it("leaves settings alone that it cannot read, and a status line that is not Baton's", async () => {
    const project = await testProject({ scenario });
    const settings = settingsOf(project);
    await mkdir(project.env.CLAUDE_CONFIG_DIR ?? "", { recursive: true });
    await writeFile(settings, '{ "model": ');
    const { code, stderr } = await baton(project, INSTALL);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("is not a JSON object") });
    expect(await readFile(settings, "utf8")).toBe('{ "model": ');
    await writeFile(settings, '{"statusLine":{"type":"command","command":"mine"}}');
    expect((await baton(project, [...INSTALL, "--statusline"])).stderr).toContain(
      "already has a status line",
    );
    expect((await baton(project, ["install", "vim"])).code).toBe(2);
  });
});

describe("baton hook", () => {
  it("answers nothing and ends well whatever it is given, and doctor says what went wrong", async () => {
    const project = await testProject({ scenario });
    const given: [string, string][] = [
      ["Stop", "not JSON"],
      ["Stop", '{"session_id":"../../x","cwd":"/"}'],
      ["NoSuchEvent", "{}"],
    ];
    for (const [event, input] of given) {
      expect(await baton(project, ["hook", event], input)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
    const { stdout, code } = await baton(project, ["doctor"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/! hooks +\S+ Stop: was given what Claude Code does not send/);
    expect(stdout).toContain("is not the id of a session");
    expect(stdout).toContain("NoSuchEvent: there is no such hook");
  });

  it("says what it is for where a person calls it, and that is no trouble of a session", async () => {
    const project = await testProject({ scenario });
    for (const [args, code, said] of [
      [["hook", "--help"], 0, "baton hook"],
      [["hook", "Stop"], 2, "By hand: `baton status`"],
      [["internal", "cycle", "nobody"], 2, "No session nobody is registered"],
      [["internal", "facts", "nobody"], 2, "No session nobody is registered"],
      [["internal", "continue", "nobody"], 2, "No handoff of a session nobody"],
    ] as const) {
      const ended = spawnSync(process.execPath, [program, ...args], {
        cwd: project.folder,
        env: project.env,
        stdio: ["ignore", "pipe", "pipe"],
        encoding: "utf8",
      });
      expect({ code: ended.status, said: `${ended.stdout}${ended.stderr}` }).toEqual({
        code,
        said: expect.stringContaining(said),
      });
    }
    expect((await baton(project, ["doctor"])).stdout).toMatch(/✓ hooks +no problems recorded/);
  });

  it("gives up in time where another process holds the session's record", async () => {
    const project = await testProject({ scenario });
    const { folder } = registryOf(project);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "s1.json.lock"), "");
    const started = performance.now();
    const input = JSON.stringify({ session_id: "s1", cwd: project.folder });
    expect(await baton(project, ["hook", "Stop"], input)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(performance.now() - started).toBeLessThan(9_000);
    expect(await readFile(join(folder, "..", "hook.log"), "utf8")).toContain("gave up after 2 seconds");
  });

  it("leaves the sessions of jobs to the process that runs them", async () => {
    const project = await testProject({ scenario });
    const env = { ...project.env, BATON_JOB_ID: "job-1" };
    const input = JSON.stringify({ session_id: "s1", cwd: project.folder });
    await baton({ ...project, env }, ["hook", "SessionStart"], input);
    expect(await registryOf(project).list()).toEqual([]);
  });

  it("forgets sessions that nobody has seen for a quarter of a year", async () => {
    const project = await testProject({ scenario });
    const registry = registryOf(project);
    for (const [id, days] of [
      ["old", 91],
      ["young", 89],
    ] as const) {
      const seenAt = new Date(Date.now() - days * 24 * 60 * 60_000).toISOString();
      await registry.update(id, () => anOwnSession(project, id, { seenAt }));
    }
    await baton(project, ["hook", "SessionStart"], JSON.stringify({ session_id: "s1", cwd: project.folder }));
    expect((await registry.list()).map(({ id }) => id).sort()).toEqual(["s1", "young"]);
  });

  it("keeps its log short", async () => {
    const project = await testProject({ scenario });
    const log = join(registryOf(project).folder, "..", "hook.log");
    await mkdir(join(log, ".."), { recursive: true });
    await appendFile(log, `${"an old line\n".repeat(8_000)}the last old line\n`);
    await baton(project, ["hook", "Stop"], "not JSON");
    const text = await readFile(log, "utf8");
    expect(text.length).toBeLessThan(64 * 1024);
    expect(text).toContain("the last old line");
    expect(text.trimEnd().split("\n").at(-1)).toContain("was given what Claude Code does not send");
  });
});

describe("the plugin", () => {
  const plugin = join(import.meta.dirname, "..", "plugin");

  it("is that of this version of Baton", async () => {
    const read = async (path: string) => JSON.parse(await readFile(path, "utf8"));
    const { version } = await read(join(plugin, ".claude-plugin", "plugin.json"));
    expect(version).toBe((await read(join(plugin, "..", "package.json"))).version);
  });

  it("is one by the rules of the real program", { tags: ["claude"] }, async () => {
    const { env } = await testProject({ scenario });
    const [program = ""] = claudeCommand();
    const { stdout } = await promisify(execFile)(program, ["plugin", "validate", "--strict", plugin], {
      env,
    });
    expect(stdout).toContain("Validation passed");
  });
});
