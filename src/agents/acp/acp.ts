import { ACP_PRESETS, acp as abilities, acpPresetIn } from "../../config/runtimes/acp.ts";
import type { Agent } from "../agent.ts";
import { claudeVocabulary } from "../claude/vocabulary.ts";
import { ownEnvironment } from "../own-environment.ts";
import { acpBoxNeeds, acpInside } from "./box.ts";
import { acpModels } from "./models.ts";
import { acpReadiness, acpVersion, type Command, commandIn, nameOf } from "./program.ts";
import { quirksOf } from "./quirks.ts";
import { acpInstructions, acpRepositoryFiles, canLeaveOut } from "./repository.ts";
import { AcpSession } from "./session.ts";
import { findTranscript, readTranscript } from "./transcript/transcript.ts";

/** Nobody has agreed yet to what the configuration says: nothing is started before. */
const NO_COMMAND: Command = ["acp"];

/** The adapter of a program that speaks the Agent Client Protocol, by what starts it. */
export function acpAgent(command: Command = NO_COMMAND): Agent {
  const preset = acpPresetIn(command);
  const name = nameOf(command);
  const boxNeeds = acpBoxNeeds(preset, command);
  return {
    name,
    abilities: preset === undefined ? abilities : ACP_PRESETS[preset].abilities,
    models: acpModels,
    vocabulary: preset === "claude-agent-acp" ? claudeVocabulary : { commandRules: () => [] },
    ready: (setting) => acpReadiness(command, setting),
    version: (program) => acpVersion([program, ...command.slice(1)], ownEnvironment()),
    repositoryFiles: (folder) => acpRepositoryFiles(preset, folder),
    instructions: (folder) => acpInstructions(preset, folder),
    ...(boxNeeds && { boxNeeds }),
    start: (spec) =>
      new AcpSession(spec, {
        name,
        command: spec.box ? acpInside(command, spec).command : (commandIn(command, spec) ?? command),
        quirks: quirksOf(preset),
        leavesOut: canLeaveOut(preset),
      }),
    findTranscript,
    readTranscript,
  };
}
