import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { placesOf } from "../src/app/trust/review.ts";
import type { Config } from "../src/config/config.ts";
import { ConfigError } from "../src/config/error.ts";
import { userConfigPath } from "../src/config/find.ts";
import { configFrom } from "../src/config/layers/from-layers.ts";
import { readSources, type Written } from "../src/config/layers/read-sources.ts";
import { loadWritten } from "../src/config/load.ts";
import { namedFiles } from "../src/config/trust/named-files.ts";
import { placeOfFile } from "../src/files/place-of-file.ts";
import { stateFolder } from "../src/files/state-folder.ts";
import { readTrusted } from "../src/trust/record.ts";

interface Place {
  folder: string;
  env: Record<string, string>;
  trusted?: "no";
}

/** The user has looked at the baton.yaml of a project as it is now, and agreed to it. */
export function agreeIn({ folder, env, trusted: asked }: Place, name = "baton.yaml"): void {
  const path = join(folder, name);
  if (asked === "no" || !existsSync(path)) return;
  const written = writtenAt(path, env);
  if (!written) return;
  const state = stateFolder(env);
  const trusted =
    existsSync(dirname(state)) && !statSync(dirname(state)).isDirectory() ? undefined : readTrusted(state);
  // A test may have put something else in the place of the user's record.
  if (!trusted) return;
  const at = new Date(0).toISOString();
  const config = configFrom(written);
  const folders = [folder, ...config.agents.map(({ workingDirectory }) => workingDirectory)];
  const own = { key: "own", texts: config.ownTexts };
  const places = placesOf(written.acting, namedFiles(folders, [...written.acting, own], {}));
  places[placeOfFile(path)] ??= {};
  const agreed = Object.entries(places).map(([place, parts]) => [place, { at, parts }] as const);
  const text = JSON.stringify({ version: 2, places: { ...trusted, ...Object.fromEntries(agreed) } });
  if (text === JSON.stringify({ version: 2, places: trusted })) return;
  mkdirSync(state, { recursive: true });
  writeFileSync(join(state, "trusted.json"), text, { mode: 0o600 });
}

/** Undefined for a file that Baton refuses. */
function writtenAt(path: string, env: Record<string, string>): Written | undefined {
  try {
    const user = userConfigPath(env, env.HOME ?? "");
    return readSources({
      ...(existsSync(user) && { user: { path: user, text: readFileSync(user, "utf8") } }),
      project: { path, text: readFileSync(path, "utf8") },
      root: dirname(path),
      home: env.HOME ?? "",
      env,
      trusted: {},
      withhold: false,
    });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The configuration of a file that the user has agreed to. */
export function configAt(path: string): Config {
  return configFrom(loadWritten({ root: dirname(path), configPath: path }, { trusted: {}, withhold: false }));
}
