import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type OutputOptions, rolldown } from "rolldown";

const test = import.meta.dirname;
const root = join(test, "..");

/**
 * `baton`, as it is and with the scripted agent, in a few files each: tests start it a thousand times, and to load its modules one by one takes
 * longer than all else that most of these processes do. What starts most often shares no file with the rest.
 */
export default async function setup(): Promise<() => void> {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "baton-tests-"));
  await Promise.all([
    write(dir, { program: join(test, "scripted", "program.ts") }, { codeSplitting: false }),
    write(dir, { terminal: join(test, "scripted", "terminal", "terminal.ts") }, { codeSplitting: false }),
    write(dir, { hook: join(root, "src", "cli", "hook.ts") }),
    writeMain(dir),
  ]);
  // Or Node would read each of them twice to learn what kind of module it is.
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  // The plugin starts what it finds beside itself.
  cpSync(join(root, "plugin"), join(dir, "plugin"), { recursive: true });
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin", "baton.js"), 'await import("../baton.js");\n');
  process.env.BATON_TEST_BUNDLE = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}

/** What few commands load, and what takes long to load. */
const HEAVY = /^@anthropic-ai|\/node_modules\/(?:@modelcontextprotocol|ink|react|zod)\//;

/** All that loads nothing heavy is one file: a job would otherwise open a hundred. A module still runs when it is first asked for. */
async function writeMain(dir: string): Promise<void> {
  // These turn the cache of compiled code on before they load what is worth it.
  const starters = { baton: join(test, "released.ts"), scripted: join(test, "scripted", "baton.ts") };
  const apart = new Map(Object.values(starters).map((id) => [id, true]));
  await write(
    dir,
    { ...starters, parts: join(test, "parts.ts") },
    {
      strictExecutionOrder: true,
      codeSplitting: {
        groups: [
          {
            debugName: "light",
            test: (id) => !id.includes("node_modules"),
            name: (id, graph) =>
              isApart(id, apart, (module) => graph.getModuleInfo(module)?.importedIds ?? []) ? null : "light",
          },
        ],
      },
    },
  );
}

function isApart(id: string, known: Map<string, boolean>, importedBy: (id: string) => string[]): boolean {
  const before = known.get(id);
  if (before !== undefined) return before;
  known.set(id, HEAVY.test(id));
  const found = HEAVY.test(id) || importedBy(id).some((module) => isApart(module, known, importedBy));
  known.set(id, found);
  return found;
}

async function write(dir: string, input: Record<string, string>, output: OutputOptions = {}): Promise<void> {
  const bundle = await rolldown({
    input,
    platform: "node",
    external: [/^node:/, /^@anthropic-ai/, "better-sqlite3", "react-devtools-core"],
    // Of dynamic imports that are in the same file as what imports them.
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      {
        name: "keeps-places",
        // What a module finds from where it is, it finds from there.
        transform: (code, id) =>
          id.startsWith(join(root, "src"))
            ? code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
            : undefined,
      },
    ],
  });
  // Without what a program reads past, and with every name as it is.
  const minify = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
  const written = await bundle.write({ dir, format: "esm", entryFileNames: "[name].js", minify, ...output });
  await bundle.close();
  for (const file of written.output) {
    if (file.type === "chunk") writeFileSync(join(dir, file.fileName), inAscii(file.code));
  }
}

/** One other character makes Node keep twice as much of the whole file. In a pattern made by String.raw the escape means the same. */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (other) => `\\u${other.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
