import { fileURLToPath } from "node:url";
import { typedAs } from "../processes/on-path.ts";

/** By which Baton starts itself. */
export const ownProgram = fileURLToPath(new URL("../../bin/baton.js", import.meta.url));

/** What a person types for Baton here. */
export const ownCommand = (env = process.env): string => typedAs("baton", ownProgram, env);
