/** What Baton keeps of people's own sessions is small. What is larger was not written by it, or has gone wrong. */
export const SESSION_LIMITS = {
  /** Of one session's file in the registry. */
  recordBytes: 1024 * 1024,
  /** Sessions that are looked at: old ones are forgotten long before. */
  records: 5_000,
  /** Of the facts at a handoff, with every message of the user's. */
  factsBytes: 64 * 1024 * 1024,
  /** Messages that wait for a session, the newest, and the characters of each. */
  mail: 100,
  mailText: 2_000,
  /** Of the file that says that a handoff waits. */
  pendingBytes: 64 * 1024,
} as const;
