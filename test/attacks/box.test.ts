import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Box, openBox } from "../../src/box/box.ts";
import { runCommand } from "../../src/processes/command.ts";
import { run } from "../../src/processes/run.ts";
import { IMAGE, PLAIN_BOX, podmanSetting } from "../box-image.ts";
import { needs } from "../needs.ts";
import { beginRepository } from "../repository.ts";
import { counted } from "./count.ts";

const SECRET = "correct-horse-battery-staple";
const count = counted(60);

const engines = [
  { engine: "bwrap", limits: {}, setting: () => ({}) },
  { engine: "podman", limits: { memory: 96 * 2 ** 20, pidsLimit: 60 }, setting: podmanSetting },
] as const;

interface Place {
  box: Box;
  root: string;
  project: string;
  env: Record<string, string>;
  /** A process of this machine that nobody inside has any business with. */
  bystander: ChildProcess;
  port: number;
}

/** What an agent in a box would run. */
async function inside({ box, project, env }: Place, command: string) {
  const given = { ...env, API_TOKEN: SECRET, GIVEN: "yes" };
  return runCommand({ command, cwd: project, env: given, timeoutMs: 30_000, launch: box.launch });
}

async function placeIn({ engine, limits, setting }: (typeof engines)[number]): Promise<Place> {
  for (const program of [engine, "socat"] as const) needs(program);
  const root = mkdtempSync(join(tmpdir(), "baton-box-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const project = join(root, "home/project");
  for (const folder of [
    project,
    join(root, "home/.ssh"),
    join(root, "home/other"),
    join(project, ".baton"),
  ]) {
    mkdirSync(folder, { recursive: true });
  }
  for (const path of ["home/.ssh/id", "home/other/notes.txt", "home/project/.baton/baton.db"]) {
    writeFileSync(join(root, path), SECRET);
  }
  writeFileSync(join(project, "baton.yaml"), "");
  await beginRepository(project);
  symlinkSync(join(root, "home/.ssh/id"), join(project, "link"));
  const server = createServer((_, response) => response.end(SECRET)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const bystander = spawn("sleep", ["600"], { env: { HELD: SECRET } });
  onTestFinished(() => void bystander.kill("SIGKILL"));
  const env = { PATH: process.env.PATH ?? "", HOME: join(root, "home"), API_TOKEN: SECRET, ...setting() };
  const box = await openBox({
    config: { ...PLAIN_BOX, ...limits, ...(engine === "podman" && { image: IMAGE }) },
    engine,
    job: "job-attack",
    project,
    cwd: project,
    needs: {
      program: "/bin/bash",
      readable: [],
      writable: [],
      memory: [],
      env: {},
      credentials: ["API_TOKEN"],
      signInFiles: [],
      api: {
        upstream: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        headers: { "x-api-key": SECRET },
        tokenHeaders: ["x-api-key"],
        meter: () => ({ read: () => {}, costUsd: 0 }),
        refusal: (message) => message,
      },
      toApi: ({ token }) => ({ MODEL_TOKEN: token }),
      direct: [],
      asksModelBy: "socket",
      asksBaton: false,
    },
    readable: [],
    hidden: [join(project, ".baton")],
    outside: env,
    named: [],
    network: PLAIN_BOX.network,
    limitUsd: undefined,
    onDenied: () => {},
    signal: new AbortController().signal,
  });
  onTestFinished(async () => void (await box.close()));
  return { box, root, project, env, bystander, port: (server.address() as AddressInfo).port };
}

describe.each(engines)("what runs in $engine", (given) => {
  it("reads nothing of the machine's, and knows no secret", { timeout: 120_000 }, async () => {
    const place = await placeIn(given);
    const { root, port } = place;
    const reads = [
      `cat ${root}/home/.ssh/id`,
      "cat ~/.ssh/id",
      "cat link",
      "cat .baton/baton.db",
      `cat ${root}/home/other/notes.txt`,
      "cat /etc/shadow",
      "env",
      "cat /proc/self/environ",
      "cat /proc/[0-9]*/environ",
      "cat /proc/[0-9]*/cmdline",
      "ls -R /run /home /root /mnt /srv 2>/dev/null; cat /run/secrets/* 2>/dev/null",
      `curl -s --max-time 5 http://127.0.0.1:${port}/`,
      `curl -s --max-time 5 --noproxy '*' http://127.0.0.1:${port}/`,
      `curl -s --max-time 5 --proxy http://127.0.0.1:3128 http://127.0.0.1:${port}/`,
      `curl -s --max-time 5 --unix-socket ${place.box.folder}/api.sock http://api/`,
      `curl -s --max-time 5 -H 'x-api-key: guessed' --unix-socket ${place.box.folder}/api.sock http://api/`,
      `cat ${place.box.folder}/*`,
      "git log --all --format=%B; git config --list --show-origin",
    ];
    for (const command of reads) {
      const { stdout, stderr } = await inside(place, command);
      count(`${given.engine} reads: ${command}`, `${stdout}${stderr}`.includes(SECRET));
    }
    // Its honest twin: with its token, the model answers, and what was given to the agent is there.
    const asked = `curl -s -H "x-api-key: $MODEL_TOKEN" --unix-socket ${place.box.folder}/api.sock http://api/; echo "$GIVEN"`;
    expect((await inside(place, asked)).stdout).toBe(`${SECRET}yes\n`);
    if (given.engine === "podman") {
      const names = await run("podman", ["ps", "--quiet"], { env: place.env });
      const told = await run("podman", ["inspect", ...names.stdout.trim().split("\n")], { env: place.env });
      count("podman inspect", told.stdout.includes(SECRET));
      expect(told.ok).toBe(true);
    }
  });

  it("changes nothing of the machine's, and ends nothing there", { timeout: 120_000 }, async () => {
    const place = await placeIn(given);
    const { root, project, bystander, box } = place;
    const git = join(project, ".git");
    const config = readFileSync(join(git, "config"), "utf8");
    // Its honest twin: a commit is the agent's own.
    const commit = await inside(
      place,
      "echo hello > file.txt && git add file.txt && git commit -qm 'From inside'",
    );
    expect(commit).toMatchObject({ ok: true });
    expect((await run("git", ["-C", project, "log", "-1", "--format=%s"])).stdout).toBe("From inside\n");
    expect(existsSync(join(dirname(project), "file.txt"))).toBe(false);
    const writes: [command: string, gotThrough: () => boolean][] = [
      [
        `echo x > ${root}/home/.ssh/authorized_keys`,
        () => existsSync(join(root, "home/.ssh/authorized_keys")),
      ],
      [`rm -rf ${root}/home/other`, () => !existsSync(join(root, "home/other/notes.txt"))],
      ["echo x > link", () => readFileSync(join(root, "home/.ssh/id"), "utf8") !== SECRET],
      ["echo x > .baton/baton.db", () => readFileSync(join(project, ".baton/baton.db"), "utf8") !== SECRET],
      ["echo x > .git/hooks/pre-commit", () => existsSync(join(git, "hooks/pre-commit"))],
      [
        "rm -rf .git/hooks; mkdir .git/hooks; echo x > .git/hooks/pre-push",
        () => existsSync(join(git, "hooks/pre-push")),
      ],
      ["git config core.hooksPath /tmp", () => readFileSync(join(git, "config"), "utf8") !== config],
      ["echo '[core]' >> .git/config", () => readFileSync(join(git, "config"), "utf8") !== config],
      ["mv .git/config .git/old", () => !existsSync(join(git, "config"))],
      ["mv .git .old && mkdir .git", () => existsSync(join(project, ".old"))],
      [
        "echo x > /usr/bin/planted || echo x > /etc/planted",
        () => existsSync("/usr/bin/planted") || existsSync("/etc/planted"),
      ],
      [`echo x > ${box.folder}/planted`, () => existsSync(join(box.folder, "planted"))],
      [
        "mount -t tmpfs tmpfs /mnt && echo mounted > mounted.txt",
        () => existsSync(join(project, "mounted.txt")),
      ],
      [
        `kill -9 ${bystander.pid}; kill -9 -1`,
        () => bystander.exitCode !== null || bystander.signalCode !== null,
      ],
    ];
    for (const [command, gotThrough] of writes) {
      await inside(place, command);
      count(`${given.engine} writes: ${command}`, gotThrough());
    }
    // The last of them ended its own container, and Baton knows.
    await vi.waitFor(() => expect(box.hasEnded).toBe(given.engine === "podman"), 10_000);
  });

  it("cannot make git read another configuration unnoticed", async () => {
    const place = await placeIn(given);
    await inside(place, "echo /tmp > .git/commondir");
    const { planted } = await place.box.close();
    expect(planted).toEqual([join(place.project, ".git/commondir")]);
    count(`${given.engine} commondir`, planted.length === 0);
  });
});

it("ends a fork bomb and a hog inside", { timeout: 120_000 }, async () => {
  const place = await placeIn(engines[1]);
  const bomb = await inside(
    place,
    "i=0; while [ $i -lt 200 ]; do sleep 60 & i=$((i+1)); done; echo all of them",
  );
  expect(`${bomb.stdout}${bomb.stderr}`).toMatch(/fork|Resource temporarily unavailable/i);
  count("fork bomb", bomb.stdout.includes("all of them") && !/fork|Resource/i.test(bomb.stderr));
  const hog = await inside(place, "x=$(cat /dev/zero | tr '\\0' x); echo still here");
  expect(hog.stdout).not.toContain("still here");
  count("memory hog", hog.ok);
  // The container has ended with it, and so has the program of podman's that would leave a file where Baton was started.
  await place.box.close();
  expect(existsSync("oom")).toBe(false);
  expect(existsSync(place.box.folder)).toBe(false);
});
