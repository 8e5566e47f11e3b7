import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SRC = join(import.meta.dirname, "..", "src");

/** From the ground up. A room knows only rooms that are below it, by types too. */
const ROOMS = [
  "version.ts",
  "util",
  "processes",
  "secrets",
  "files",
  "trust",
  "config",
  "git",
  "box",
  "agents",
  "context",
  "hooks",
  "workspace",
  "handoff",
  "job",
  "store",
  "jobs",
  "fleet",
  "sources",
  "connectors",
  "sessions",
  "display",
  "app",
  "simulator",
  "mcp",
  "chat",
  "http",
  "cli",
  "client.ts",
  "index.ts",
];

/** Where people's own sessions are watched. */
const OWN_SESSIONS = /^(?:sessions|app)\//;

/** Variables, tools, keys and files of Claude Code. */
const WORDS_OF_A_PROGRAM =
  /\bCLAUDE_|\bANTHROPIC_|"anthropic\/|\bCLAUDECODE\b|"(?:Bash|Read|Write|Edit|MultiEdit|NotebookEdit|TodoWrite|TaskCreate|TaskUpdate|Skill|Grep|Glob|WebFetch)"|\bfile_path\b|\bmcp__|"\.claude\b|\.jsonl\b|<synthetic>/;

/** They give people examples of what to write. */
const FOR_USERS = ["config/keys/agent.ts", "config/initial.ts"];

/** Plain data in, plain data out: they can be asked at any time, by anybody, and answer the same. */
const PURE =
  /^(?:job|context)\/|^handoff\/(?:document|continuation)\.ts$|^sessions\/record\/handoff-(?:state|questions)\.ts$|^sessions\/hooks\/decision\.ts$/;

/** Who loads one of these waits for it. */
const PACKAGE = /^import\s+(?!type\s)[^;"]*?from\s+"(?!node:)(?<name>[^."][^"]*)"/gm;

/** Files, processes, clocks, chance and what this process was started with. */
const EFFECTS = /from "node:(?!path")|\bprocess\.|\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b/;

/** Beyond about this many files a folder's alphabet is no map any more: it gets rooms. */
const MOST_FILES = 25;

/** Arguments in, words out: what they do is done in `app/`. */
const FACES = ["mcp", "chat", "http", "cli"];

/** What a face may use at run time besides the rooms from `app/` upwards. */
const BESIDE_APP = ["version.ts", "util", "display"];

interface Import {
  from: string;
  to: string;
  isType: boolean;
  /** Loaded only where it is asked for. */
  isLater: boolean;
}

