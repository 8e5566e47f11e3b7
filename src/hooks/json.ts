/** What the text says, or undefined where it is no JSON. */
export function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
