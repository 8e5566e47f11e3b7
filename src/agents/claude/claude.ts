import { claude as abilities } from "../../config/runtimes/claude.ts";
import type { Agent } from "../agent.ts";
import { versionSaidBy } from "../process/own-program.ts";
import { claudeBoxNeeds } from "./box.ts";
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
  version: versionSaidBy,
  repositoryFiles: claudeRepositoryFiles,
  instructions: claudeInstructions,
  boxNeeds: (setting) =>
    claudeBoxNeeds({ ...setting, program: thatIsThere(claudeProgram(setting.executable)) }, false),
  start: (spec) => new ClaudeSession(spec, (...given) => new SdkConnection(...given)),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};
