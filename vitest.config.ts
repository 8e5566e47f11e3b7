import { defineConfig } from "vitest/config";
import { ClosingReporter } from "./test/closing-reporter.ts";
import { LongestFirst } from "./test/longest-first.ts";

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // More than there are cores, because many tests wait for something; more than these only get into each other's way. One
    // process serves many files: to start another for each would take a quarter of the time.
    maxWorkers: 5,
    isolate: false,
    sequence: { sequencer: LongestFirst },
    unstubEnvs: true,
    // Only where nobody can look at once: a test that needs it is named at the end.
    retry: Number(process.env.BATON_TEST_RETRIES ?? 0),
    globalSetup: ["test/on-tmpfs.ts", "test/bundled.ts"],
    setupFiles: ["test/small-starter.ts", "test/state-home.ts"],
    reporters: ["default", new ClosingReporter()],
    // What the developer has configured for themselves is not for tests.
    env: {
      XDG_CONFIG_HOME: "/nowhere",
      // Or git says more where it finds no repository on the file system that tests work on.
      GIT_DISCOVERY_ACROSS_FILESYSTEM: "1",
      // No repository of a test lives long enough to be tidied by one more process after each commit.
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "maintenance.auto",
      GIT_CONFIG_VALUE_0: "false",
    },
    tags: [
      { name: "claude", description: "Runs the real Claude Code. All other jobs run the scripted agent." },
      { name: "slow", description: "Starts so many processes that the quick tests go without it." },
    ],
    include: ["src/**/*.test.ts", "web/**/*.test.ts", "campaign/**/*.test.ts", "test/**/*.test.ts"],
  },
});
