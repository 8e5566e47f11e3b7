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
        if (!test.diagnostic()?.flaky) continue;
        console.log(`Passed only at its second try: ${module.relativeModuleId} > ${test.fullName}`);
        for (const { message, stack } of test.result().errors ?? []) console.log(indented(message, stack));
      }
    }
    for (const [why, count] of counts) console.log(`Skipped ${count} tests that ${why}.`);
  }
}

/** What the try before came to, and where in the test. */
function indented(message: string, stack = ""): string {
  const place = stack.split("\n").find((line) => line.includes(".test.ts"));
  return [...message.split("\n").slice(0, 12), place?.trim() ?? ""].map((line) => `    ${line}`).join("\n");
}
