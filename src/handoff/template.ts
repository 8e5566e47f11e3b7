import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import type { AgentConfig } from "../config/config.ts";
import { readInside, readRegular } from "../files/inside.ts";
import { messageOf } from "../util/errors.ts";
import { isInstructions } from "./instructions.ts";
import { HANDOFF_LIMITS } from "./limits.ts";
import { sectionNamed } from "./markdown.ts";
import { sectionsOf } from "./text/sections.ts";

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

type TemplateConfig = Pick<AgentConfig["handoff"], "templatePath" | "templateWithin">;

const NO_TEMPLATE: Template = { order: [], extra: [] };

/** For work that goes on: a template that has gone since it began must not stop it, but somebody should know. */
export async function templateInUse(
  config: TemplateConfig,
  warn: (message: string) => void,
): Promise<Template> {
  try {
    return await readTemplate(config);
  } catch (error) {
    if (!(error instanceof TemplateUnreadableError)) throw error;
    warn(error.message);
    return NO_TEMPLATE;
  }
}

export async function readTemplate({
  templatePath: path,
  templateWithin,
}: TemplateConfig): Promise<Template> {
  if (path === undefined) return NO_TEMPLATE;
  try {
    const order = sectionsOf(await textOf(path, templateWithin)).map(({ title }) => title);
    if (order.length > HANDOFF_LIMITS.sections) {
      throw new Error(
        `it has ${order.length} sections, and ${HANDOFF_LIMITS.sections} is the most. Remove some.`,
      );
    }
    // Instructions are Baton's own part, wherever a template has a place for them.
    const extra = order.filter((title) => sectionNamed(title) === undefined && !isInstructions(title));
    return { order, extra };
  } catch (error) {
    throw new TemplateUnreadableError(path, error);
  }
}

/** The user's own may be anywhere. That of a project is inside it, and no link. */
async function textOf(path: string, within: string | undefined): Promise<string> {
  const text =
    within === undefined
      ? await readRegular(await realpath(path), { sharedNames: true })
      : await readInside(within, relative(within, path));
  if (text === undefined) throw new Error("there is no such file");
  return text;
}
