import { enableCompileCache } from "node:module";

enableCompileCache();
const { main } = await import("../src/cli/main.ts");

/** Baton's own command line as it is, for a bundle of it. */
await main(process.argv);
