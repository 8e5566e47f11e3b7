import { z } from "zod";
import type { OwnTool, OwnTools } from "../agent.ts";
import type { Beginning } from "./extension.ts";
import { ownToolName, plainToolName } from "./tools.ts";

/** Baton's own tools, as its extension offers them in pi. */
export class OwnToolCalls {
  readonly #own: OwnTools;
  #loaded: Promise<OwnTool[]> | undefined;

  constructor(own: OwnTools) {
    this.#own = own;
  }

  async offered(): Promise<Beginning["tools"]> {
    return (await this.#tools()).map(({ name, description, input }) => {
      const { $schema: _, ...parameters } = z.toJSONSchema(z.object(input), { io: "input" });
      return { name: ownToolName(name), description, parameters };
    });
  }

  async call(name: string, given: unknown): Promise<{ ok: boolean; text: string }> {
    const tool = (await this.#tools()).find((each) => each.name === plainToolName(name));
    if (!tool) return { ok: false, text: `There is no tool ${name}.` };
    const { data, error } = z.object(tool.input).safeParse(given);
    return data ? tool.call(data) : { ok: false, text: z.prettifyError(error) };
  }

  #tools(): Promise<OwnTool[]> {
    this.#loaded ??= this.#own.load();
    return this.#loaded;
  }
}
