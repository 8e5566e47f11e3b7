/** US dollars a million tokens: what is sent, what of it was cached, what is answered. */
export type ListedPrice = readonly [input: number, cacheRead: number, output: number];

/**
 * List prices of OpenAI's API, standard tier, as they were published by that day. Codex tells no cost, and who signs in with a
 * plan pays otherwise: what follows from them is an estimate. A model that is not here has no known price.
 */
export const CODEX_PRICES: { date: string; models: Readonly<Record<string, ListedPrice>> } = {
  date: "2026-07-03",
  models: {
    "gpt-5.4-nano": [0.2, 0.02, 1.25],
    "gpt-5.4-mini": [0.75, 0.075, 4.5],
    "gpt-5.4": [2.5, 0.25, 15],
    "gpt-5.5": [5, 0.5, 30],
    "gpt-5.6-luna": [1, 0.1, 6],
    "gpt-5.6-terra": [2.5, 0.25, 15],
    "gpt-5.6-sol": [5, 0.5, 30],
  },
};
