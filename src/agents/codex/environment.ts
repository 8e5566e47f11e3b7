/** What Codex puts into the environment of all that it starts. */
export const MARKS_OF_A_SESSION: readonly string[] = [
  "CODEX_CI",
  "CODEX_SESSION_ID",
  "CODEX_THREAD_ID",
  "CODEX_TOOL_CALL_ID",
  "CODEX_VERSION",
  "CODEX_MANAGED_BY_NPM",
  "CODEX_MANAGED_PACKAGE_ROOT",
];
