/** The rail, in the order of how often people go there. */
export const PAGES = [
  { at: "/", name: "Inbox", key: "g i" },
  { at: "/board", name: "Board", key: "g b" },
] as const;

export type PageAt = (typeof PAGES)[number]["at"];
