import type { Config } from "../../config/config.ts";
import { CHAT_SERVICES } from "../../job/status-words.ts";
import { messageOf } from "../../util/errors.ts";
import type { Finding } from "../plugin/doctor.ts";
import type { Project } from "../project.ts";
import { type Bot, botsOf } from "./bots.ts";
import { connectTo } from "./connect.ts";

const PATIENCE_MS = 20_000;

/** Whether the bots of a project could talk, asked of their services. */
export async function chatFindings(
  project: Pick<Project, "root">,
  config: Config,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Finding[]> {
  const { bots, unreachable } = botsOf([{ project, config }], env);
  const found = await Promise.all(bots.map((bot) => findingsOf(bot, env, bots.length > 1)));
  const missing = unreachable.map(({ why }): Finding => ({ name: "chat", state: "fail", found: why }));
  return [...missing, ...found.flat()];
}

async function findingsOf(
  bot: Bot,
  env: Readonly<Record<string, string | undefined>>,
  isOneOfSeveral: boolean,
): Promise<Finding[]> {
  const name = CHAT_SERVICES[bot.kind];
  const who = bot.speakers.map(({ agent }) => agent).join(", ");
  const whose = isOneOfSeveral ? `${who}: ` : "";
  try {
    const connector = await connectTo(bot, { env, tell: () => {} });
    const wrong = await connector.check(AbortSignal.timeout(PATIENCE_MS));
    if (wrong.length === 0) return [{ name, state: "ok", found: `it can talk (${who})` }];
    return wrong.map(({ problem, remedy }) => ({
      ...{ name, state: "fail", found: `${whose}${problem}`, fix: remedy },
    }));
  } catch (error) {
    return [{ name, state: "fail", found: `${whose}${messageOf(error)}` }];
  }
}
