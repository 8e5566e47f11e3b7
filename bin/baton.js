#!/usr/bin/env node
// Runs the built program, or the source as it is in a checkout. The version is answered here, without loading the rest;
// hooks run at every step of a person's session, and load only what they need.
// Imported by name these bring along what a hook has no time for, such as everything that promises of files need.
const { existsSync, readFileSync } = await builtin("node:fs");
const root = new URL("../", import.meta.url);
const [first] = process.argv.slice(2);

if (process.argv.length === 3 && (first === "--version" || first === "-V")) {
  console.log(JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version);
} else if (isTooOld(process.versions.node)) {
  process.exitCode = await runOnOwnNode();
} else {
  (await builtin("node:module")).enableCompileCache();
  if (first === "hook" && process.argv.length === 4 && !process.argv[3].startsWith("-")) {
    const { hook } = await import(file("hook"));
    process.exitCode = await hook(process.argv[3]);
  } else {
    const { main } = await import(file("main"));
    await main(process.argv);
  }
}

function builtin(name) {
  return process.getBuiltinModule?.(name) ?? import(name);
}

function file(name) {
  return new URL(isSource() ? `src/cli/${name}.ts` : `dist/${name}.js`, root).href;
}

function isSource() {
  return existsSync(new URL("src/cli/main.ts", root));
}

/** The build is written for older ones than the source, which uses the language as it is. */
function isTooOld(version) {
  const [major, minor] = version.split(".").map(Number);
  if (major >= 24) return false;
  return major < 22 || (major === 22 && minor < 18) || isSource();
}

/** A checkout brings a Node of its own, for machines whose Node is older. */
async function runOnOwnNode() {
  const { fileURLToPath } = await import("node:url");
  const node = fileURLToPath(new URL("node_modules/.bin/node", root));
  if (!existsSync(node)) {
    const least = isSource() ? "24" : "22.18";
    console.error(`baton: Node ${process.versions.node} is too old. Install Node ${least} or newer.`);
    return 2;
  }
  const { spawn } = await import("node:child_process");
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; the other signals reach this process alone.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once("exit", (code) => resolve(code ?? 1)));
}
