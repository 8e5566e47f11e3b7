import type { Reporter, TestModule } from "vitest/node";

/** Says once at the end, for each reason, how many tests were skipped for it. */
export class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const why = result.state === "skipped" ? result.note : undefined;
        if (why) counts.set(why, (counts.get(why) ?? 0) + 1);
      }
    }
    for (const [why, count] of counts) console.log(`Skipped ${count} tests that ${why}.`);
  }
}
