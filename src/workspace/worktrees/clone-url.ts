import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { exists } from "../../files/exists.ts";
import { withoutCredentials } from "../../secrets/credentials.ts";
import { WorkspaceError } from "../workspace.ts";

const SCHEMES = ["https", "http", "ssh", "git", "file"];

/** What git is to clone, out of what the user wrote. `shallow`: from a plain path git would take all there is. */
export async function cloneUrl(written: string, shallow: boolean): Promise<string> {
  // Git would take it for an option, or for the name of a program to run.
  if (written.startsWith("-") || /^[\w+.-]+::/.test(written)) throw refusal(written, "is not cloned");
  const scheme = /^([\w+.-]+):\/\//.exec(written)?.[1]?.toLowerCase();
  if (scheme !== undefined) {
    if (SCHEMES.includes(scheme)) return written;
    throw refusal(written, `is not cloned: ${scheme} is none of ${SCHEMES.join(", ")}`);
  }
  const path = written.startsWith("~/") ? join(homedir(), written.slice(2)) : written;
  if (isAbsolute(path)) return shallow ? pathToFileURL(path).href : path;
  const isSsh = /^[^/]+:/.test(written);
  if (isSsh) return written;
  const [, name] = /^([A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9_][\w.-]*?)(?:\.git)?$/.exec(written) ?? [];
  if (name !== undefined && !(await exists(written))) return `https://github.com/${name}.git`;
  throw refusal(written, "is a relative path, and it is unclear relative to what");
}

function refusal(written: string, why: string): WorkspaceError {
  return new WorkspaceError(
    `working_directory.repo ${why}: ${withoutCredentials(written)}\nWrite a URL (https://… or git@host:path), owner/name on GitHub, an absolute path, or ~/….`,
  );
}
