/** What pi puts into the environment of all that it starts. */
export const MARKS_OF_A_SESSION: readonly string[] = [
  "AI_AGENT",
  "PI_CODING_AGENT",
  "PI_SESSION_ID",
  "PI_SESSION_FILE",
  "PI_PROVIDER",
  "PI_MODEL",
  "PI_REASONING_LEVEL",
];
