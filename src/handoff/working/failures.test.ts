import { describe, expect, it } from "vitest";
import { covers, failedTests, runOf } from "./failures.ts";

describe("the tests that failed", () => {
  it.each([
    ["Go", "--- FAIL: TestPostCommit_Idle (0.01s)", "TestPostCommit_Idle"],
    ["pytest", "FAILED tests/test_a.py::test_load[1] - AssertionError", "tests/test_a.py::test_load[1]"],
    ["Cargo", "test parse::line ... FAILED", "parse::line"],
    ["ExUnit", "  1) test mount shows it (SpotterWeb.LiveTest)", "test mount shows it"],
    ["Jest", "  ● Store › keeps it", "Store › keeps it"],
    ["Mocha", "    ✕ keeps it (12 ms)", "keeps it"],
    ["Vitest", " FAIL  src/a.test.ts > store > keeps it", "src/a.test.ts > store > keeps it"],
    ["Vitest", "   × keeps it 12ms", "keeps it"],
    ["TAP", "not ok 3 - keeps it", "keeps it"],
    ["RSpec", "rspec ./spec/a_spec.rb:12 # Store keeps it", "./spec/a_spec.rb:12"],
    ["Maven", "[ERROR]   StoreTest.keepsIt:42 expected", "StoreTest.keepsIt"],
    ["PHPUnit", "1) App\\StoreTest::testKeeps", "App\\StoreTest::testKeeps"],
  ])("are known in the output of %s", (_, line, name) => {
    expect(failedTests(`ok\n${line}\ndone`)).toEqual([name]);
  });

  it("are none where all passed", () => {
    expect(failedTests("--- PASS: TestA\ntest parse ... ok\n12 tests, 0 failures")).toEqual([]);
  });
});

it.each([
  ["go test ./...", "go test ./cmd/x -run TestA", true],
  ["mix test", "mix test test/a_test.exs", true],
  ["mix test test/a_test.exs", "mix test", false],
  ["npm test -- a", "npm test -- b", false],
  ["npm test", "npm test", true],
])("that %s passed settles that %s failed: %s", (passed, failed, expected) => {
  expect(covers(runOf(`${passed} 2>&1 | tail -5`), runOf(`${failed} > out.txt`))).toBe(expected);
});
