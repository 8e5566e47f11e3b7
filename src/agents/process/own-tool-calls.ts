import { messageOf } from "../../util/errors.ts";
import type { OwnTool, OwnTools } from "../agent.ts";

/** A tool as its program is offered it. */
export interface OfferedTool {
  name: string;
  description: string;
  /** JSON Schema. */
  parameters: Record<string, unknown>;
}

/** Baton's own tools, offered to a program and called by it. They and their schemas are loaded while the program starts. */
export class OwnToolCalls {
  readonly #own: OwnTools;
  #loaded: Promise<OwnTool[]> | undefined;
  #offered: Promise<OfferedTool[]> | undefined;

  constructor(own: OwnTools) {
    this.#own = own;
  }

  offered(): Promise<OfferedTool[]> {
    this.#offered ??= this.#offer();
    return this.#offered;
  }

  async call(name: string, given: unknown): Promise<{ ok: boolean; text: string }> {
    const [{ z }, tools] = await Promise.all([import("zod"), this.#tools()]);
    const tool = tools.find((each) => each.name === name);
    if (!tool) return { ok: false, text: `There is no tool ${name}.` };
    const { data, error } = z.object(tool.input).safeParse(given);
    if (!data) return { ok: false, text: z.prettifyError(error) };
    try {
      return await tool.call(data);
    } catch (failure) {
      return { ok: false, text: messageOf(failure) };
    }
  }

  async #offer(): Promise<OfferedTool[]> {
    const [{ z }, tools] = await Promise.all([import("zod"), this.#tools()]);
    return tools.map(({ name, description, input }) => {
      const { $schema: _, ...parameters } = z.toJSONSchema(z.object(input), { io: "input" });
      return { name, description, parameters };
    });
  }

  #tools(): Promise<OwnTool[]> {
    this.#loaded ??= this.#own.load();
    return this.#loaded;
  }
}
