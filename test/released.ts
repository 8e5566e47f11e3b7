import { enableCompileCache } from "node:module";

enableCompileCache();
const [, , first, event] = process.argv;

/** What `bin/baton.js` does, for a bundle of it. */
if (first === "hook" && process.argv.length === 4) {
  // As in the package, it shares no file with the rest.
  const { hook } = await import(new URL("hook.js", import.meta.url).href);
  process.exitCode = await hook(event);
} else {
  const { main } = await import("../src/cli/main.ts");
  await main(process.argv);
}
