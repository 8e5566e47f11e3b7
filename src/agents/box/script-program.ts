import { closeSync, existsSync, openSync, readSync, realpathSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { BoxError } from "../../box/error.ts";

/** A program as it is started in a box, where nothing of this machine is there by itself. */
export interface ProgramInside {
  /** What starts it: itself, or the Node that runs Baton with its script. */
  command: [string, ...string[]];
  /** What must be inside for that. */
  readable: readonly string[];
}

/** What npm installed is a script, and needs Node and the packages beside it. Anything else is one file. */
export function programInside(program: string, cwd: string): ProgramInside {
  const file = realpathSync(program);
  const interpreter = interpreterOf(file);
  if (interpreter === undefined) return { command: [file], readable: [] };
  if (!/\bnode\b/.test(interpreter)) {
    throw new BoxError(
      `${file} is a script for ${interpreter}, and Baton does not know what it starts.`,
      "Set `executable` to the program itself, or docker.enabled to false.",
      "enabled",
    );
  }
  const packages = packagesOf(file);
  // What is in the workspace is inside already, to be changed by the agent as anything else there.
  const readable = packages.startsWith(cwd + sep) ? [] : [packages];
  return { command: [process.execPath, file], readable };
}

/** The folder that holds the script's package with all that it needs, in the manner of npm, pnpm or neither. */
function packagesOf(file: string): string {
  const [ofPnpm] = /^.*?[\\/]\.pnpm(?=[\\/])/.exec(file) ?? [];
  if (ofPnpm !== undefined) return basename(dirname(ofPnpm)) === "node_modules" ? dirname(ofPnpm) : ofPnpm;
  const [ofNpm] = /^.*?[\\/]node_modules(?=[\\/])/.exec(file) ?? [];
  if (ofNpm !== undefined) return ofNpm;
  let folder = dirname(file);
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return dirname(folder) === folder ? file : folder;
}

/** What runs it, where that is something else. */
export function interpreterOf(file: string): string | undefined {
  const start = Buffer.alloc(128);
  const open = openSync(file, "r");
  readSync(open, start);
  closeSync(open);
  return /^#!\s*([^\r\n\0]*)/.exec(start.toString("latin1"))?.[1];
}
