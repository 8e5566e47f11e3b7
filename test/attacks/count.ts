import { expect } from "vitest";

/** What is tried, by name. It says what got through, or nothing. */
export type Attack = readonly [name: string, attempt: () => unknown];

/** Tries everything of a class, and says by name what got through. `least`: how many there must be. */
export async function expectNoEscape(attacks: readonly Attack[], least: number): Promise<void> {
  const escapes: string[] = [];
  for (const [name, attempt] of attacks) {
    const through = await attempt();
    if (through) escapes.push(`${name}: ${String(through)}`);
  }
  expect(escapes).toEqual([]);
  expect(new Set(attacks.map(([name]) => name)).size).toBeGreaterThanOrEqual(least);
}
