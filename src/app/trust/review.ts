import { dirname } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import type { ActingPart } from "../../config/trust/acting.ts";
import { type NamedFile, namedFiles } from "../../config/trust/named-files.ts";
import { redactor } from "../../secrets/redact.ts";
import { placeOfFile, readTrusted, recordTrust, removeTrust, type TrustedPart } from "../../trust/record.ts";
import type { Project } from "../project.ts";

/** What a project would do that its user has not agreed to, as it is now. Trust is given to exactly this. */
export interface Review {
  /** Keys of configuration files. */
  parts: ActingPart[];
  /** Scripts, templates and programs that they name. */
  files: NamedFile[];
  /** What is recorded with a yes: all that acts in these places, also what was trusted before. */
  places: Record<string, Record<string, TrustedPart>>;
}

export async function reviewOf(project: Project): Promise<Review> {
  if (project.configPath === undefined) return { parts: [], files: [], places: {} };
  const { loadWritten } = await import("../../config/load.ts");
  const trusted = readTrusted();
  const { acting } = loadWritten(project, { trusted, withhold: false });
  const files = namedFiles(dirname(project.configPath), acting, trusted);
  return { parts: acting.filter(isOpen), files: files.filter(isOpen), places: placesOf(acting, files) };
}

export function isEmpty({ parts, files }: Review): boolean {
  return parts.length === 0 && files.length === 0;
}

/** The user said yes to what they were shown. */
export function agreeTo({ places }: Review): Promise<void> {
  return recordTrust(places);
}

/** Records what Baton itself wrote for the user, such as a first baton.yaml. */
export async function agreeToOwn(path: string): Promise<void> {
  await agreeTo(await reviewOf({ root: dirname(path), configPath: path }));
}

/** What a configuration has that nobody agreed to, for one of its agents. */
export function notAgreed(config: Config, agent: string): Pick<Review, "parts" | "files"> {
  const concerned = config.acting.filter((part) => part.agent === undefined || part.agent === agent);
  const parts = concerned.filter(isOpen);
  const settled = concerned.filter((part) => !isOpen(part));
  if (settled.length === 0) return { parts, files: [] };
  return { parts, files: namedFiles(config.root, settled, readTrusted()).filter(isOpen) };
}

function isOpen({ trust }: Pick<ActingPart, "trust">): boolean {
  return trust.state !== "trusted";
}

/** What is recorded of each place. */
export function placesOf(acting: readonly ActingPart[], files: readonly NamedFile[]): Review["places"] {
  const redact = redactor(ownEnvironment());
  const places: Review["places"] = {};
  for (const { place, key, digest, shown, trust } of acting) {
    places[place] ??= {};
    if (trust.state !== "removed") places[place][key] = { digest, shown: redact(shown) };
  }
  for (const { place, digest, shown } of files) {
    places[place] = { ...places[place], "": { digest, shown: redact(shown) } };
  }
  return places;
}

/** Takes trust back from everything that the project has, and returns the places. */
export async function trustNoMore(project: Project): Promise<string[]> {
  const trusted = readTrusted();
  const here = await placesIn(project);
  const removed = here.filter((place) => place in trusted);
  if (removed.length > 0) await removeTrust(removed);
  return removed;
}

/** Also where the configuration is wrong by now: trust must be possible to take back. */
async function placesIn(project: Project): Promise<string[]> {
  try {
    return Object.keys((await reviewOf(project)).places);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return project.configPath === undefined ? [] : [placeOfFile(project.configPath)];
  }
}

export interface TrustedFile {
  file: string;
  at: string;
  /** The keys that were agreed to; none for a file that is trusted as a whole. */
  keys: string[];
}

/** What the user trusts, of all projects. */
export function trustedFiles(): TrustedFile[] {
  return Object.entries(readTrusted()).map(([file, { at, parts }]) => ({
    file,
    at,
    keys: Object.keys(parts).filter(Boolean),
  }));
}
