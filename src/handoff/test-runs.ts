/** Programs that run tests, as people call them. */
const RUNNERS =
  /(?:^|[\s;&|(])(?:(?:npm|pnpm|yarn|bun)(?: run)? test\b|(?:npx |bunx )?(?:vitest|jest|mocha|ava|tap|playwright test)\b|node --test\b|deno test\b|(?:python3? -m )?(?:pytest|unittest)\b|tox\b|nox\b|go test\b|cargo (?:nextest|test)\b|mix test\b|(?:bundle exec )?rspec\b|(?:bin\/)?rails test\b|(?:vendor\/bin\/)?phpunit\b|(?:\.\/)?gradlew? (?:\S+ )*test\b|mvn (?:\S+ )*(?:test|verify)\b|dotnet test\b|swift test\b|ctest\b|make (?:\S+ )*(?:test|check)\b|(?:just|task|rake|composer|sbt|bazel|dart|flutter|zig build) test\b|mise (?:run |r )?test\b|(?:npx )?(?:nx|turbo)(?: run)? (?:\S+:)?test\b)/;

/** How runners say that something failed, also where a pipe has swallowed their exit status. */
const FAILED =
  /\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?)\b|(?:^|\n)[ \t]*(?:# fail|ℹ fail|fail(?:ed|ures)?:?) [1-9]|(?:^|\n)[ \t]*(?:FAIL|FAILED|--- FAIL|not ok)\b|test result: FAILED/i;

/** What a command runs stands at its beginning; behind that a whole file can follow. */
const LOOKED_AT = 10_000;

/** What a command is given to read in place of a file: a message, a page, a script for another program. */
const HERE_DOCUMENT = /<<-?[ \t]*(['"]?)(\w+)\1[^\n]*\n[\s\S]*?(?:\n[ \t]*\2\b|$)/g;

export function isTestRun(command: string): boolean {
  return RUNNERS.test(command.slice(0, LOOKED_AT).replace(HERE_DOCUMENT, "<<"));
}

/** Of a run whose command ended well. */
export function testPassed(output: string): boolean {
  return !FAILED.test(output);
}
