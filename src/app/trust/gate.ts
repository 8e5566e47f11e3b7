import type { AgentConfig, Config } from "../../config/config.ts";
import { findConfig } from "../../config/find.ts";
import type { ActingPart } from "../../config/trust/acting.ts";
import type { NamedFile } from "../../config/trust/named-files.ts";
import { shortPath } from "../../display/path.ts";
import { oneLine } from "../../display/style.ts";
import { masked } from "../../util/printable.ts";
import { UsageError } from "../usage-error.ts";
import { agreedFor } from "./review.ts";

/** The project would do something that nobody agreed to. */
export class UntrustedError extends UsageError {
  /** Without what stands there, which may be a secret: for what is kept. */
  readonly inBrief: string;

  constructor(message: string, inBrief: string) {
    super(message);
    this.inBrief = inBrief;
  }
}

/** Everything that starts a program passes here first. The agent comes back with the scripts that it may run. */
export function passGate(config: Config, agent: AgentConfig): AgentConfig {
  const { parts, files, agreed } = agreedFor(config, agent);
  if (parts.length === 0 && files.length === 0) return { ...agent, agreed };
  const names = [...parts.map(({ key }) => key), ...files.map(({ path }) => oneLine(shortPath(path)))];
  const review = `Review them, and trust them as they are now: ${trustCommand(config.path)}`;
  throw new UntrustedError(
    "This project's files do things that you have not agreed to on this machine:\n" +
      `${[...parts.map(partLines), ...files.map(fileLine)].join("\n")}\n` +
      review,
    `This project's files do things that you have not agreed to on this machine: ${names.join(", ")}. ${review}`,
  );
}

/** What to type, from where the user is. */
export function trustCommand(path: string | undefined): string {
  return path === undefined || path === findConfig(process.cwd())
    ? "baton trust"
    : `baton trust --config ${shortPath(path)}`;
}

/** In full: what is cut off could be what matters. */
function partLines({ file, line, key, shown, trust }: ActingPart): string {
  if (trust.state === "removed") return `  ${oneLine(shortPath(file))}  ${key} is gone; you had agreed to it`;
  const state = trust.state === "changed" ? "  (changed)" : "";
  return `  ${oneLine(shortPath(file))}:${line}  ${key}${state}\n${indented(shown)}`;
}

function fileLine({ path, by, trust }: NamedFile): string {
  const what = trust.state === "changed" ? "has changed since you agreed to it" : "has not been reviewed";
  return `  ${oneLine(shortPath(path))}, named by ${by.key}, ${what}`;
}

/** Whatever a screen would not show stands there as a sign, so that nothing passes unseen. */
export function indented(text: string): string {
  return text
    .split("\n")
    .map((line) => `      ${masked(line)}`)
    .join("\n");
}
