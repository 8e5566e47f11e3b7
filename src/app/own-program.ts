import { fileURLToPath } from "node:url";

/** By which Baton starts itself. */
export const ownProgram = fileURLToPath(new URL("../../bin/baton.js", import.meta.url));
