/** The line of a test that failed, as runners print it. */
const FAILED = [
  /^\s*--- FAIL: (\S+)/,
  /^(?:FAILED|ERROR) (\S+::[^\s[]+(?:\[[^\]]*\])?)/,
  /^test (\S+) \.\.\. FAILED/,
  /^\s*\d+\) (test .{3,150}?)(?: \(\S+\))?$/,
  /^\s*[✕✗×✘]\s+(.{3,150}?)(?:\s+\(?\d[\d.]*\s?m?s\)?)?$/,
  /^\s*●\s+(.{3,150})$/,
  /^\s*FAIL\s+(\S+ > .{3,150})$/,
  /^not ok \d+ -?\s*(.{3,150}?)(?: # .*)?$/,
  /^rspec (\S+)/,
  /^\s*\[ERROR\]\s+([\w$.]+[.#]\w+)/,
  /^\s*\d+\) ([\w\\]+::\w+)/,
];

/** What is read of a run: its end says what failed. */
const READ = 60_000;
const MOST = 20;

/** The tests that a run says have failed, by their names. */
export function failedTests(output: string): string[] {
  const found = new Set<string>();
  for (const line of output.slice(-READ).split("\n")) {
    if (line.length > 400) continue;
    const name = FAILED.map((pattern) => pattern.exec(line)?.[1]?.trim()).find(Boolean);
    if (name !== undefined) found.add(name);
    if (found.size === MOST) break;
  }
  return [...found];
}

/** What a command runs, without what happens to its output. */
export function runOf(command: string): string {
  const [run = ""] = command.split(/\s*(?:\d?>&?\d?|\|)/, 1);
  return run.replace(/\s+/g, " ").trim();
}

/** Whether all that one run tests is tested by another as well: it names nothing that the first does not name. */
export function covers(wide: string, narrow: string): boolean {
  const words = new Set(narrow.split(" "));
  return wide.split(" ").every((word) => words.has(word) || word === "./..." || word.startsWith("-"));
}