const IMPORT =
  /^(?:import|export)\s+(?<type>type\s)?(?<names>[^;"]*?)from\s+"(?<path>\.[^"$]+)"|^import\s+"(?<effect>\.[^"$]+)"|import\(\s*"(?<later>\.[^"$]+)"\s*\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), "utf8");
  return [...text.matchAll(IMPORT)].map(({ groups = {} }) => {
    const path = groups.path ?? groups.effect ?? groups.later ?? "";
    const names = (groups.names ?? "").replace(/[{}\s]+/g, " ").trim();
    const allTypes = names !== "" && names.split(",").every((name) => /^\s*(?:type\s|$)/.test(name));
    return {
      from: file,
      to: relative(SRC, join(SRC, dirname(file), path)),
      isType: groups.type !== undefined || allTypes,
      isLater: groups.later !== undefined,
    };
  });
}

const files = readdirSync(SRC, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.tsx?$/.test(name) && !/\.(?:test|types)\.tsx?$/.test(name),
);
const imports = files.flatMap(importsOf);

function roomOf(file: string): string {
  return file.split("/")[0] ?? "";
}

describe("the arrows of the house", () => {
  it("has a place for every room, and finds what they import", () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...ROOMS].sort());
    expect(imports.length).toBeGreaterThan(1_000);
    expect(imports.filter(({ to }) => !files.includes(to))).toEqual([]);
  });

  it("has rooms within rooms where a folder would be too full to read at a glance", () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    const full = [...folders].filter(([, within]) => within.length > MOST_FILES);
    expect(full.map(([folder, within]) => `${folder}: ${within.length} files`)).toEqual([]);
  });

  it("points down only", () => {
    const up = imports.filter(({ from, to }) => ROOMS.indexOf(roomOf(from)) < ROOMS.indexOf(roomOf(to)));
    expect(up.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("leads to an agent's program through the contract only, and to people's own sessions of it from a few rooms", () => {
    const past = imports
      .filter(({ from, to }) => to.startsWith("agents/claude/") && !from.startsWith("agents/"))
      .filter(({ from, to }) => !(to.startsWith("agents/claude/own/") && OWN_SESSIONS.test(from)));
    expect(past.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("knows words of an agent's program behind its contract only", () => {
    const found = files
      .filter((file) => !/^(?:agents\/[^/]+|simulator)\//.test(file) && !FOR_USERS.includes(file))
      .flatMap((file) =>
        readFileSync(join(SRC, file), "utf8")
          .split("\n")
          .filter((line) => WORDS_OF_A_PROGRAM.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      );
    expect(found).toEqual([]);
  });

  it("lets faces go through app: of what is below it they know types only", () => {
    const past = imports.filter(
      ({ from, to, isType }) =>
        !isType &&
        FACES.includes(roomOf(from)) &&
        ROOMS.indexOf(roomOf(to)) < ROOMS.indexOf("app") &&
        !BESIDE_APP.includes(roomOf(to)),
    );
    expect(past.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it("keeps what is SQLite's in a room of its own, but for a lock that is one of its files", () => {
    const naming = files.filter((file) =>
      /"better-sqlite3"|SqliteDialect|json_extract|->>|\.pragma\(/.test(
        readFileSync(join(SRC, file), "utf8"),
      ),
    );
    expect(naming.filter((file) => !file.startsWith("store/sqlite/"))).toEqual(["files/lock.ts"]);
    expect(naming.length).toBeGreaterThan(1);
  });

  it("keeps what is pure away from effects, through all that it needs at run time", () => {
    const needed = new Set<string>();
    const need = (file: string) => {
      if (needed.has(file)) return;
      needed.add(file);
      for (const { from, to, isType } of imports) if (from === file && !isType) need(to);
    };
    for (const file of files) if (PURE.test(file)) need(file);
    const impure = [...needed].filter((file) => EFFECTS.test(readFileSync(join(SRC, file), "utf8")));
    expect(impure).toEqual([]);
    expect(needed.size).toBeGreaterThan(20);
  });

  it("loads for each command no package but the one that reads the command line, and for a job no schemas", () => {
    const atOnce = Map.groupBy(
      imports.filter(({ isType, isLater }) => !isType && !isLater),
      ({ from }) => from,
    );
    const packagesOf = (...entries: string[]) => {
      const loaded = new Set<string>();
      const load = (file: string) => {
        if (loaded.has(file)) return;
        loaded.add(file);
        for (const { to } of atOnce.get(file) ?? []) load(to);
      };
      entries.forEach(load);
      const names = [...loaded].flatMap((file) =>
        [...readFileSync(join(SRC, file), "utf8").matchAll(PACKAGE)].map(({ groups }) => groups?.name),
      );
      return [...new Set(names)].sort();
    };
    expect(packagesOf("cli/main.ts")).toEqual(["commander"]);
    expect(packagesOf("cli/hook.ts")).toEqual([]);
    const ofJob = ["better-sqlite3", "commander", "kysely", "yaml"];
    expect(packagesOf("cli/jobs/run.ts", "cli/jobs/drive.ts")).toEqual(ofJob);
  });

  it("has no ring of files that need one another at run time", () => {
    const below = new Map<string, string[]>();
    for (const { from, to, isType } of imports) {
      if (!isType) below.set(from, [...(below.get(from) ?? []), to]);
    }
    const done = new Set<string>();
    const ringFrom = (file: string, above: string[]): string[] | undefined => {
      if (above.includes(file)) return [...above.slice(above.indexOf(file)), file];
      if (done.has(file)) return undefined;
      for (const next of below.get(file) ?? []) {
        const ring = ringFrom(next, [...above, file]);
        if (ring) return ring;
      }
      done.add(file);
      return undefined;
    };
    expect(files.map((file) => ringFrom(file, [])).find(Boolean)).toBeUndefined();
  });
});
