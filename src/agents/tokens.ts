/** What a character of a tool's result comes to, on real transcripts. A session's own measure takes its place. */
export const TOKENS_A_CHARACTER = 0.37;
