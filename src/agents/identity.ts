import { randomUUID } from "node:crypto";
import { ownerMark } from "./marked.ts";

/** Marks everything that the agents of this process start. One for the whole process, because it dies as one. */
export const ourMark = ownerMark(randomUUID());
