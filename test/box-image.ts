import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BoxConfig } from "../src/config/box-config.ts";

/** What agents and tests call inside. */
const PROGRAMS = [
  "bash",
  "sh",
  "cat",
  "git",
  "socat",
  "curl",
  "env",
  "grep",
  "ls",
  "mv",
  "tr",
  "kill",
  "mount",
  "mkdir",
  "rm",
  "sleep",
  "setsid",
];
/** What Claude Code is linked with. What Node is, it says itself. */
const LIBRARIES = ["libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0"];
/** With nothing but what must be said. */
export const PLAIN_BOX: BoxConfig = {
  network: { kind: "api" },
  setupNetwork: "none",
  volumes: [],
  ports: [],
  env: {},
  tmpfs: [],
  labels: {},
  workspaceMode: "rw",
};

export const IMAGE = "localhost/baton-test-box";

/**
 * An image of this machine's own files, made once a run: no registry is asked. Podman keeps it in a folder of the run, and
 * is set up for machines on which root may not raise limits.
 */
export function podmanSetting(): Record<string, string> {
  const folder = join(tmpdir(), "podman");
  const env = {
    CONTAINERS_CONF: join(folder, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(folder, "storage.conf"),
  };
  if (existsSync(join(folder, "ready"))) return env;
  mkdirSync(folder, { recursive: true });
  const hard = /^Max open files +\d+ +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1] ?? "1024";
  writeFileSync(
    env.CONTAINERS_CONF,
    `[containers]\ndefault_ulimits = ["nofile=${hard}:${hard}", "nproc=30000:30000"]\n[engine]\nruntime = "runc"\n`,
  );
  writeFileSync(
    env.CONTAINERS_STORAGE_CONF,
    `[storage]\ndriver = "overlay"\ngraphroot = "${join(folder, "graph")}"\nrunroot = "${join(folder, "run")}"\n`,
  );
  // Of this process: another may be making the same image.
  const root = join(folder, `root-${process.pid}`);
  lay(root);
  const packed = spawnSync("tar", ["-C", root, "-c", "."], { maxBuffer: 512 * 1024 * 1024 });
  const made = spawnSync("podman", ["import", "-", IMAGE], {
    input: packed.stdout,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`podman could not make the image: ${made.stderr}`);
  writeFileSync(join(folder, "ready"), "");
  return env;
}

function lay(root: string): void {
  for (const folder of [
    "usr/bin",
    "usr/lib",
    "usr/lib64",
    "tmp",
    "proc",
    "dev",
    "sys",
    "etc",
    "run",
    "root",
    "var/tmp",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of ["bin", "lib", "lib64"]) symlinkSync(`usr/${name}`, join(root, name));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const found = PROGRAMS.map((name) => [name, whichOf(name)] as const);
  for (const [name, path] of found) copyFileSync(realpathSync(path), join(root, "usr/bin", name));
  const linked = spawnSync("ldd", [...found.map(([, path]) => path), process.execPath], {
    encoding: "utf8",
  }).stdout;
  const libraries = new Set(
    Array.from(linked.matchAll(/(\/\S+\.so\S*)/g), ([, path = ""]) => path.replace(/:$/, "")),
  );
  const folder = dirname([...libraries].find((path) => path.endsWith("libc.so.6")) ?? "/lib");
  for (const path of [...libraries, ...LIBRARIES.map((name) => join(folder, name))]) {
    if (!existsSync(path)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    copyFileSync(realpathSync(path), join(root, path));
  }
}

function whichOf(name: string): string {
  const path = (process.env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find(existsSync);
  if (path === undefined) throw new Error(`${name} is not on this machine`);
  return path;
}
