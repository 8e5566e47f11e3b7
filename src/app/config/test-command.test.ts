import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { testCommandIn } from "./test-command.ts";

async function projectOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-tests-of-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}

const script = (test: string, more: object = {}) => JSON.stringify({ scripts: { test }, ...more });

it.each<[string, Record<string, string>]>([
  ["npm test", { "package.json": script("vitest run") }],
  ["pnpm test", { "package.json": script("vitest"), "pnpm-lock.yaml": "" }],
  ["yarn test", { "package.json": script("jest", { packageManager: "yarn@4.1.0" }) }],
  ["bun run test", { "package.json": script("bun test"), "bun.lock": "" }],
  ["deno task test", { "deno.jsonc": '{ // tasks\n "tasks": { "test": "deno test -A" } }' }],
  ["deno test", { "deno.json": "{}" }],
  ["cargo test", { "Cargo.toml": "[package]" }],
  ["go test ./...", { "go.mod": "module x" }],
  ["pytest", { "pyproject.toml": "[tool.pytest.ini_options]" }],
  ["pytest", { "setup.py": "", "tests/conftest.py": "" }],
  ["uv run pytest", { "pyproject.toml": 'dev = ["pytest>=8"]', "uv.lock": "" }],
  ["poetry run pytest", { "requirements.txt": "pytest==8.0\n", "poetry.lock": "" }],
  ["python manage.py test", { "manage.py": "" }],
  ["./gradlew test", { gradlew: "", "build.gradle.kts": "" }],
  ["mvn test", { "pom.xml": "<project/>" }],
  ["bundle exec rspec", { Gemfile: 'gem "rspec"' }],
  ["bin/rails test", { Gemfile: 'gem "rails"', "bin/rails": "" }],
  ["bundle exec rake test", { Rakefile: "Rake::TestTask.new" }],
  ["composer test", { "composer.json": script("phpunit") }],
  ["vendor/bin/phpunit", { "composer.json": "{}", "phpunit.xml.dist": "" }],
  ["mix test", { "mix.exs": "" }],
  ["dotnet test", { "Shop.sln": "" }],
  ["swift test", { "Package.swift": "" }],
  ["flutter test", { "pubspec.yaml": "dependencies:\n  flutter:\n    sdk: flutter\n" }],
  ["make test", { Makefile: "all: build\n\ntest: build\n\t./run\n" }],
  ["just test", { justfile: "test *args:\n  ./run\n" }],
])("finds %s", async (command, files) => {
  expect(testCommandIn(await projectOf(files))).toBe(command);
});

it("takes the tools of the language before what calls them", async () => {
  const files = { Makefile: "test:\n\tcargo test\n", "Cargo.toml": "[package]" };
  expect(testCommandIn(await projectOf(files))).toBe("cargo test");
});

it.each<[string, Record<string, string>]>([
  ["nothing", {}],
  ["a package without tests", { "package.json": script('echo "Error: no test specified" && exit 1') }],
  ["a package that is no JSON", { "package.json": "{" }],
  ["a Makefile with a variable of that name", { Makefile: "test := yes\ntest-data: x\n" }],
  ["Python without a sign of tests", { "pyproject.toml": "[project]" }],
])("finds none in %s", async (_what, files) => {
  expect(testCommandIn(await projectOf(files))).toBeUndefined();
});

it("finds none in a folder that is not there", () => {
  expect(testCommandIn("/nowhere/at/all")).toBeUndefined();
});
