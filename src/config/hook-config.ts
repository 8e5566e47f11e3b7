export type HookEvent =
  | "completed"
  | "failed"
  | "timeout"
  | "cancelled"
  | "paused"
  | "context_threshold"
  | "session_start"
  | "handoff"
  | NoticeEvent;

/** What only `notify.hooks` hear of. */
export type NoticeEvent = "ask" | "stall" | "missed" | "budget" | "review";

interface HookCommon {
  name?: string;
  onEvents?: HookEvent[];
  /** A dot path into the payload; `!` in front of it negates. */
  when?: string;
  continueOnError: boolean;
  timeoutMs: number;
}

export type ShellHook = HookCommon & {
  type: "shell";
  command: string;
  /** The names of environment variables that it gets beyond those on the list of secrets/command-environment.ts. */
  env?: string[];
};

export type WebhookHook = HookCommon & {
  type: "webhook";
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  /** Signs each body, so that the receiver knows whom it is from. */
  secret?: string;
  retries: number;
};

/** Through the bot's token and a channel, or through an incoming webhook, which knows its channel. */
interface Messenger {
  channelId?: string;
  /** The name of the environment variable that holds the token. */
  tokenEnv: string;
  webhookUrl?: string;
  /** Where the API is, unless the environment says it. */
  baseUrl?: string;
}

export type SlackHook = HookCommon & Messenger & { type: "slack" };
export type DiscordHook = HookCommon & Messenger & { type: "discord" };

export type HookConfig = ShellHook | WebhookHook | SlackHook | DiscordHook;
