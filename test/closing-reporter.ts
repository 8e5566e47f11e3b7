import type { Reporter, TestModule } from "vitest/node";

/** Says at the end what the count of tests alone would hide. */
export class ClosingReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const result = test.result();
        const why = result.state === "skipped" ? result.note : undefined;
        if (why) counts.set(why, (counts.get(why) ?? 0) + 1);
      }
      for (const test of module.children.allTests("passed")) {
        if (test.diagnostic()?.flaky)
          console.log(`Passed only at its second try: ${module.relativeModuleId} > ${test.fullName}`);
      }
    }
    for (const [why, count] of counts) console.log(`Skipped ${count} tests that ${why}.`);
  }
}
