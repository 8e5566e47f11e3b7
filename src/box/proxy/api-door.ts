/** How the model of a program in a box is reached from outside, which has what it signs in with. */
export interface ApiDoor {
  /** The address that requests go to; their path is added to it. */
  upstream: string;
  /** What signs in, in place of what the program sends. */
  headers: Record<string, string>;
  /** Headers in which the program sends its token, and which go no further. */
  tokenHeaders: readonly string[];
  /** Reads what an answer cost, piece by piece. */
  meter: () => Meter;
  /** An answer that the program understands as a refusal. */
  refusal: (message: string) => string;
}

export interface Meter {
  read(text: string): void;
  /** By list prices, as far as they are known. */
  readonly costUsd: number;
}
