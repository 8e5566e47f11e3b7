/** With this begin the ids of all answers of Baton's own simulator, whichever API it speaks. Nobody is paid for them. */
export const SIMULATED = "sim01";

/** By the answer itself, not by who was asked: settings can send a request elsewhere. */
export function isSimulated({ id }: { id: string }): boolean {
  return id.slice(id.indexOf("_") + 1).startsWith(SIMULATED);
}
