import { enableCompileCache } from "node:module";

enableCompileCache();
const [{ adapters }, { main }, { asker }, { background }] = await Promise.all([
  import("../../src/agents/registry.ts"),
  import("../../src/cli/main.ts"),
  import("../../src/app/trust/person.ts"),
  import("../../src/app/background.ts"),
]);

/** Baton's own command line, with the scripted agent in Claude Code's place. */
adapters.claude = async () => (await import("./agent.ts")).scripted;
/** Whoever runs the tests, in them a person types. */
asker.insideAgent = async () => (process.env.BATON_JOB_ID ? "it was started in a job" : undefined);
asker.agentBehind = async () => undefined;
/** What it starts in the background has the scripted agent, too. */
background.program = process.argv[1] ?? background.program;
await main(process.argv);
