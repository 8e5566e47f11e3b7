/** How much of each thing the facts in a document show. What they leave out is beside the document, or in the journal. */
export interface Sizes {
  /** Characters of all that the user said. */
  words: number;
  constraints: number;
  changed: number;
  read: number;
  commands: number;
  /** Commands beyond those that were run more than once. */
  repeated: number;
  commits: number;
  changes: number;
  /** Characters of the last test run, and of the last error. */
  output: number;
  error: number;
  /** Of the working set. */
  names: number;
  seen: number;
}

/** From roomy to tight: the first that fits. */
export const SIZES: readonly [Sizes, ...Sizes[]] = [
  {
    words: 8_000,
    constraints: 40,
    changed: 80,
    read: 60,
    commands: 16,
    repeated: 8,
    commits: 30,
    changes: 80,
    output: 600,
    error: 1_500,
    names: 140,
    seen: 45,
  },
  {
    words: 5_000,
    constraints: 30,
    changed: 50,
    read: 30,
    commands: 12,
    repeated: 6,
    commits: 15,
    changes: 40,
    output: 500,
    error: 900,
    names: 100,
    seen: 35,
  },
  {
    words: 2_500,
    constraints: 15,
    changed: 25,
    read: 15,
    commands: 8,
    repeated: 4,
    commits: 8,
    changes: 20,
    output: 400,
    error: 500,
    names: 60,
    seen: 20,
  },
];
