import { codex as abilities } from "../../config/runtimes/codex.ts";
import type { Agent } from "../agent.ts";
import { instructionsIn } from "../instruction-files.ts";
import { fitVersion, placeOf } from "../process/own-program.ts";
import { nativeProgram } from "./box/native-program.ts";
import { codexBoxNeeds } from "./box/needs.ts";
import { codexSignIn } from "./credentials.ts";
import { codexModels } from "./models.ts";
import { CODEX, codexReadiness, NAME } from "./program.ts";
import { codexRepositoryFiles } from "./repository.ts";
import { CodexSession } from "./session.ts";
import { findTranscript, sessionEvents } from "./transcripts.ts";

export const codex: Agent = {
  name: NAME,
  abilities,
  models: codexModels,
  // It has no rules for single commands.
  vocabulary: { commandRules: () => [] },
  ready: codexReadiness,
  signIn: codexSignIn,
  version: (program) => fitVersion(CODEX, program),
  repositoryFiles: codexRepositoryFiles,
  instructions: (folder) => instructionsIn(folder, async () => abilities.instructions),
  boxNeeds: (setting) =>
    codexBoxNeeds({ ...setting, program: nativeProgram(placeOf(CODEX, setting.env, setting.executable)) }),
  start: (spec) => new CodexSession(spec),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};
