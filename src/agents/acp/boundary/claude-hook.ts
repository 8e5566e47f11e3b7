import { isFields } from "../../../util/json.ts";
import { STOP_HERE } from "../../claude/boundary.ts";
import { HOOK_LIMIT_S, pastProxy } from "../../claude/cli/flags.ts";
import { Loopback } from "../../process/loopback.ts";
import type { Holds } from "./hold.ts";

const PATH = "/boundary";

/** Claude Code asks by a hook after the tools of an answer, and does so behind an adapter, too. */
export const claudeHook: Holds = async ({ env }, asks) => {
  const loopback = await Loopback.open({
    [PATH]: async (input) => {
      const isOfSubagent = isFields(input) && input.agent_id !== undefined;
      return isOfSubagent || (await asks()) === "go on" ? {} : STOP_HERE;
    },
  });
  const { url, headers, port, close } = loopback;
  const hook = { type: "http", url: url + PATH, headers, timeout: HOOK_LIMIT_S };
  return {
    env: pastProxy(env),
    settings: { hooks: { PostToolBatch: [{ hooks: [hook] }] } },
    port,
    stopsByAnswer: true,
    reset: () => {},
    close,
  };
};
