import type { Models } from "../agent.ts";
import { claudeModels } from "../claude/windows.ts";

/** What the models of Gemini CLI have, which says nothing of it. */
const GEMINI = 1_048_576;

/** Most programs say how large the window is. Prices are of no use: no program tells its tokens by class. */
export const acpModels: Models = {
  ...claudeModels,
  windowOf: (model) => claudeModels.windowOf(model) ?? (/^gemini-/.test(model) ? GEMINI : undefined),
  priceOf: () => undefined,
};
