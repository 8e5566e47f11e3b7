import { basename, dirname, join, normalize } from "node:path";
import type { LivingDocumentConfig } from "../../config/config.ts";
import { type OpenFolder, openFolderInside, readInside, UnsafePathError } from "../../files/inside.ts";
import { replaceFile } from "../../files/replace.ts";
import { commitOnly, isUnmerged } from "../../git/commit.ts";
import type { Redact } from "../../secrets/redact.ts";
import { messageOf } from "../../util/errors.ts";
import type { HandoffDocument } from "../document.ts";
import { stamp, storeIn } from "../library.ts";
import { HANDOFF_LIMITS } from "../limits.ts";
import { filledTemplate, STANDARD_TEMPLATE } from "./living-template.ts";

/**
 * Brings the one document that an orchestrator keeps across many sessions up to date, and commits it and nothing else.
 * Returns what a person must know where that could not be done. Neither version is ever lost. Every path is taken inside
 * the workspace alone, and the whole text is redacted: what stood in the files before may be anybody's.
 */
export async function updateLivingDocument(
  folder: string,
  config: LivingDocumentConfig,
  handoff: HandoffDocument,
  { now, redact }: { now: Date; redact: Redact },
): Promise<string | undefined> {
  try {
    return await update(folder, config, handoff, now, redact);
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
  redact: Redact,
): Promise<string | undefined> {
  if (await isUnmerged(folder, config.path)) {
    const text = filledTemplate((await templateOf(folder, config)).text, handoff, "");
    await using beside = await folderFor(folder, dirname(config.path));
    const aside = await storeIn(beside, `handoff-${stamp(now)}`, redact(text));
    return `${config.path} has a merge conflict, so it was left as it is. The handoff is in ${join(folder, dirname(config.path), aside)}.`;
  }
  const present = (await readInside(folder, config.path, { mostBytes: HANDOFF_LIMITS.livingBytes })) ?? "";
  const outgrown = present.split("\n").length > config.sizeThreshold;
  const archived = outgrown ? await archive(folder, config, present, now, redact) : undefined;
  const template = await standingTemplate(folder, config);
  await replace(folder, config.path, redact(filledTemplate(template.text, handoff, outgrown ? "" : present)));
  if (!config.autoCommit) return undefined;
  return commitOnly(
    folder,
    [config.path, ...template.made, ...(archived ? [archived] : [])],
    "docs: handoff checkpoint",
    config.commitHooks,
  );
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
  { now, redact }: { now: Date; redact: Redact },
): Promise<{ archived: string; warning?: string }> {
  if (await isUnmerged(folder, config.path)) throw new LivingDocumentConflict(config.path);
  const present = (await readInside(folder, config.path)) ?? "";
  const archived = await archive(folder, config, present, now, redact);
  const template = await standingTemplate(folder, config);
  await replace(folder, config.path, redact(template.text));
  const warning = config.autoCommit
    ? await commitOnly(
        folder,
        [config.path, ...template.made, archived],
        "docs: archive the handoff document",
        config.commitHooks,
      )
    : undefined;
  return { archived, ...(warning && { warning }) };
}

/** Copied before the original is replaced, under a name that nothing else has. */
async function archive(
  folder: string,
  { archiveDir }: LivingDocumentConfig,
  text: string,
  now: Date,
  redact: Redact,
): Promise<string> {
  const toTheMinute = stamp(now).slice(0, -2);
  await using place = await folderFor(folder, archiveDir);
  return join(normalize(archiveDir), await storeIn(place, `HANDOFF-${toTheMinute}`, redact(text)));
}

/** The template of the project. Where there is none, the standard one becomes it, for people to change. */
async function standingTemplate(
  folder: string,
  config: LivingDocumentConfig,
): Promise<{ text: string; made: string[] }> {
  const { text, isThere } = await templateOf(folder, config);
  if (isThere) return { text, made: [] };
  await replace(folder, config.templatePath, text);
  return { text, made: [config.templatePath] };
}

async function templateOf(
  folder: string,
  { templatePath }: LivingDocumentConfig,
): Promise<{ text: string; isThere: boolean }> {
  const text = await readInside(folder, templatePath, { mostBytes: HANDOFF_LIMITS.templateBytes });
  return { text: text ?? STANDARD_TEMPLATE, isThere: text !== undefined };
}

const AS_USUAL = { mode: 0o777 };

async function folderFor(folder: string, path: string): Promise<OpenFolder> {
  const found = await openFolderInside(folder, path, { make: AS_USUAL });
  if (!found) throw new UnsafePathError(path, "not-a-folder");
  return found;
}

/** A link in its place would be replaced, not followed; it was refused before, when the document was read. */
async function replace(folder: string, path: string, text: string): Promise<void> {
  await using place = await folderFor(folder, dirname(path));
  await replaceFile(join(place.path, basename(path)), text);
}
