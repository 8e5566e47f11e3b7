import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";
import { buildWeb } from "./web.ts";

const ROOT = join(import.meta.dirname, "..");
const SRC = join(ROOT, "src");
/** Programs and their bindings, and what a chat alone loads. */
const NOT_BUNDLED = [/^node:/, /^@anthropic-ai/, "better-sqlite3", "ink", /^react/];

/**
 * The program in a few files, with the packages that most commands load: one that lists jobs would otherwise spend most of
 * its time on opening the three hundred files of the query builder. A hook runs at every step of a person's session, so it
 * shares no file with the rest: what it always needs is one file.
 */
export async function bundle(dir: string): Promise<void> {
  const hook = await written(dir, { hook: join(SRC, "cli", "hook.ts") });
  const rest = await written(dir, { main: join(SRC, "cli", "main.ts"), index: join(SRC, "index.ts") });
  // Pages load it too: it needs nothing of the rest.
  await written(dir, { client: join(SRC, "client.ts") });
  // pi loads it by itself, from where its adapter finds it.
  await written(dir, { "agents/pi/extension": join(SRC, "agents", "pi", "extension.ts") });
  writeFileSync(join(dir, "LICENSES.txt"), licensesOf([...hook, ...rest]));
}

/** The modules that went into it. */
async function written(dir: string, input: Record<string, string>): Promise<string[]> {
  const built = await rolldown({
    input,
    platform: "node",
    // What an entry shares with what it loads later stays in it, instead of becoming one more file to open.
    preserveEntrySignatures: "allow-extension",
    external: NOT_BUNDLED,
    transform: { target: "node22.18" },
    plugins: [{ name: "keeps-places", transform: withItsPlace }],
  });
  const names = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" };
  const { output } = await built.write({ dir, format: "esm", ...names });
  await built.close();
  const chunks = output.filter((file): file is OutputChunk => file.type === "chunk");
  return chunks.flatMap(({ moduleIds }) => moduleIds);
}

/** What a module finds from where it is, it finds from the bundle as if it still stood in its folder. */
function withItsPlace(code: string, id: string): string | undefined {
  if (!id.startsWith(SRC + sep)) return undefined;
  const place = JSON.stringify(`./${relative(SRC, id).replaceAll(sep, "/")}`);
  return code.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`);
}

/** Whoever passes a package on passes its licence on. */
function licensesOf(modules: string[]): string {
  const packages = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(packages)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return texts.join("\n---\n\n");
}

if (import.meta.main) {
  const dist = join(ROOT, "dist");
  rmSync(dist, { recursive: true, force: true });
  await bundle(dist);
  await buildWeb(join(dist, "web"));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  execFileSync(process.execPath, [tsc, "-p", "tsconfig.build.json"], { cwd: ROOT, stdio: "inherit" });
}
