import { enableCompileCache } from "node:module";

enableCompileCache();
const [, , first, event] = process.argv;

/** What `bin/baton.js` does, for a bundle of it. */
if (first === "hook" && process.argv.length === 4) {
  const { hook } = await import("../src/cli/hook.ts");
  process.exitCode = await hook(event);
} else {
  const { main } = await import("../src/cli/main.ts");
  await main(process.argv);
}
