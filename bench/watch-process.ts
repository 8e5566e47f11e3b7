import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Registry } from "../src/sessions/record/registry.ts";
import { checkTimes } from "../src/sessions/watch/check-times.ts";
import { Watch } from "../src/sessions/watch/watch.ts";

/** What the watch had used when it was asked. */
export interface WatchUse {
  cpuMs: number;
  megabytes: number;
  bytesRead: number;
  /** All that the process has read, as the system counts it; 0 where it does not. */
  systemRead: number;
  said: number;
}

const [folder = ""] = process.argv.slice(2);
let said = 0;
const watch = new Watch({
  registry: new Registry(join(folder, "sessions")),
  settingsOf: async () => ({
    enabled: true,
    threshold: { kind: "remaining", fraction: 0.1 },
    warnAt: [50, 60],
    stallMs: 900_000,
    orchestrator: { message: "Check.", threshold: { kind: "tokens", tokens: 100_000 } },
  }),
  cycle: async () => {},
  writeFromFacts: async () => undefined,
  store: async () => ({ isStored: false }),
  say: () => said++,
  checks: await checkTimes(join(folder, "checks.json")),
});

function readBySystem(): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Looks as often as it is told, each time that it is told. */
process.on("message", async (looks: number) => {
  for (let look = 0; look < looks; look++) await watch.look();
  const { user, system } = process.cpuUsage();
  const use: WatchUse = {
    cpuMs: (user + system) / 1_000,
    megabytes: process.memoryUsage().rss / 1e6,
    bytesRead: watch.bytesRead,
    systemRead: readBySystem(),
    said,
  };
  process.send?.(use);
});
