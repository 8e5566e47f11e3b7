import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LivingDocumentConfig } from "../config/config.ts";
import { readBoundedText } from "../files/bounded-file.ts";
import { readIfThere } from "../files/read-if-there.ts";
import { replaceFile } from "../files/replace.ts";
import { commitOnly, isUnmerged } from "../git/commit.ts";
import { messageOf } from "../util/errors.ts";
import type { HandoffDocument } from "./document.ts";
import { stamp, storeDocument } from "./library.ts";
import { HANDOFF_LIMITS } from "./limits.ts";
import { filledTemplate, STANDARD_TEMPLATE } from "./living-template.ts";

/**
 * Brings the one document that an orchestrator keeps across many sessions up to date, and commits it and nothing else.
 * Returns what a person must know where that could not be done. Neither version is ever lost.
 */
export async function updateLivingDocument(
  folder: string,
  config: LivingDocumentConfig,
  handoff: HandoffDocument,
  now: Date,
): Promise<string | undefined> {
  try {
    return await update(folder, config, handoff, now);
  } catch (error) {
    const why = messageOf(error);
    return `${config.path} could not be brought up to date: ${why}`;
  }
}

async function update(
  folder: string,
  config: LivingDocumentConfig,
  handoff: HandoffDocument,
  now: Date,
): Promise<string | undefined> {
  const path = join(folder, config.path);
  if (await isUnmerged(folder, config.path)) {
    const aside = await storeDocument(
      dirname(path),
      now,
      filledTemplate(await templateOf(folder, config), handoff, ""),
    );
    return `${config.path} has a merge conflict, so it was left as it is. The handoff is in ${aside}.`;
  }
  const present = (await readIfThere(path, HANDOFF_LIMITS.livingBytes)) ?? "";
  const outgrown = present.split("\n").length > config.sizeThreshold;
  const archived = outgrown ? await archive(folder, config, now) : undefined;
  const template = await templateOf(folder, config);
  await replace(path, filledTemplate(template, handoff, outgrown ? "" : present));
  if (!config.autoCommit) return undefined;
  return commitOnly(folder, [config.path, ...(archived ? [archived] : [])], "docs: handoff checkpoint");
}

export class LivingDocumentConflict extends Error {
  override readonly name = "LivingDocumentConflict";

  constructor(path: string) {
    super(`${path} has a merge conflict, so it was left as it is. Resolve it, then archive it.`);
  }
}

/** Moves the living document to the archive and begins it afresh from the template. By hand, or when it has outgrown. */
export async function archiveLivingDocument(
  folder: string,
  config: LivingDocumentConfig,
  now: Date,
): Promise<{ archived: string; warning?: string }> {
  if (await isUnmerged(folder, config.path)) throw new LivingDocumentConflict(config.path);
  const archived = await archive(folder, config, now);
  await replace(join(folder, config.path), await templateOf(folder, config));
  const warning = config.autoCommit
    ? await commitOnly(folder, [config.path, archived], "docs: archive the handoff document")
    : undefined;
  return { archived, ...(warning && { warning }) };
}

/** Copied before the original is replaced, under a name that nothing else has. */
async function archive(folder: string, config: LivingDocumentConfig, now: Date): Promise<string> {
  const text = readBoundedText(join(folder, config.path), HANDOFF_LIMITS.livingBytes);
  const toTheMinute = stamp(now).slice(0, -2);
  const name = `HANDOFF-${toTheMinute}`;
  const path = await storeDocument(join(folder, config.archiveDir), now, text, name);
  return path.slice(folder.length + 1);
}

async function templateOf(folder: string, { templatePath }: LivingDocumentConfig): Promise<string> {
  return (await readIfThere(join(folder, templatePath), HANDOFF_LIMITS.templateBytes)) ?? STANDARD_TEMPLATE;
}

async function replace(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, text);
}
