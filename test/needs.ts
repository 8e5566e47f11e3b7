import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { TestRunner } from "vitest";

/** Those that npm installs for tests alone. */
export const PROGRAMS = join(import.meta.dirname, "programs", "node_modules", ".bin");
export const CODEX = join(PROGRAMS, "codex");
export const PI = join(PROGRAMS, "pi");
/** Only the package of this platform is installed: the one for all of them needs a script to be run. */
export const OPENCODE = join(
  PROGRAMS,
  "..",
  `opencode-${process.platform}-${process.arch}`,
  "bin",
  "opencode",
);

/** Programs that not every machine has, and how to get them. */
const programs = {
  "claude-agent-acp": {
    isThere: () => existsSync(join(PROGRAMS, "claude-agent-acp")),
    install: "node scripts/setup.js --programs",
  },
  bolt: {
    isThere: () => existsSync(join(PROGRAMS, "..", "@slack", "bolt")),
    install: "node scripts/setup.js --programs",
  },
  "discord.js": {
    isThere: () => existsSync(join(PROGRAMS, "..", "discord.js")),
    install: "node scripts/setup.js --programs",
  },
  browser: {
    isThere: () => existsSync(join(PROGRAMS, "..", "@sparticuz", "chromium")),
    install: "node scripts/setup.js --programs",
  },
  "systemd-analyze": { isThere: () => isOnPath("systemd-analyze"), install: "apt-get install systemd" },
  bwrap: { isThere: () => isOnPath("bwrap"), install: "apt-get install bubblewrap" },
  "codex-acp": {
    isThere: () => existsSync(join(PROGRAMS, "codex-acp")),
    install: "node scripts/setup.js --programs",
  },
  codex: {
    isThere: () => spawnSync(CODEX, ["--version"]).status === 0,
    install: "node scripts/setup.js --programs",
  },
  fish: { isThere: () => isOnPath("fish"), install: "apt-get install fish, brew install fish" },
  gemini: {
    isThere: () => existsSync(join(PROGRAMS, "gemini")),
    install: "node scripts/setup.js --programs",
  },
  jq: { isThere: () => isOnPath("jq"), install: "apt-get install jq, brew install jq" },
  // Disks that are full or read-only for real.
  mount: { isThere: canMount, install: "run the tests as root, where file systems may be mounted" },
  "linear-sdk": {
    isThere: () => existsSync(join(PROGRAMS, "..", "@linear", "sdk")),
    install: "node scripts/setup.js --programs",
  },
  octokit: {
    isThere: () => existsSync(join(PROGRAMS, "..", "octokit")),
    install: "node scripts/setup.js --programs",
  },
  openssl: { isThere: () => isOnPath("openssl"), install: "apt-get install openssl" },
  opencode: { isThere: () => existsSync(OPENCODE), install: "node scripts/setup.js --programs" },
  pi: { isThere: () => existsSync(PI), install: "node scripts/setup.js --programs" },
  podman: {
    isThere: () => isOnPath("podman"),
    install: "apt-get install podman runc uidmap slirp4netns catatonit",
  },
  ps: { isThere: () => isOnPath("ps"), install: "apt-get install procps" },
  // That of other systems takes other options.
  script: {
    isThere: () => spawnSync("script", ["-qec", "true", "/dev/null"]).status === 0,
    install: "apt-get install bsdutils",
  },
  socat: { isThere: () => isOnPath("socat"), install: "apt-get install socat" },
  tmux: { isThere: () => isOnPath("tmux"), install: "apt-get install tmux, brew install tmux" },
  zsh: { isThere: () => isOnPath("zsh"), install: "apt-get install zsh, brew install zsh" },
};

export type Program = keyof typeof programs;

/**
 * For the very beginning of a test, which is skipped where the program is missing: what was made before would be left behind.
 * With BATON_SKIP_NO_TESTS it fails instead, unless nobody could install what is missing.
 */
export function needs(program: Program): void {
  const { isThere, install } = programs[program];
  if (isThere()) return;
  const why = `need ${program}, which is missing (${install})`;
  const test = TestRunner.getCurrentTest();
  const isFatal = process.env.BATON_SKIP_NO_TESTS && program !== "mount";
  if (isFatal || !test) throw new Error(`Some tests ${why}.`);
  test.context.skip(why);
}

function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(join(tmpdir(), "baton-test-mount-"));
  try {
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status !== 0) return false;
    return spawnSync("umount", [folder]).status === 0;
  } finally {
    rmdirSync(folder);
  }
}

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
