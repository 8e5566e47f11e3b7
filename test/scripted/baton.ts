import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ adapters }, { main }] = await Promise.all([
  import("../../src/agents/registry.ts"),
  import("../../src/cli/main.ts"),
]);

/** Baton's own command line, with the scripted agent in Claude Code's place. */
adapters.claude = async () => (await import("./agent.ts")).scripted;
await main(process.argv);
