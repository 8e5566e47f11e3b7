import { existsSync, readdirSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { BoxError } from "../../../box/error.ts";
import { interpreterOf } from "../../box/script-program.ts";
import { INSTALL, NAME } from "../program.ts";

/** What is really started by a `codex`, as one file: npm's is a script that starts a program of another package. */
export function nativeProgram(program: string | undefined): string {
  if (program === undefined || !existsSync(program)) throw unfit(`${NAME} is not there.`);
  const file = realpathSync(program);
  if (interpreterOf(file) === undefined) return file;
  const native = vendorsOf(file)
    .flatMap((vendor) => readdirSync(vendor).map((target) => join(vendor, target, "bin", "codex")))
    .find(existsSync);
  if (native === undefined) throw unfit(`${file} is a script, and the program that it starts was not found.`);
  return realpathSync(native);
}

/** Where npm's script looks for it. */
function vendorsOf(script: string): string[] {
  const own = join(dirname(script), "..", "vendor");
  try {
    const name = `@openai/codex-${process.platform}-${process.arch}/package.json`;
    return [join(dirname(createRequire(script).resolve(name)), "vendor"), own].filter(existsSync);
  } catch {
    return [own].filter(existsSync);
  }
}

function unfit(problem: string): BoxError {
  const fix = `Install it with \`${INSTALL}\`, set \`executable\` to the program itself, or set docker.enabled to false.`;
  return new BoxError(`${problem} In a container ${NAME} has to be one file.`, fix, "enabled");
}
