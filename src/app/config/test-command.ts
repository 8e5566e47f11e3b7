import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readBoundedText } from "../../files/bounded-file.ts";

/** What tells how a project is tested, read once. */
interface Folder {
  has(...names: string[]): boolean;
  /** Empty where there is no such file, or none that can be read. */
  text(...names: string[]): string;
  /** True where a name in the folder ends so. */
  hasEnding(...endings: string[]): boolean;
}

const LIMIT_BYTES = 1024 * 1024;

/** The command that runs the tests of a project, told from its files. Nothing is run, and a guess without a sign is none. */
export function testCommandIn(path: string): string | undefined {
  let names: string[];
  try {
    names = readdirSync(path);
  } catch {
    return undefined;
  }
  const known = new Set(names);
  return testCommand({
    has: (...wanted) => wanted.some((name) => known.has(name) || (name.includes("/") && isThere(path, name))),
    text: (...wanted) =>
      wanted.map((name) => (known.has(name) ? textOf(join(path, name)) : "")).find(Boolean) ?? "",
    hasEnding: (...endings) => names.some((name) => endings.some((ending) => name.endsWith(ending))),
  });
}

function isThere(folder: string, name: string): boolean {
  const [inner = "", file = ""] = name.split("/");
  try {
    return readdirSync(join(folder, inner)).includes(file);
  } catch {
    return false;
  }
}

function textOf(path: string): string {
  try {
    return readBoundedText(path, LIMIT_BYTES);
  } catch {
    return "";
  }
}

/** The first that knows. Tools of a language come before those that only call them. */
function testCommand(folder: Folder): string | undefined {
  for (const clue of CLUES) {
    const command = clue(folder);
    if (command !== undefined) return command;
  }
  return undefined;
}

type Clue = (folder: Folder) => string | undefined;

const CLUES: readonly Clue[] = [
  nodeTests,
  denoTests,
  ({ has }) => (has("Cargo.toml") ? "cargo test" : undefined),
  ({ has }) => (has("go.mod", "go.work") ? "go test ./..." : undefined),
  pythonTests,
  jvmTests,
  rubyTests,
  phpTests,
  ({ has }) => (has("mix.exs") ? "mix test" : undefined),
  ({ hasEnding }) => (hasEnding(".sln", ".slnx", ".csproj", ".fsproj") ? "dotnet test" : undefined),
  ({ has }) => (has("Package.swift") ? "swift test" : undefined),
  dartTests,
  ({ has }) => (has("build.sbt") ? "sbt test" : undefined),
  ({ has }) => (has("stack.yaml") ? "stack test" : undefined),
  ({ hasEnding }) => (hasEnding(".cabal") ? "cabal test" : undefined),
  ({ has }) => (has("dune-project") ? "dune test" : undefined),
  ({ has }) => (has("build.zig") ? "zig build test" : undefined),
  ({ has }) => (has("MODULE.bazel", "WORKSPACE", "WORKSPACE.bazel") ? "bazel test //..." : undefined),
  ({ text }) =>
    /^test(?:\s[^:=\n]*)?:(?!=)/m.test(text("GNUmakefile", "makefile", "Makefile")) ? "make test" : undefined,
  ({ text }) =>
    /^@?test(?:\s[^:=\n]*)?:(?!=)/m.test(text("justfile", "Justfile", ".justfile")) ? "just test" : undefined,
  ({ text }) => (/^ {2}test:/m.test(text("Taskfile.yml", "Taskfile.yaml")) ? "task test" : undefined),
];

/** What `npm init` writes where there are no tests. */
const NO_TESTS = /no test specified/;

function nodeTests({ has, text }: Folder): string | undefined {
  const { scripts, packageManager } = fields(text("package.json"));
  const script = fields(scripts).test;
  if (typeof script !== "string" || script.trim() === "" || NO_TESTS.test(script)) return undefined;
  const named = typeof packageManager === "string" ? packageManager.split("@")[0] : undefined;
  if (named === "pnpm" || has("pnpm-lock.yaml", "pnpm-workspace.yaml")) return "pnpm test";
  if (named === "yarn" || has("yarn.lock")) return "yarn test";
  // `bun test` is the runner of Bun itself, whatever the script says.
  if (named === "bun" || has("bun.lock", "bun.lockb")) return "bun run test";
  return "npm test";
}

function denoTests({ has, text }: Folder): string | undefined {
  if (!has("deno.json", "deno.jsonc")) return undefined;
  const hasTask = /"tasks"\s*:\s*\{[^}]*"test"\s*:/.test(text("deno.json", "deno.jsonc"));
  return hasTask ? "deno task test" : "deno test";
}

function pythonTests({ has, text }: Folder): string | undefined {
  const files = [
    "pyproject.toml",
    "setup.cfg",
    "tox.ini",
    "requirements.txt",
    "requirements-dev.txt",
    "Pipfile",
  ];
  const isPytest =
    has("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py") ||
    files.some((name) => /\bpytest\b/.test(text(name)));
  if (isPytest) return `${pythonRunner({ has })}pytest`;
  if (has("manage.py")) return `${pythonRunner({ has })}python manage.py test`;
  return undefined;
}

function pythonRunner({ has }: Pick<Folder, "has">): string {
  if (has("uv.lock")) return "uv run ";
  if (has("poetry.lock")) return "poetry run ";
  if (has("pdm.lock")) return "pdm run ";
  return has("Pipfile.lock") ? "pipenv run " : "";
}

function jvmTests({ has }: Folder): string | undefined {
  if (has("gradlew")) return "./gradlew test";
  if (has("build.gradle", "build.gradle.kts")) return "gradle test";
  if (has("mvnw")) return "./mvnw test";
  return has("pom.xml") ? "mvn test" : undefined;
}

function rubyTests({ has, text }: Folder): string | undefined {
  if (!has("Gemfile", "gems.rb", "Rakefile", ".rspec")) return undefined;
  if (has(".rspec", "spec/spec_helper.rb") || /\brspec\b/.test(text("Gemfile", "gems.rb")))
    return "bundle exec rspec";
  if (has("bin/rails")) return "bin/rails test";
  return /\bRake::TestTask|Minitest::TestTask|task\s+:?test\b/.test(text("Rakefile"))
    ? "bundle exec rake test"
    : undefined;
}

function phpTests({ has, text }: Folder): string | undefined {
  if (fields(fields(text("composer.json")).scripts).test !== undefined) return "composer test";
  return has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml") ? "vendor/bin/phpunit" : undefined;
}

function dartTests({ has, text }: Folder): string | undefined {
  if (!has("pubspec.yaml")) return undefined;
  return /^\s*sdk:\s*flutter\b/m.test(text("pubspec.yaml")) ? "flutter test" : "dart test";
}

/** The fields of an object, or of one in JSON. None where it is something else. */
function fields(value: unknown): Record<string, unknown> {
  if (typeof value !== "string") return typeof value === "object" && value !== null ? { ...value } : {};
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
