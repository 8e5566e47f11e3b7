import { claudeCli as abilities } from "../../../config/runtimes/claude-cli.ts";
import type { Agent } from "../../agent.ts";
import { fitVersion, placeOf } from "../../process/own-program.ts";
import { claudeBoxNeeds } from "../box.ts";
import { claudeInstructions } from "../instructions.ts";
import { NAME, thatIsThere } from "../program.ts";
import { claudeRepositoryFiles } from "../repository.ts";
import { ClaudeSession } from "../session.ts";
import { claudeSignIn } from "../sign-in.ts";
import { findTranscript, sessionEvents } from "../transcripts.ts";
import { claudeVocabulary } from "../vocabulary.ts";
import { claudeModels } from "../windows.ts";
import { CliConnection } from "./connection.ts";
import { CLAUDE, cliReadiness } from "./program.ts";

/** All of Claude Code's adapter but the way to its program. */
export const claudeCli: Agent = {
  name: NAME,
  abilities,
  models: claudeModels,
  vocabulary: claudeVocabulary,
  ready: cliReadiness,
  signIn: claudeSignIn,
  version: (program) => fitVersion(CLAUDE, program),
  repositoryFiles: claudeRepositoryFiles,
  instructions: claudeInstructions,
  boxNeeds: (setting) =>
    claudeBoxNeeds(
      { ...setting, program: thatIsThere(placeOf(CLAUDE, setting.env, setting.executable)) },
      true,
    ),
  start: (spec) => new ClaudeSession(spec, (...given) => new CliConnection(...given)),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};
