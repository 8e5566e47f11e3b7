/** Far more than any handoff takes, and little enough to be read at once. */
export const HANDOFF_LIMITS = {
  documentBytes: 4 * 1024 * 1024,
  /** What stands beside a document: all that a user ever said. */
  appendixBytes: 64 * 1024 * 1024,
  livingBytes: 1024 * 1024,
  templateBytes: 1024 * 1024,
  /** Of a template. */
  sections: 100,
  /** What lists of documents show is at their beginning. */
  headBytes: 256 * 1024,
  /** Characters of one text of an account, and of a text in one line. */
  text: 100_000,
  line: 10_000,
  /** Characters of all texts of an account. */
  account: 1_000_000,
  /** Entries of one list of an account. */
  entries: 2_000,
  /** Characters of a report: one row of a table that is read again and again. */
  report: 500,
  /** Constraints of the user that are looked for word for word. */
  constraints: 2_000,
} as const;
