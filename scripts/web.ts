import { createHash } from "node:crypto";
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "web");

/** Builds the dashboard into a folder: a page, its style, and a script that loads the rarer pages when they are opened. Resolves with the files it is made of. */
export async function buildWeb(into: string): Promise<string[]> {
  // A page is never seen half built: it is made beside its place and moved there.
  const dir = `${into}-${process.pid}`;
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(join(dir, "assets"), { recursive: true });
  // Whoever only looks whether it is old does not pay for what it loads.
  const { rolldown } = await import("rolldown");
  const built = await rolldown({
    input: { main: join(SOURCE, "main.tsx") },
    platform: "browser",
    tsconfig: join(SOURCE, "tsconfig.json"),
    transform: { target: "es2022" },
  });
  const names = { entryFileNames: "assets/[name]-[hash].js", chunkFileNames: "assets/[name]-[hash].js" };
  const { output } = await built.write({ dir, format: "esm", minify: true, ...names });
  await built.close();
  const script = output.find((file) => file.type === "chunk" && file.isEntry)?.fileName ?? "";
  const style = styleSheet();
  const styleName = `assets/main-${createHash("sha256").update(style).digest("hex").slice(0, 8)}.css`;
  writeFileSync(join(dir, styleName), style);
  const page = readFileSync(join(SOURCE, "index.html"), "utf8");
  writeFileSync(
    join(dir, "index.html"),
    page.replace("STYLE", `/${styleName}`).replace("SCRIPT", `/${script}`),
  );
  rmSync(into, { recursive: true, force: true });
  renameSync(dir, into);
  const modules = output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  const files = modules.filter((id) => isAbsolute(id) && existsSync(id));
  return [...files, ...globSync("**/*.{css,html}", { cwd: SOURCE }).map((name) => join(SOURCE, name))];
}

/** The style of every part, in the order that the list has. Short enough that nothing need be renamed. */
function styleSheet(): string {
  const list = readFileSync(join(SOURCE, "style", "index.css"), "utf8");
  const parts = [...list.matchAll(/@import "\.\/(?<name>[^"]+)";/g)].map(({ groups }) => groups?.name ?? "");
  return parts
    .map((name) => readFileSync(join(SOURCE, "style", name), "utf8"))
    .join("\n")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\s*\n\s*/g, "\n")
    .trim();
}

/** Beside what is built in a checkout. */
const MADE_OF = "made-of.json";

/** Missing, or older than what it is made of. */
export function isOld(dir: string): boolean {
  const list = join(dir, MADE_OF);
  if (!existsSync(list)) return true;
  const built = statSync(list).mtimeMs;
  const files: string[] = JSON.parse(readFileSync(list, "utf8"));
  return [...files, import.meta.filename].some((path) => !existsSync(path) || statSync(path).mtimeMs > built);
}

if (import.meta.main) {
  const dir = join(ROOT, "dist", "web");
  mkdirSync(dirname(dir), { recursive: true });
  if (!process.argv.includes("--if-old") || isOld(dir)) {
    const files = await buildWeb(dir);
    writeFileSync(join(dir, MADE_OF), JSON.stringify(files));
  }
}
