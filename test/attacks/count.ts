import { afterAll, expect } from "vitest";

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

/** Counts what the tests of a file try, and says at their end by name what got through. `least`: how many there must be. */
export function counted(least: number): (name: string, gotThrough: boolean) => void {
  const escapes: string[] = [];
  let attempts = 0;
  afterAll(() => {
    expect(attempts).toBeGreaterThanOrEqual(least);
    expect(escapes).toEqual([]);
  });
  return (name, gotThrough) => {
    attempts++;
    if (gotThrough) escapes.push(name);
  };
}
