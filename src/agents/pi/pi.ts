import { pi as abilities } from "../../config/runtimes/pi.ts";
import type { Agent } from "../agent.ts";
import { versionSaidBy } from "../process/own-program.ts";
import { piBoxNeeds } from "./box/needs.ts";
import { piModels, piVocabulary } from "./models.ts";
import { NAME, piReadiness } from "./program.ts";
import { piInstructions, piRepositoryFiles } from "./repository.ts";
import { PiSession } from "./session.ts";
import { findTranscript, sessionEvents } from "./transcript.ts";

/** pi, through its RPC mode and an extension of Baton's. */
export const pi: Agent = {
  name: NAME,
  abilities,
  models: piModels,
  vocabulary: piVocabulary,
  ready: piReadiness,
  version: versionSaidBy,
  repositoryFiles: piRepositoryFiles,
  instructions: piInstructions,
  boxNeeds: piBoxNeeds,
  start: (spec) => new PiSession(spec),
  findTranscript,
  readTranscript: sessionEvents,
};
