// Installs what is missing before `npm start`, `npm test` and friends. Plain JavaScript with nothing but
// Node's own modules, because it runs before anything is installed and on whatever Node the machine has.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { npmInstall } from "./setup/npm-install.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const manifest = readJson(join(root, "package.json"));
const programs = join(root, "test", "programs");

/** Packages for tests, once there, are kept complete too: npm would remove them otherwise. */
const everything = process.argv[2] !== "--run-time" || Object.values(installed(root)).some(({ dev }) => dev);

if (missingPackages(root).length > 0) await installPackages();
if (process.argv[2] === "--programs" && missingPackages(programs).length > 0) await installPrograms();
if (needsOwnNode()) await installOwnNode();

async function installPackages() {
  const what = everything ? "Baton's packages and those of its tests" : "Baton's packages";
  const failure = await installInto(root, what);
  if (failure) fail(what, failure);
}

/** Not every machine has room or a package for them. A test that needs one says so. */
async function installPrograms() {
  const what = "the programs that tests run";
  const failure = await installInto(programs, what);
  if (!failure) return;
  if (!failure.isUndone) rmSync(join(programs, "node_modules"), { recursive: true, force: true });
  report(what, failure);
}

/** How it failed, if it did. */
async function installInto(folder, what) {
  const folders = wantedPackages(folder).map(([path]) => path);
  // Said outright, so that no setting of the user's leaves out more.
  const args = [everything ? "--include=dev" : "--omit=dev", "--include=optional"];
  const failure = await npmInstall({ what, root: folder, folders, args });
  if (failure) return failure;
  const missing = missingPackages(folder).map((path) => path.split("node_modules/").pop());
  if (missing.length === 0) return undefined;
  return {
    cause: `npm left out ${missing.join(", ")}.`,
    advice: "It does that when the download of a package for one platform fails. Try again.",
    words: [],
    isUndone: true,
  };
}

function installed(folder) {
  return readJson(join(folder, "node_modules", ".package-lock.json")).packages ?? {};
}

function missingPackages(folder) {
  const present = installed(folder);
  return wantedPackages(folder)
    .filter(([path, { version }]) => present[path]?.version !== version)
    .map(([path]) => path);
}

/** The packages of a lock file that belong on this machine. Of optional ones, only those for a platform are certain to. */
function wantedPackages(folder) {
  const { packages } = readJson(join(folder, "package-lock.json"));
  const libcOfThisMachine = isMusl() ? "musl" : "glibc";
  return Object.entries(packages).filter(
    ([path, { dev, optional, os, cpu, libc }]) =>
      path !== "" &&
      (everything || !dev) &&
      (!optional || os !== undefined) &&
      accepts(os, process.platform) &&
      accepts(cpu, process.arch) &&
      accepts(libc, libcOfThisMachine),
  );
}

function accepts(names, name) {
  if (names === undefined) return true;
  return names.includes(name) || (names.every((one) => one.startsWith("!")) && !names.includes(`!${name}`));
}

/** Only packages for Linux ask. The report would look up names of the network otherwise. */
function isMusl() {
  if (process.platform !== "linux") return false;
  process.report.excludeNetwork = true;
  return !process.report.getReport().header.glibcVersionRuntime;
}

/** The source is run as it is, and earlier ones cannot read it: `engines` is what the built package needs. */
function needsOwnNode() {
  const isOwn = process.execPath.startsWith(modules + sep);
  const major = (version) => Number(version.split(".")[0]);
  return isOwn || major(process.versions.node) < major(manifest.devEngines.runtime.version);
}

/** A Node for this checkout alone, linked where npm looks first for what its scripts run. */
async function installOwnNode() {
  const { version } = manifest.devEngines.runtime;
  const place = join(modules, ".node");
  if (readJson(join(place, "package.json")).version !== version) {
    const what = `Node ${version}, because this machine's Node ${process.versions.node} is too old`;
    const { platform, arch } = process;
    const name = `${platform === "darwin" && arch === "arm64" ? "node-bin" : "node"}-${platform}-${arch}`;
    const fresh = join(modules, ".node-fresh");
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    const folders = [join("node_modules", ".node-fresh", "node_modules", name)];
    const args = [`--prefix=${fresh}`, "--no-package-lock", `${name}@${version}`];
    const failure = await npmInstall({ what, root, folders, args });
    if (failure) fail(what, failure);
    rmSync(place, { recursive: true, force: true });
    renameSync(join(fresh, "node_modules", name), place);
    rmSync(fresh, { recursive: true, force: true });
  }
  const link = join(modules, ".bin", "node");
  if (existsSync(link)) return;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(join("..", ".node", "bin", "node"), link);
}

function fail(what, failure) {
  if (!failure.isUndone) rmSync(modules, { recursive: true, force: true });
  report(what, failure);
  process.exit(1);
}

function report(what, { cause, advice, words }) {
  console.error(`\nCould not install ${what}: ${cause}\n${advice}`);
  if (words.length > 0) console.error(`\nnpm's own words:\n${words.map((line) => `  ${line}`).join("\n")}`);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
