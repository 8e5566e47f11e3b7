import { readBoundedText } from "../files/bounded-file.ts";
import { messageOf } from "../util/errors.ts";
import { HANDOFF_LIMITS } from "./limits.ts";
import { sectionNamed, sectionsOf } from "./markdown.ts";

/** The sections that a user's template asks for, in its order. */
export interface Template {
  order: string[];
  /** Those that are not among our own. */
  extra: string[];
}

export class TemplateUnreadableError extends Error {
  override readonly name = "TemplateUnreadableError";

  constructor(path: string, cause: unknown) {
    super(`The handoff template ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
}

const NO_TEMPLATE: Template = { order: [], extra: [] };

/** For work that goes on: a template that has gone since it began must not stop it, but somebody should know. */
export async function templateInUse(
  path: string | undefined,
  warn: (message: string) => void,
): Promise<Template> {
  try {
    return await readTemplate(path);
  } catch (error) {
    if (!(error instanceof TemplateUnreadableError)) throw error;
    warn(error.message);
    return NO_TEMPLATE;
  }
}

export async function readTemplate(path: string | undefined): Promise<Template> {
  if (path === undefined) return NO_TEMPLATE;
  try {
    const order = sectionsOf(readBoundedText(path, HANDOFF_LIMITS.templateBytes)).map(({ title }) => title);
    if (order.length > HANDOFF_LIMITS.sections) {
      throw new Error(
        `it has ${order.length} sections, and ${HANDOFF_LIMITS.sections} is the most. Remove some.`,
      );
    }
    return { order, extra: order.filter((title) => sectionNamed(title) === undefined) };
  } catch (error) {
    throw new TemplateUnreadableError(path, error);
  }
}
