/** The rail, in the order of how often people go there. */
export const PAGES = [
  { at: "/", name: "Inbox", key: "g i" },
  { at: "/board", name: "Board", key: "g b" },
  { at: "/schedules", name: "Schedules", key: "g s" },
  { at: "/work", name: "Work", key: "g w" },
  { at: "/spend", name: "Spend", key: "g p" },
  { at: "/agents", name: "Agents", key: "g a" },
  { at: "/sessions", name: "Own sessions", key: "g o" },
  { at: "/health", name: "Health", key: "g h" },
  { at: "/activity", name: "Activity", key: "g y" },
  { at: "/settings", name: "Settings", key: "g ," },
] as const;

export type PageAt = (typeof PAGES)[number]["at"];
