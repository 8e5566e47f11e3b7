import { realpathSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { ownEnvironment } from "../../agents/own-environment.ts";
import type { AgentConfig, Config } from "../../config/config.ts";
import { ConfigError } from "../../config/error.ts";
import { configFrom } from "../../config/layers/from-layers.ts";
import type { ActingPart } from "../../config/trust/acting.ts";
import { type AgreedFiles, type NamedFile, namedFiles } from "../../config/trust/named-files.ts";
import { placeOfFile } from "../../files/place-of-file.ts";
import { redactor } from "../../secrets/redact.ts";
import { agreedTo, type UntrustedFile } from "../../trust/agent-files.ts";
import { readTrusted, recordTrust, removeTrust, type Trusted, type TrustedPart } from "../../trust/record.ts";
import { audited } from "../access/audit.ts";
import { adoptState } from "../adopt-state.ts";
import { type Foreign, foreignState } from "../foreign-state.ts";
import { type Project, storePath } from "../project.ts";

/** What a project would do that its user has not agreed to, as it is now. Trust is given to exactly this. */
export interface Review {
  /** Keys of configuration files. */
  parts: ActingPart[];
  /** Scripts, templates and programs that they name. */
  files: NamedFile[];
  /** What the agents' own programs would act on. Without a yes they are started without all of it. */
  agentFiles: UntrustedFile[];
  /** Why the jobs in its store are not taken for this machine's own; none where they are. With a yes they become so. */
  state: Foreign[];
  /** What is recorded with a yes: all that acts in these places, also what was trusted before. */
  places: Record<string, Record<string, TrustedPart>>;
}

export async function reviewOf(project: Project): Promise<Review> {
  const { loadWritten } = await import("../../config/load.ts");
  const trusted = readTrusted();
  const config = configFrom(loadWritten(project, { trusted, withhold: false }));
  const { acting } = config;
  const files = filesNamedIn(config, acting, trusted);
  // An agent's program is slow to load.
  const { untrustedAgentFiles } = await import("./agent-files.ts");
  const agentFiles = await untrustedAgentFiles(config);
  return {
    parts: acting.filter(isOpen),
    files: files.filter(isOpen),
    agentFiles,
    state: (await foreignState(storePath(project.root))).filter(({ why }) => why === "unknown"),
    places: { ...placesOf(acting, files), ...agreedTo(agentFiles) },
  };
}

/** How many keys of a configuration, and files that they name, wait for a yes. */
export function waitingIn(config: Config): number {
  const files = filesNamedIn(config, config.acting, readTrusted());
  return config.acting.filter(isOpen).length + files.filter(isOpen).length;
}

/** Whether nothing waits for a yes. What nobody can agree to does not wait. */
export function isSettled({ parts, files, agentFiles, state }: Review): boolean {
  const waiting = agentFiles.filter(({ present }) => present);
  return parts.length + files.length + waiting.length + state.length === 0;
}

/** The user said yes to what they were shown. */
export async function agreeTo(project: Project, { places, state }: Review): Promise<void> {
  const target = Object.keys(places).join(", ");
  await audited({ what: "trust", target, project: project.root }, async () => {
    await recordTrust(places);
    if (state.length > 0) await adoptState(project);
  });
}

/** Records what Baton itself wrote for the user, such as a first baton.yaml. */
export async function agreeToOwn(path: string): Promise<void> {
  const project = { root: dirname(path), configPath: path };
  await agreeTo(project, { ...(await reviewOf(project)), state: [] });
}

export interface Agreed extends Pick<Review, "parts" | "files"> {
  /** What may run. */
  agreed: AgreedFiles;
}

/** How a configuration stands with what was agreed to, for one of its agents. */
export function agreedFor(config: Config, { name, workingDirectory }: AgentConfig): Agreed {
  if (config.acting.length === 0 && config.ownTexts.length === 0) return { parts: [], files: [], agreed: {} };
  const concerned = config.acting.filter((part) => part.agent === undefined || part.agent === name);
  const files = filesNamedIn(config, concerned, readTrusted());
  // Commands run in the agent's folder, or in a worktree of it.
  const agreed = files
    .filter((file) => !isOpen(file))
    .map(({ path, digest }) => [relative(workingDirectory, path), digest]);
  return {
    parts: concerned.filter(isOpen),
    files: files.filter(isOpen),
    agreed: Object.fromEntries(agreed),
  };
}

/** Those of the project that its parts name, or the user's own file. */
function filesNamedIn(config: Config, acting: readonly ActingPart[], trusted: Trusted): NamedFile[] {
  const folders = [
    ...new Set([config.root, ...config.agents.map(({ workingDirectory }) => workingDirectory)]),
  ];
  const own = { key: "your own file", texts: config.ownTexts };
  return namedFiles(folders, [...acting, own], trusted);
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
  const named = new Set(await placesIn(project));
  const below = realpathSync(project.root) + sep;
  const removed = Object.keys(readTrusted()).filter((place) => named.has(place) || place.startsWith(below));
  const target = removed.join(", ");
  if (removed.length > 0)
    await audited({ what: "trust --remove", target, project: project.root }, () => removeTrust(removed));
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
