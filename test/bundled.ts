import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const scripted = join(import.meta.dirname, "scripted");

/**
 * `baton`, as it is and with the scripted agent, in a few files each: tests start it a thousand times, and to load its modules one by one takes
 * longer than all else that most of these processes do.
 */
export default async function setup(): Promise<() => void> {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "baton-tests-"));
  const bundle = await rolldown({
    input: {
      baton: join(import.meta.dirname, "released.ts"),
      scripted: join(scripted, "baton.ts"),
      program: join(scripted, "program.ts"),
      terminal: join(scripted, "terminal", "terminal.ts"),
      parts: join(import.meta.dirname, "parts.ts"),
    },
    platform: "node",
    external: [/^node:/, /^@anthropic-ai/, "better-sqlite3", "react-devtools-core"],
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
  await bundle.write({ dir, format: "esm", entryFileNames: "[name].js" });
  await bundle.close();
  // Or Node would read each of them twice to learn what kind of module it is.
  writeFileSync(join(dir, "package.json"), JSON.stringify({ type: "module" }));
  // The plugin starts what it finds beside itself.
  cpSync(join(root, "plugin"), join(dir, "plugin"), { recursive: true });
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin", "baton.js"), 'await import("../baton.js");\n');
  process.env.BATON_TEST_BUNDLE = dir;
  return () => rmSync(dir, { recursive: true, force: true });
}
