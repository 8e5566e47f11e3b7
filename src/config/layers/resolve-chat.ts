import { given } from "../../util/given.ts";
import { HOUR_MS } from "../../util/time.ts";
import type {
  ChatAttachments,
  ChatChannel,
  ChatConfig,
  ChatOutput,
  ChatServiceConfig,
  DirectMessages,
} from "../chat-config.ts";
import { DEFAULTS } from "../defaults.ts";
import type { ChatLayer } from "../keys/chat.ts";

const MB = 1_000_000;

type Slack = NonNullable<ChatLayer["slack"]>;
type Discord = NonNullable<ChatLayer["discord"]>;

const { chat: CHAT, slack: SLACK, discord: DISCORD } = DEFAULTS;

/** The channel of a terminal that stands for no service. */
const TERMINAL_CHANNEL = "terminal";

export function resolveChat(layer: ChatLayer): ChatConfig {
  const services = [
    ...(layer.slack ? [slackOf(layer.slack)] : []),
    ...(layer.discord ? [discordOf(layer.discord)] : []),
  ];
  const fake = layer.fake ?? CHAT.fake;
  return {
    fake,
    steer: layer.steer ?? CHAT.steer,
    approvers: layer.approvers ?? [],
    services: fake && services.length === 0 ? [TERMINAL] : services,
  };
}

function slackOf(layer: Slack): ChatServiceConfig {
  return {
    service: "slack",
    tokenEnv: layer.bot_token_env ?? SLACK.bot_token_env,
    appTokenEnv: layer.app_token_env ?? SLACK.app_token_env,
    channels: (layer.channels ?? []).map((channel) => channelOf(channel)),
    guilds: [],
    dm: dmOf(layer.dm),
    output: outputOf(layer.output, "all"),
    commands: { scope: DISCORD.command_registration.scope },
    ...commonOf(layer),
  };
}

function discordOf(layer: Discord): ChatServiceConfig {
  const guilds = layer.guilds ?? [];
  const { presence, command_registration: registered } = layer;
  return {
    service: "discord",
    tokenEnv: layer.bot_token_env ?? DISCORD.bot_token_env,
    channels: guilds.flatMap(({ id: guild, channels = [] }) =>
      channels.map((channel) => ({ ...channelOf(channel), ...given({ guild }) })),
    ),
    guilds: guilds.flatMap(({ id, default_channel_mode: mode }) =>
      id === undefined ? [] : [{ id, ...given({ mode }) }],
    ),
    dm: dmOf(layer.dm),
    output: outputOf(layer.output, "answers"),
    ...(presence?.activity_message !== undefined && {
      presence: {
        type: presence.activity_type ?? DISCORD.presence.activity_type,
        message: presence.activity_message,
      },
    }),
    commands: {
      scope: registered?.scope ?? DISCORD.command_registration.scope,
      ...given({ guild: registered?.guild_id }),
    },
    ...commonOf(layer),
  };
}

const TERMINAL: ChatServiceConfig = {
  service: "terminal",
  tokenEnv: "",
  channels: [{ id: TERMINAL_CHANNEL, mode: "auto", contextMessages: CHAT.context_messages }],
  guilds: [],
  dm: dmOf(undefined),
  output: outputOf(undefined, "all"),
  commands: { scope: DISCORD.command_registration.scope },
  ...commonOf({}),
};

function commonOf(
  layer: Pick<Slack, "session_expiry_hours" | "log_level" | "attachments" | "skills">,
): Pick<ChatServiceConfig, "sessionExpiryMs" | "logLevel" | "attachments" | "skills"> {
  return {
    sessionExpiryMs: (layer.session_expiry_hours ?? CHAT.session_expiry_hours) * HOUR_MS,
    logLevel: layer.log_level ?? CHAT.log_level,
    attachments: attachmentsOf(layer.attachments),
    skills: (layer.skills ?? []).flatMap(({ name, description }) =>
      name === undefined ? [] : [{ name, ...given({ description }) }],
    ),
  };
}

function channelOf(layer: NonNullable<Slack["channels"]>[number]): ChatChannel {
  return {
    id: layer.id ?? "",
    ...given({ name: layer.name }),
    mode: layer.mode ?? CHAT.mode,
    contextMessages: layer.context_messages ?? CHAT.context_messages,
  };
}

function dmOf(layer: Slack["dm"]): DirectMessages {
  return {
    enabled: layer?.enabled ?? CHAT.dm.enabled,
    mode: layer?.mode ?? CHAT.dm.mode,
    ...given({ allowlist: layer?.allowlist }),
    blocklist: layer?.blocklist ?? [],
  };
}

function outputOf(layer: Discord["output"], assistantMessages: "answers" | "all"): ChatOutput {
  const { output } = CHAT;
  return {
    toolResults: layer?.tool_results ?? output.tool_results,
    toolResultMaxLength: layer?.tool_result_max_length ?? output.tool_result_max_length,
    systemStatus: layer?.system_status ?? output.system_status,
    errors: layer?.errors ?? output.errors,
    resultSummary: layer?.result_summary ?? output.result_summary,
    acknowledgeEmoji: layer?.acknowledge_emoji ?? output.acknowledge_emoji,
    typingIndicator: layer?.typing_indicator ?? output.typing_indicator,
    assistantMessages: layer?.assistant_messages ?? assistantMessages,
    progressIndicator: layer?.progress_indicator ?? output.progress_indicator,
  };
}

function attachmentsOf(layer: Slack["attachments"]): ChatAttachments {
  const { attachments } = CHAT;
  return {
    enabled: layer?.enabled ?? attachments.enabled,
    maxBytes: (layer?.max_file_size_mb ?? attachments.max_file_size_mb) * MB,
    maxFiles: layer?.max_files_per_message ?? attachments.max_files_per_message,
    types: layer?.allowed_types ?? [...attachments.allowed_types],
    folder: layer?.download_dir ?? attachments.download_dir,
    cleanUp: layer?.cleanup_after_processing ?? attachments.cleanup_after_processing,
  };
}
