import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");

/** A home with nothing in it. Packages come from where the developer gets theirs, and those that they have already are not fetched again. */
async function emptyHome(folder: string): Promise<NodeJS.ProcessEnv> {
  const { XDG_CONFIG_HOME: _config, XDG_STATE_HOME: _state, ...rest } = process.env;
  const { stdout } = await run("npm", ["config", "get", "cache", "userconfig"], { cwd: ROOT });
  const [, cache, userconfig] = /^cache *= *(.+)\nuserconfig *= *(.+)$/m.exec(stdout) ?? [];
  const home = join(folder, "home");
  await mkdir(home);
  return {
    ...rest,
    HOME: home,
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    npm_config_cache: cache,
    npm_config_userconfig: userconfig,
    npm_config_prefer_offline: "true",
  };
}

/**
 * Claude Code's program is a package of its own for each kind of machine, and by far the largest. It is lent: to unpack it takes as long as
 * everything else here, and a bare machine unpacks it in CI for the demo.
 */
async function linkPrograms(modules: string): Promise<void> {
  const scope = "@anthropic-ai";
  const here = join(ROOT, "node_modules", scope);
  const isProgram = (name: string) => name.startsWith("claude-agent-sdk-");
  for (const name of (await readdir(here)).filter(isProgram)) {
    const there = join(modules, scope, name);
    // An npm that does not know the option has unpacked it all the same.
    if (!existsSync(there)) await symlink(join(here, name), there);
  }
}

// It compiles the source, unpacks the packages, and runs three sessions.
it("the package, installed globally into an empty home, runs the demo, and a fleet with its dashboard", {
  timeout: 400_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), "baton-package-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const env = await emptyHome(folder);
  const packed = await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: ROOT, env });
  const [{ filename, version }] = JSON.parse(packed.stdout);
  const prefix = join(folder, "global");
  const install = ["install", "--global", "--prefix", prefix, "--cpu=none"];
  await run("npm", [...install, join(folder, filename)], { cwd: folder, env });
  const modules = join(prefix, "lib", "node_modules", "baton", "node_modules");
  await linkPrograms(modules);

  expect(existsSync(join(modules, "better-sqlite3", "prebuilds"))).toBe(true);
  expect(existsSync(join(modules, "better-sqlite3", "build")), "npm compiled it").toBe(false);
  expect(existsSync(join(modules, "vitest"))).toBe(false);
  const script = 'import { createClient } from "baton/client"; console.log(typeof createClient().listJobs)';
  const beside = { cwd: join(prefix, "lib"), env };
  const client = await run(process.execPath, ["--input-type=module", "-e", script], beside);
  expect(client.stdout).toBe("function\n");
  expect(existsSync(join(modules, "..", "dist", "types", "client.d.ts"))).toBe(true);

  const baton = join(prefix, "bin", "baton");
  const options = { cwd: folder, env };
  expect((await run(baton, ["--version"], options)).stdout).toBe(`${version}\n`);
  const { stdout } = await run(baton, ["demo"], options);
  expect(stdout).toMatch(/handoff 1[\s\S]*handoff 2[\s\S]*node --test {2}pass \d+/);

  await writeFile(join(folder, "baton.yaml"), "agents: [{ name: coder }]\n");
  const fleet = spawn(baton, ["start", "--port", "0"], { ...options, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(fleet, "exit");
  try {
    let told = "";
    for await (const piece of fleet.stdout) {
      told += piece;
      if (/http:\/\/127\.0\.0\.1:\d+/.test(told)) break;
    }
    const { stdout: printed } = await run(baton, ["dashboard", "--print"], options);
    const link = new URL(/http:\S+#\S+/.exec(printed)?.[0] ?? "");
    const signedIn = await fetch(new URL("/api/v1/session", link), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code: link.hash.slice(1) }),
    });
    expect(signedIn.status).toBe(200);
    const headers = { cookie: signedIn.headers.get("set-cookie")?.split(";")[0] ?? "" };
    const page = await (await fetch(link.origin, { headers })).text();
    const script = /src="(\/assets\/main-\S+\.js)"/.exec(page)?.[1] ?? "";
    const loaded = await fetch(new URL(script, link), { headers });
    expect(loaded.headers.get("content-type")).toContain("text/javascript");
    expect((await loaded.text()).length).toBeGreaterThan(10_000);
  } finally {
    fleet.kill("SIGTERM");
    await ended;
  }
});
