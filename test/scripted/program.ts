import { enableCompileCache } from "node:module";

// A test starts it many times over.
enableCompileCache();
await import("./session.ts");
