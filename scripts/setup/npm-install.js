// Runs `npm install`, and shows how far it is.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { failureOf } from "./npm-failure.js";

const ON_TERMINAL_MS = 500;
const ELSEWHERE_MS = 5_000;
const FEW = 3;

/**
 * Never runs scripts of packages: none that Baton uses needs to, and npm would compile better-sqlite3, which comes compiled.
 * Not `npm ci`: it refuses a lock file without the packages of platforms that a registry does not offer.
 */
const ALWAYS = [
  "--no-save",
  "--ignore-scripts",
  "--no-audit",
  "--no-fund",
  "--no-engine-strict",
  "--no-progress",
  "--loglevel=http",
];

/** How it failed, if it did. `folders`: those of the packages that are to come, by which one sees how far it is. */
export async function npmInstall({ what, root, folders, args }) {
  const own = process.env.npm_execpath;
  const words = ["install", ...ALWAYS, ...args];
  const options = { cwd: root, stdio: ["ignore", "ignore", "pipe"] };
  const npm = own
    ? spawn(process.execPath, [own, ...words], options)
    : spawn("npm", words, { ...options, shell: process.platform === "win32" });

  let printed = "";
  npm.stderr.setEncoding("utf8").on("data", (text) => {
    printed += text;
  });
  const end = showProgress(what, () => ({
    left: folders.filter((folder) => !existsSync(join(root, folder, "package.json"))),
    total: folders.length,
    retry: printed.match(/attempt \d+ failed with \S+/g)?.pop(),
  }));
  const exitCode = await new Promise((resolve) => {
    npm.once("close", resolve).once("error", (error) => {
      printed += `npm error code ${error.code}\nnpm error npm itself did not start: ${error.message}\n`;
      resolve(1);
    });
  });
  const failure = failureOf(printed, exitCode);
  end(!failure);
  return failure;
}

function showProgress(what, look) {
  const { stderr } = process;
  const started = Date.now();
  const show = () => {
    const { left, total, retry } = look();
    const names = left.length <= FEW ? left.map((folder) => folder.split("node_modules/").pop()) : [];
    const last = names.length > 0 ? `still to come: ${names.join(", ")}` : undefined;
    const parts = [`  ${total - left.length} of ${total}`, `${Math.round((Date.now() - started) / 1_000)} s`];
    const line = [...parts, retry ?? last].filter(Boolean).join(", ");
    stderr.write(stderr.isTTY ? `\r\u001b[K${line.slice(0, stderr.columns - 1)}` : `${line}\n`);
  };
  stderr.write(`Installing ${what}, once …\n`);
  const timer = setInterval(show, stderr.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS);
  return (isComplete) => {
    clearInterval(timer);
    if (isComplete) show();
    if (stderr.isTTY) stderr.write("\n");
  };
}
