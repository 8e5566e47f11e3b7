import { findProject } from "../src/app/project.ts";
import { resolveWeb } from "../src/config/layers/resolve.ts";
import { serveWeb } from "../src/http/server.ts";

/** What the server had used when it was asked. */
export interface ServeUse {
  cpuMs: number;
  residentMB: number;
  /** Of the heap, once what is not needed any more was thrown away. */
  neededMB: number;
  /** What the heap keeps for itself, needed or not. The rest of what is resident is code, SQLite and the like. */
  heldMB: number;
}

/** Serves the projects of some folders. Says where, and then what it has used whenever it is asked. */
const server = await serveWeb({
  projects: process.argv.slice(2).map((folder) => findProject({}, folder)),
  config: { ...resolveWeb(), port: 0 },
  trouble: (error) => console.error(error),
});
process.on("message", () => {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
  const use: ServeUse = {
    cpuMs: (user + system) / 1_000,
    residentMB: rss / 1e6,
    neededMB: (heapUsed + external) / 1e6,
    heldMB: (heapTotal + external) / 1e6,
  };
  process.send?.(use);
});
process.send?.(server.url);
