/** How the runners of tests count what failed, each with the number. The last line that matches counts. */
const COUNTS: readonly RegExp[] = [
  // Vitest, Jest and pytest: `Tests  3 failed | 5 passed`, `Tests: 3 failed, 5 passed`, `= 3 failed, 5 passed in 1s =`.
  /^(?:\s*Tests:?\s+|=+ ?|)(\d+) failed\b(?!.*\bfiles?\b)/gm,
  // Mocha.
  /^\s*(\d+) failing\b/gm,
  // unittest and JUnit.
  /^FAILED \(.*?failures=(\d+)/gm,
  /\bTests run: \d+, Failures: (\d+)/g,
  // node:test and TAP.
  /^(?:# |ℹ )fail (\d+)$/gm,
  // Cargo and RSpec.
  /\btest result: FAILED\. \d+ passed; (\d+) failed/g,
  /\b\d+ examples?, (\d+) failures?/g,
];

/** Of Go, which lists what failed and does not count. */
const LISTED = /^\s*--- FAIL: /gm;
const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");

/** How many tests failed, by what their runner printed. Undefined where it does not say. */
export function failingTests(output: string): number | undefined {
  const text = output.replace(COLOURS, "");
  for (const pattern of COUNTS) {
    const last = [...text.matchAll(pattern)].at(-1)?.[1];
    if (last !== undefined) return Number(last);
  }
  const listed = [...text.matchAll(LISTED)].length;
  return listed > 0 ? listed : undefined;
}
