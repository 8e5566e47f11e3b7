import { pi as abilities } from "../../config/runtimes/pi.ts";
import type { Agent } from "../agent.ts";
import { fitVersion } from "../process/own-program.ts";
import { piBoxNeeds } from "./box/needs.ts";
import { piModels, piVocabulary } from "./models.ts";
import { NAME, PI, piReadiness } from "./program.ts";
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
  version: (program) => fitVersion(PI, program),
  repositoryFiles: piRepositoryFiles,
  instructions: piInstructions,
  boxNeeds: piBoxNeeds,
  start: (spec) => new PiSession(spec),
  findTranscript,
  readTranscript: sessionEvents,
};
