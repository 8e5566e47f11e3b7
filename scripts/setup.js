// Installs what is missing before `npm start`, `npm test` and friends. Plain JavaScript with nothing but
// Node's own modules, because it runs before anything is installed and on whatever Node the machine has.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function read(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8")).packages;
  } catch {
    return undefined;
  }
}

/** True when every package the lock file names for this platform is installed at its version. */
function installed() {
  const wanted = read("package-lock.json");
  const present = read("node_modules/.package-lock.json");
  if (!wanted || !present) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "" || entry.optional) continue;
    if (present[path]?.version !== entry.version) return false;
  }
  return existsSync(join(root, "node_modules/node/bin/node"));
}

if (!installed()) {
  console.error("Installing Baton's dependencies (once, about half a minute) …");
  const npm = process.env.npm_execpath;
  // Not `npm ci`: it refuses a lock file without the packages of platforms that a registry does not offer.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
  const run = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
    : spawnSync("npm", args, {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
        shell: process.platform === "win32",
      });
  if (run.status !== 0) {
    console.error("The install failed. Check that the npm registry can be reached, then try again.");
    process.exit(run.status ?? 1);
  }
}
