import type { Abilities } from "./abilities.ts";
import { claude } from "./claude.ts";

/** The same program, and the same messages: only the way to them differs. */
export const claudeCli: Abilities = {
  ...claude,
  drives: "your own `claude`, through its documented options",
};
