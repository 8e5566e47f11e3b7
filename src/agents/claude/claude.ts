import { claude as abilities } from "../../config/runtimes/claude.ts";
import type { Agent } from "../agent.ts";
import { fitVersion } from "../process/own-program.ts";
import { claudeBoxNeeds } from "./box.ts";
import { CLAUDE } from "./cli/program.ts";
import { claudeInstructions } from "./instructions.ts";
import { claudeProgram, claudeReadiness, NAME, thatIsThere } from "./program.ts";
import { claudeRepositoryFiles } from "./repository.ts";
import { SdkConnection } from "./sdk/connection.ts";
import { ClaudeSession } from "./session.ts";
import { claudeSignIn } from "./sign-in.ts";
import { findTranscript, sessionEvents } from "./transcripts.ts";
import { claudeVocabulary } from "./vocabulary.ts";
import { claudeModels } from "./windows.ts";

export const claude: Agent = {
  name: NAME,
  abilities,
  models: claudeModels,
  vocabulary: claudeVocabulary,
  ready: claudeReadiness,
  signIn: claudeSignIn,
  version: (program) => fitVersion(CLAUDE, program),
  repositoryFiles: claudeRepositoryFiles,
  instructions: claudeInstructions,
  boxNeeds: (setting) =>
    claudeBoxNeeds({ ...setting, program: thatIsThere(claudeProgram(setting.executable)) }, false),
  start: (spec) => new ClaudeSession(spec, (...given) => new SdkConnection(...given)),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};
