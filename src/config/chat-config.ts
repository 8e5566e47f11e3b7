/** Which service a chat stands for; `terminal` needs no account. */
type ChatService = "slack" | "discord" | "terminal";

/** When a bot answers what is written in a channel: only where it is mentioned, or always. */
export type ChatMode = "mention" | "auto";

/** How an agent talks with people in a chat service. */
export interface ChatConfig {
  /** A terminal stands for the services. */
  fake: boolean;
  /** When the agent hears what is written while it works. */
  steer: "boundary" | "turn" | "end";
  /** The ids of people who may answer what the agent asks. */
  approvers: string[];
  services: ChatServiceConfig[];
}

export interface ChatServiceConfig {
  service: ChatService;
  /** The names of the environment variables that hold its tokens. */
  tokenEnv: string;
  appTokenEnv?: string;
  sessionExpiryMs: number;
  logLevel: "minimal" | "standard" | "verbose";
  channels: ChatChannel[];
  /** Of a guild: how channels are answered that are not listed. */
  guilds: { id: string; mode?: ChatMode }[];
  dm: DirectMessages;
  output: ChatOutput;
  attachments: ChatAttachments;
  /** What the bot is seen to do. */
  presence?: { type: "playing" | "watching" | "listening" | "competing"; message: string };
  /** Where slash commands are registered: everywhere, or in one guild. */
  commands: { scope: "global" | "guild"; guild?: string };
  /** What the agent can be asked for by name. */
  skills: { name: string; description?: string }[];
}

export interface ChatChannel {
  id: string;
  name?: string;
  mode: ChatMode;
  /** How many messages before it go along with the one that begins a conversation. */
  contextMessages: number;
  guild?: string;
}

/** Who may write to the bot alone. The block list wins. */
export interface DirectMessages {
  enabled: boolean;
  mode: ChatMode;
  allowlist?: string[];
  blocklist: string[];
}

/** What is said in a chat beside the answers. */
export interface ChatOutput {
  /** What tools come to, in the status message, up to so many characters. */
  toolResults: boolean;
  toolResultMaxLength: number;
  /** Handoffs, and that a session began anew. */
  systemStatus: boolean;
  errors: boolean;
  /** What a turn took, after its answer. */
  resultSummary: boolean;
  /** That the message was seen; empty: nothing shows it. */
  acknowledgeEmoji: string;
  typingIndicator: boolean;
  /** Only answers, or all that the agent says while it works, as it comes. */
  assistantMessages: "answers" | "all";
  /** The status message while it works. */
  progressIndicator: boolean;
}

/** Files that people attach. */
export interface ChatAttachments {
  enabled: boolean;
  maxBytes: number;
  maxFiles: number;
  /** Media types, such as `image/*`. */
  types: string[];
  /** Below the folder that the job works in. */
  folder: string;
  /** Whether they are removed after the turn. */
  cleanUp: boolean;
}
