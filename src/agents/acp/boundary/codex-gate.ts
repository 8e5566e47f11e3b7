import { fromJson, isFields } from "../../../util/json.ts";
import { Gate } from "../../codex/boundary/gate.ts";
import { HOOK_LIMIT_S } from "../../codex/thread.ts";
import type { Fields } from "../rpc.ts";
import { fieldsIn } from "../told/tools.ts";
import { Bell } from "./bell.ts";
import type { Holds } from "./hold.ts";

/** By which codex-acp is given settings for all its sessions. */
const CONFIG = "CODEX_CONFIG";

/** Codex waits in a hook before each request to its model, and does so behind codex-acp, too. */
export const codexGate: Holds = async ({ env, box }, asks) => {
  // What of it may be seen inside is the user's matter.
  if (box && env[CONFIG]) return undefined;
  const gate = await Gate.open(box?.folder);
  let waiting = 0;
  try {
    const bell = await Bell.open(box?.folder, () => {
      waiting++;
      void asks().then((decision) => {
        if (decision === "stop") return;
        waiting--;
        gate.pass();
      });
    });
    const close = () => {
      bell.close();
      gate.close();
    };
    const config = withHook(fieldsIn(fromJson(env[CONFIG] ?? "")), `${bell.command} && { ${gate.command}; }`);
    return {
      env: { [CONFIG]: JSON.stringify(config) },
      stopsByAnswer: false,
      reset() {
        gate.reset(waiting > 0);
        waiting = 0;
      },
      close,
    };
  } catch (error) {
    gate.close();
    throw error;
  }
};

function withHook(config: Fields, command: string): Fields {
  const hooks = fieldsIn(config.hooks);
  const theirs = Array.isArray(hooks.PreModelRequest) ? hooks.PreModelRequest.filter(isFields) : [];
  const ours = { hooks: [{ type: "command", command, timeout: HOOK_LIMIT_S }] };
  return {
    ...config,
    bypass_hook_trust: true,
    hooks: { ...hooks, PreModelRequest: [...theirs, ours] },
    // They would wait at the same gate as the main thread.
    features: { ...fieldsIn(config.features), multi_agent: false, multi_agent_v2: false },
  };
}
