import { createHash } from "node:crypto";
import type { ChatConfig, ChatServiceConfig } from "../../config/chat-config.ts";
import type { AgentConfig } from "../../config/config.ts";
import type { ChatKind } from "../../connectors/connector.ts";
import { CHAT_SERVICES } from "../../job/status-words.ts";
import type { FleetProject } from "../fleet/projects.ts";

/** An agent as it speaks through one bot. */
export interface Speaker {
  project: string;
  agent: string;
  service: ChatServiceConfig;
  chat: ChatConfig;
}

/** One account in one service, however many agents speak through it. */
export interface Bot {
  /** Tells it apart from others, without saying its token. */
  key: string;
  kind: ChatKind;
  token: string;
  appToken?: string;
  speakers: Speaker[];
}

/** A bot that nobody can reach. */
interface Unreachable {
  project: string;
  why: string;
}

/** All bots that the agents of these projects speak through, by the tokens that are there now. */
export function botsOf(
  projects: readonly Pick<FleetProject, "project" | "config">[],
  env: Readonly<Record<string, string | undefined>>,
): { bots: Bot[]; unreachable: Unreachable[] } {
  const bots = new Map<string, Bot>();
  /** Of Slack, which deals the events of an app out between its connections. */
  const apps = new Map<string, Bot>();
  const unreachable: Unreachable[] = [];
  for (const { project, config } of projects) {
    for (const { name: agent, chat } of config.agents) {
      for (const service of chat?.services ?? []) {
        if (!chat) continue;
        const found = chat.fake ? TERMINAL : tokensOf(service, env);
        if ("missing" in found) {
          unreachable.push({ project: project.root, why: missing(agent, service, found.missing) });
          continue;
        }
        const kind = chat.fake ? "terminal" : service.service;
        const key = `${kind}:${digest(found.token)}`;
        const bot = bots.get(key) ?? { ...found, key, kind, speakers: [] };
        const first = bot.appToken === undefined ? bot : (apps.get(bot.appToken) ?? bot);
        if (first !== bot) {
          unreachable.push({ project: project.root, why: sharedApp(agent, service, first) });
          continue;
        }
        if (bot.appToken !== undefined) apps.set(bot.appToken, bot);
        bot.speakers.push({ project: project.root, agent, service, chat });
        bots.set(key, bot);
      }
    }
  }
  return { bots: [...bots.values()], unreachable };
}

const TERMINAL = { token: "" };

/** The variables with tokens of bots: what an agent starts has no use for them. */
export function tokenVariables(agents: readonly Pick<AgentConfig, "chat">[]): string[] {
  const services = agents.flatMap(({ chat }) => chat?.services ?? []);
  return services.flatMap(({ tokenEnv, appTokenEnv }) => [tokenEnv, appTokenEnv ?? ""]).filter(Boolean);
}

function tokensOf(
  { tokenEnv, appTokenEnv }: ChatServiceConfig,
  env: Readonly<Record<string, string | undefined>>,
): { token: string; appToken?: string } | { missing: string[] } {
  const token = env[tokenEnv]?.trim();
  const appToken = appTokenEnv === undefined ? undefined : env[appTokenEnv]?.trim();
  const without = [
    ...(token ? [] : [tokenEnv]),
    ...(appTokenEnv === undefined || appToken ? [] : [appTokenEnv]),
  ];
  if (!token || without.length > 0) return { missing: without };
  return { token, ...(appToken && { appToken }) };
}

function missing(agent: string, { service }: ChatServiceConfig, variables: readonly string[]): string {
  const [are, them] = variables.length > 1 ? ["are", "them"] : ["is", "it"];
  return `${agent} does not answer in ${CHAT_SERVICES[service]}: ${variables.join(" and ")} ${are} not set. Set ${them} where \`baton start\` runs, and start again.`;
}

function sharedApp(agent: string, { appTokenEnv, tokenEnv }: ChatServiceConfig, { speakers }: Bot): string {
  const others = speakers.map((speaker) => speaker.agent).join(" and ");
  const use = speakers.length > 1 ? "use" : "uses";
  return `${agent} does not answer in Slack: ${appTokenEnv} has the app token that ${others} ${use} with another bot token than ${tokenEnv}. Give both the same bot token, or each an app of its own.`;
}

/** A token is long and random: nobody finds it by its digest. */
function digest(token: string): string {
  return createHash("sha256").update(token).digest("hex").slice(0, 16);
}
