import { inUnits, readBeginning, readBoundedText } from "../files/bounded-file.ts";
import { FRONT_MATTER_CHARACTERS, hasOverlongFront } from "../util/front-matter.ts";
import { HANDOFF_LIMITS } from "./limits.ts";

class FrontMatterTooLongError extends Error {
  override readonly name = "FrontMatterTooLongError";

  constructor(path: string) {
    super(
      `The front matter of ${path} is longer than ${inUnits(FRONT_MATTER_CHARACTERS)}. Shorten what stands between its lines of dashes.`,
    );
  }
}

/** The text of a handoff document, whoever wrote it. Throws what says why it is not read. */
export function readDocumentText(path: string): string {
  const text = readBoundedText(path, HANDOFF_LIMITS.documentBytes);
  if (hasOverlongFront(text)) throw new FrontMatterTooLongError(path);
  return text;
}

/** The same, and empty where it cannot be read. */
export function documentTextOrNone(path: string): string {
  try {
    return readDocumentText(path);
  } catch {
    return "";
  }
}

/** The beginning of a document, with its front matter and its goal: for lists. Empty where it cannot be read. */
export function beginningOfDocument(path: string): string {
  try {
    return readBeginning(path, HANDOFF_LIMITS.headBytes);
  } catch {
    return "";
  }
}
