/** The rail, in the order of how often people go there. */
export const PAGES = [{ at: "/", name: "Board", key: "g b" }] as const;
