import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // What the developer has configured for themselves is not for tests.
    env: { XDG_CONFIG_HOME: "/nowhere", XDG_STATE_HOME: "/nowhere" },
  },
});
