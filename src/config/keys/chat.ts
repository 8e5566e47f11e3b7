import { DEFAULTS } from "../defaults.ts";
import { key, listOf, markOf, type Reader, section, type ValueOf } from "../reader/reader.ts";
import { flag, formed, number, oneOf, text, wholeNumber } from "../reader/values.ts";
import { variableName } from "./hook.ts";

const { chat: CHAT, slack: SLACK, discord: DISCORD } = DEFAULTS;

const slackChannel = formed(/^[CDG][A-Z0-9]{2,}$/, "the id of a channel, such as C0123456789", "C0123456789");
const snowflake = formed(
  /^\d{5,25}$/,
  'an id in quotes, such as "1048576123456789012"',
  '"1048576123456789012"',
);
const person = formed(/^[A-Za-z0-9_.-]+$/, "the id of a person, not their name", "U0123456789");
const mode = oneOf("mention", "auto");
const hours = number({ above: 0, most: 8_760 }, "a number of hours above 0, and of a year at most", 48);
const contextMessages = key(
  wholeNumber(0, 5),
  "how many messages before it go along with the one that begins a conversation",
  CHAT.context_messages,
);
const channelName = key(text("development"), "what you call it; only for you to read");
const channelMode = key(
  mode,
  "answers only where it is mentioned, or everything; in the thread of a conversation it answers either way",
  CHAT.mode,
);

const dm = section(
  {
    enabled: key(flag, "whether it answers direct messages", CHAT.dm.enabled),
    mode: key(mode, "answers all of them, or only where it is mentioned", CHAT.dm.mode),
    allowlist: key(listOf(person, "[U0123456789]"), "the only people who may write to it, by their ids"),
    blocklist: key(listOf(person, "[U0123456789]"), "people who may not, whatever `allowlist` says", []),
  },
  "{ enabled: false }",
);

const outputKeys = {
  tool_results: key(
    flag,
    "whether the status message shows what the last tool came to",
    CHAT.output.tool_results,
  ),
  tool_result_max_length: key(
    number({ least: 1, most: 1_000, whole: true }, "a whole number from 1 to 1000", 300),
    "how many characters of it",
    CHAT.output.tool_result_max_length,
  ),
  system_status: key(
    flag,
    "whether a handoff, and a new session, is announced in a line",
    CHAT.output.system_status,
  ),
  errors: key(flag, "whether it is said why the agent stopped", CHAT.output.errors),
  result_summary: key(flag, "whether a line after an answer says what it took", CHAT.output.result_summary),
  acknowledge_emoji: key(
    text("👍"),
    "the reaction that shows that a message was seen; empty for none",
    CHAT.output.acknowledge_emoji,
  ),
  progress_indicator: key(
    flag,
    "whether a message shows what the agent is doing",
    CHAT.output.progress_indicator,
  ),
};

/** What others know, and why it is not done. */
const refused = (why: string, fix: string): Reader<never> => ({
  expects: "nothing",
  schema: { not: {}, description: `not possible: ${why}` },
  read(spot, report) {
    report(markOf(spot), `${spot.name}: ${why}`, fix);
    return undefined;
  },
});

const outputOf = <T extends boolean>(assistantMessages: "answers" | "all", typingIndicator: Reader<T>) =>
  section(
    {
      ...outputKeys,
      typing_indicator: typingIndicator,
      acknowledge_emoji: { ...outputKeys.acknowledge_emoji, ...orEmpty(outputKeys.acknowledge_emoji) },
      assistant_messages: key(
        oneOf("answers", "all"),
        "only what a turn comes to, or all that the agent says while it works",
        assistantMessages,
      ),
    },
    "{ tool_results: false }",
  );

const slackOutput = outputOf(
  "all",
  refused(
    "in Slack, nobody sees a bot typing",
    "leave typing_indicator out: acknowledge_emoji shows that a message was seen",
  ),
);

const discordOutput = outputOf(
  "answers",
  key(flag, "whether people see that it is typing once it has seen a message", CHAT.output.typing_indicator),
);

/** An empty text: none. */
function orEmpty(reader: Reader<string>): Pick<Reader<string>, "read" | "schema"> {
  return {
    schema: { ...reader.schema, minLength: 0 },
    read: (spot, report) =>
      spot.value.kind === "scalar" && spot.value.value === "" ? "" : reader.read(spot, report),
  };
}

/** Of files that are put into a folder, and removed again: it must be one that nothing else is in. */
const folder = formed(
  /^(?!.*(?:^|\/)\.\.(?:\/|$))\.?[A-Za-z0-9_-][A-Za-z0-9_./-]*$/,
  "a folder below the one that the agent works in",
  ".chat-attachments",
);

