import type { Agent } from "../agent.ts";
import { claudeReadiness, claudeVersion, NAME } from "./program.ts";
import { ClaudeSession } from "./session.ts";
import { findTranscript, sessionEvents } from "./transcripts.ts";
import { claudeModels } from "./windows.ts";

export const claude: Agent = {
  name: NAME,
  models: claudeModels,
  ready: claudeReadiness,
  version: claudeVersion,
  start: (spec) => new ClaudeSession(spec),
  findTranscript: ({ sessionId, env }) => findTranscript(env, sessionId),
  readTranscript: ({ sessionId, env }) => sessionEvents(env, sessionId),
};
