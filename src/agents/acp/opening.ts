import { isFields } from "../../util/json.ts";
import type { SessionSpec } from "../agent.ts";
import { textField } from "../call-input.ts";
import { OWN_SERVER } from "../process/own-tools-server.ts";
import { hello } from "./hello.ts";
import type { Beside, Quirks } from "./quirks.ts";
import type { Fields, Rpc } from "./rpc.ts";
import { serversFor } from "./servers.ts";
import { fieldsIn } from "./told/tools.ts";

/** A session of the program, before it was told anything. */
export interface Opened {
  /** What the program calls it. */
  programSession: string;
  model: string;
  /** Of the program, with its version. */
  program: string;
  /** What goes before the first message, because the program has no other place for it. */
  preface?: string;
}

/** The program has no such session, or could never continue one. */
export class LostSessionError extends Error {}

interface OpenOptions {
  spec: SessionSpec;
  quirks: Quirks;
  /** As people know the program. */
  name: string;
  /** Of the session to be continued. */
  programSession?: string;
  beside: Beside;
}

export async function openSession(rpc: Rpc, options: OpenOptions): Promise<Opened> {
  const { spec, quirks, name, beside } = options;
  const { ownServer } = beside;
  const { agentCapabilities, agentInfo } = await hello(rpc, name);
  const can = fieldsIn(agentCapabilities);
  const hasPlace = isFields(fieldsIn(can.sessionCapabilities).systemPrompt);
  const { systemPrompt } = spec;
  const servers = quirks.more ? {} : { ...spec.mcpServers, ...(ownServer && { [OWN_SERVER]: ownServer }) };
  const setting = {
    cwd: spec.cwd,
    mcpServers: serversFor(servers, can, name),
    ...(hasPlace &&
      systemPrompt !== undefined && {
        systemPrompt: { mode: "append", content: [{ type: "text", text: systemPrompt }] },
      }),
    ...quirks.more?.(spec, beside),
  };
  const begun = await begin(rpc, can, setting, options);
  const programSession = options.programSession ?? textField(begun, "sessionId") ?? "";
  await setMode(rpc, programSession, begun, options);
  const model = await setModel(rpc, programSession, begun, options);
  return {
    programSession,
    model,
    program: [quirks.name ?? textField(agentInfo, "title") ?? name, textField(agentInfo, "version")]
      .filter(Boolean)
      .join(" "),
    ...(!hasPlace && systemPrompt !== undefined && !spec.resume && { preface: systemPrompt }),
  };
}

async function begin(rpc: Rpc, can: Fields, setting: Fields, options: OpenOptions): Promise<Fields> {
  if (!options.spec.resume) return rpc.ask("session/new", setting);
  const { programSession: sessionId, name } = options;
  const isResumed = isFields(fieldsIn(can.sessionCapabilities).resume);
  if (sessionId === undefined || !(isResumed || can.loadSession === true))
    throw new LostSessionError(`${name} cannot continue a session whose program has ended.`);
  try {
    return await rpc.ask(isResumed ? "session/resume" : "session/load", { ...setting, sessionId });
  } catch (error) {
    throw new LostSessionError(`${name} does not continue the session: ${(error as Error).message}`);
  }
}

/** Of a program that has no such mode, its questions are answered by the mode all the same. */
async function setMode(
  rpc: Rpc,
  sessionId: string,
  begun: Fields,
  { spec, quirks }: OpenOptions,
): Promise<void> {
  const wanted = quirks.modes[spec.permissionMode ?? ""] ?? [];
  const { currentModeId, availableModes } = fieldsIn(begun.modes);
  const offered = Array.isArray(availableModes) ? availableModes.map((mode) => textField(mode, "id")) : [];
  const modeId = wanted.find((mode) => offered.includes(mode));
  if (modeId === undefined || modeId === currentModeId) return;
  // Some refuse a mode where the folder is not trusted: they ask then, and are answered.
  await rpc.ask("session/set_mode", { sessionId, modeId }).catch(() => {});
}

/** The model that the session runs on. Throws where it cannot be the one that is wanted. */
async function setModel(
  rpc: Rpc,
  sessionId: string,
  begun: Fields,
  { spec, quirks, name }: OpenOptions,
): Promise<string> {
  const option = (Array.isArray(begun.configOptions) ? begun.configOptions : [])
    .filter(isFields)
    .find(({ category }) => category === "model");
  const { currentModelId, availableModels } = fieldsIn(begun.models);
  const current =
    textField(option, "currentValue") ?? (typeof currentModelId === "string" ? currentModelId : "");
  const { model } = spec;
  if (model === undefined || model === current || quirks.takesModel) return model ?? (current || name);
  const offered = option
    ? {
        method: "session/set_config_option",
        params: { configId: option.id, value: model },
        names: namesIn(option.options),
      }
    : { method: "session/set_model", params: { modelId: model }, names: namesIn(availableModels) };
  try {
    await rpc.ask(offered.method, { sessionId, ...offered.params });
    return model;
  } catch (error) {
    const names = offered.names.length > 0 ? `it has ${offered.names.join(", ")}` : (error as Error).message;
    throw new Error(`${name} does not run on the model ${model}: ${names}. Set model, or leave it out.`);
  }
}

/** Of models, as the program has them. */
function namesIn(offered: unknown): string[] {
  const list = Array.isArray(offered) ? offered : [];
  return list.flatMap((each) => textField(each, "value") ?? textField(each, "modelId") ?? []);
}