const attachments = section(
  {
    enabled: key(flag, "whether files that people attach are given to the agent", CHAT.attachments.enabled),
    max_file_size_mb: key(
      number({ above: 0, most: 100 }, "a number of megabytes above 0, and 100 at most", 5),
      "how large one may be",
      CHAT.attachments.max_file_size_mb,
    ),
    max_files_per_message: key(
      number({ least: 1, most: 20, whole: true }, "a whole number from 1 to 20", 3),
      "how many of one message",
      CHAT.attachments.max_files_per_message,
    ),
    allowed_types: key(
      listOf(formed(/^[a-z]+\/[a-z0-9.+*-]+$/, "a media type, such as image/*", "image/*"), "[image/*]"),
      "of which types",
      CHAT.attachments.allowed_types,
    ),
    download_dir: key(
      folder,
      "where they are put, below the folder that the job works in",
      CHAT.attachments.download_dir,
    ),
    cleanup_after_processing: key(
      flag,
      "whether they are removed once the agent has answered",
      CHAT.attachments.cleanup_after_processing,
    ),
  },
  "{ enabled: true }",
);

const common = {
  session_expiry_hours: key(
    hours,
    "a conversation ends when nobody has written for so long; the next message begins another, which is told how this one ended",
    CHAT.session_expiry_hours,
  ),
  log_level: key(
    oneOf("minimal", "standard", "verbose"),
    "what `baton start` prints of it: trouble alone, each message that came, or what was answered too; never what they say",
    CHAT.log_level,
  ),
  attachments: key(attachments, "files that people attach"),
  skills: key(
    listOf(
      section(
        {
          name: key(formed(/^[A-Za-z0-9][\w:.-]*$/, "the name of a skill", "deploy"), "what it is called"),
          description: key(text("Puts a branch on the test server."), "what it does, for `help`"),
        },
        "{ name: deploy }",
      ),
      "[{ name: deploy }]",
    ),
    "skills of the agent that people can ask for by name: `!skill deploy staging`",
    [],
  ),
};

const slack = section(
  {
    bot_token_env: key(
      variableName,
      "the environment variable with the bot's token, `xoxb-…`",
      SLACK.bot_token_env,
    ),
    app_token_env: key(variableName, "the one with the app's token, `xapp-…`", SLACK.app_token_env),
    channels: key(
      listOf(
        section(
          {
            id: key(slackChannel, "its id"),
            name: channelName,
            mode: channelMode,
            context_messages: contextMessages,
          },
          "{ id: C0123456789 }",
        ),
        "[{ id: C0123456789, mode: mention }]",
      ),
      "where it answers; threads in them are conversations",
      [],
    ),
    dm: key(dm, "direct messages"),
    output: key(slackOutput, "what it says beside its answers"),
    ...common,
  },
  "{ channels: [{ id: C0123456789 }] }",
);

const discordChannel = section(
  { id: key(snowflake, "its id"), name: channelName, mode: channelMode, context_messages: contextMessages },
  '{ id: "1048576123456789012" }',
);

const discord = section(
  {
    bot_token_env: key(variableName, "the environment variable with the bot's token", DISCORD.bot_token_env),
    guilds: key(
      listOf(
        section(
          {
            id: key(snowflake, "the server's id"),
            channels: key(
              listOf(discordChannel, '[{ id: "1048576123456789012" }]'),
              "where it answers; threads in them are conversations",
              [],
            ),
            default_channel_mode: key(mode, "how it answers in all other channels; left out: not at all"),
            dm: refused("direct messages belong to no server", "put dm into chat.discord"),
          },
          '{ id: "1048576123456789012" }',
        ),
        '[{ id: "1048576123456789012" }]',
      ),
      "the servers that it is on",
      [],
    ),
    dm: key(dm, "direct messages"),
    presence: key(
      section(
        {
          activity_type: key(
            oneOf("playing", "watching", "listening", "competing"),
            "what it is seen to do",
            DISCORD.presence.activity_type,
          ),
          activity_message: key(text("the tests"), "and with what"),
        },
        "{ activity_message: the tests }",
      ),
      "what people see of the bot in the list of members",
    ),
    command_registration: key(
      section(
        {
          scope: key(
            oneOf("global", "guild"),
            "everywhere, which takes a while, or at once in one server",
            DISCORD.command_registration.scope,
          ),
          guild_id: key(snowflake, "which, with `guild`"),
        },
        '{ scope: guild, guild_id: "1048576123456789012" }',
      ),
      "where slash commands are registered",
    ),
    output: key(discordOutput, "what it says beside its answers"),
    voice: refused("Baton hears no voice messages", "leave voice out"),
    ...common,
  },
  '{ guilds: [{ id: "1048576123456789012" }] }',
);

export const chat = section(
  {
    slack: key(slack, "its Slack app, see [Slack](slack.md)"),
    discord: key(discord, "its Discord bot, see [Discord](discord.md)"),
    fake: key(
      flag,
      "whether the terminal of `baton start` stands for the services, to [try a configuration](chat-services.md#try-it-without-a-service)",
      CHAT.fake,
    ),
    steer: key(
      oneOf("boundary", "turn", "end"),
      "when the agent hears what is written while it works: at its next step, after its turn, or when it would be done",
      CHAT.steer,
    ),
    approvers: key(
      listOf(person, "[U0123456789]"),
      "who may answer in the chat what the agent asks, by their ids; nobody, where it is left out",
      [],
    ),
  },
  "{ slack: { channels: [{ id: C0123456789 }] } }",
);

export type ChatLayer = ValueOf<typeof chat>;
