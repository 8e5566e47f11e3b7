/** A stream of numbers in [0, 1) that is the same for the same seed, on every machine. */
export type Random = () => number;

/** Mulberry32. The words of a name are mixed into the seed, so that each job has a stream of its own. */
export function randomFrom(seed: number, ...name: number[]): Random {
  let state = name.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e3779b1) + 0x85ebca6b, seed) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let word = Math.imul(state ^ (state >>> 15), state | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of the choices, each as likely as its weight says. */
export function pick<T extends string>(random: Random, weights: Partial<Record<T, number>>): T {
  const choices = (Object.entries(weights) as [T, number][]).filter(([, weight]) => weight > 0);
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  const last = choices.at(-1);
  if (!last) throw new Error("There is nothing to choose from.");
  return last[0];
}
