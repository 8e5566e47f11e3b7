import { randomUUID } from "node:crypto";
import { ownerMark } from "./marks.ts";

/** Marks everything that the agents of this process start: for its guard, since all of it dies with the process. */
export const ourMark = ownerMark(randomUUID());
