import { nearest } from "../../util/nearest.ts";
import type { Models, Vocabulary } from "../agent.ts";
import { PI_TOOLS } from "./tools.ts";

/** pi runs on the models of many providers. It tells their windows and prices itself once it runs, and nobody knows them before. */
export const piModels: Models = {
  windowOf: () => undefined,
  windowKey: plainName,
  isSameModel,
  priceOf: () => undefined,
};

const THINKING = /:(?:off|minimal|low|medium|high|xhigh|max)$/;

/** A model may be asked for with how much it is to think. */
function plainName(model: string): string {
  return model.replace(THINKING, "");
}

/** The provider may be left out. */
function isSameModel(one: string, other: string): boolean {
  const [a, b] = [plainName(one), plainName(other)];
  return a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`);
}

export const piVocabulary: Vocabulary = {
  // Nothing is asked about, so nothing needs to be allowed.
  commandRules: () => [],
  meant(kind, written) {
    if (kind === "model" || PI_TOOLS.includes(written)) return undefined;
    return nearest(written, PI_TOOLS);
  },
};
