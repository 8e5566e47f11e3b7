import type { HookEvent } from "../hook-config.ts";
import { exampleFix, key, listOf, mapOf, type Reader, refuse, refuseUnseen } from "../reader/reader.ts";
import { orVariable } from "../reader/schema.ts";
import {
  duration,
  flag,
  number,
  oneOf,
  secretText,
  shellCommand,
  text,
  webAddress,
} from "../reader/values.ts";

const MOST_RETRIES = 10;

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The name of an environment variable. In its place people paste the secret itself, so it is refused unseen. */
export const variableName: Reader<string> = {
  expects: "the name of an environment variable",
  schema: orVariable({ type: "string", pattern: NAME.source, examples: ["BOT_TOKEN"] }),
  read(spot, report) {
    const { value } = spot;
    const name = value.kind === "scalar" ? value.value : undefined;
    if (typeof name === "string" && NAME.test(name)) return name;
    const fix = exampleFix(spot, "BOT_TOKEN");
    return refuseUnseen(spot, report, "the name of an environment variable", fix, "up to the mark");
  },
};

const PATH = /^!? *[A-Za-z_]\w*(?:\.\w+)*$/;

const condition: Reader<string> = {
  expects: "a dot path into the payload, with ! in front to negate",
  schema: orVariable({ type: "string", pattern: PATH.source, examples: ["session.is_continuation"] }),
  read(spot, report) {
    const { value } = spot;
    const path = value.kind === "scalar" ? value.value : undefined;
    if (typeof path === "string" && PATH.test(path)) return path;
    return refuse(spot, report, condition.expects, exampleFix(spot, "session.is_continuation"));
  },
};

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const header: Reader<string> = {
  ...secretText,
  schema: { type: ["string", "number", "boolean"], pattern: HEADER_VALUE.source },
  read(spot, report) {
    const value = secretText.read(spot, report);
    if (value === undefined) return undefined;
    const mark = spot.key?.span ?? spot.value.span;
    if (!HEADER_NAME.test(spot.key?.text ?? "")) {
      report(mark, `${spot.name} is not the name of a header`, "use letters, digits and -", "up to the mark");
    } else if (!HEADER_VALUE.test(value)) {
      const fix = "a header is one line of plain characters";
      report(mark, `${spot.name} cannot be sent as a header`, fix, "up to the mark");
    } else {
      return value;
    }
  },
};

const anyHeaders = mapOf(header, "{ Authorization: … }");
const headers = {
  ...anyHeaders,
  schema: { ...anyHeaders.schema, propertyNames: { pattern: HEADER_NAME.source } },
};

export const hookEvents: readonly [HookEvent, ...HookEvent[]] = [
  "completed",
  "failed",
  "timeout",
  "cancelled",
  "paused",
  "context_threshold",
  "session_start",
  "handoff",
  "ask",
  "stall",
  "missed",
  "budget",
  "review",
];

export const hookKind = oneOf("shell", "webhook", "slack", "discord");

const common = {
  type: key(hookKind, "what kind of hook it is"),
  name: key(text("Tell the team"), "what it is called in the journal"),
  on_events: key(
    listOf(oneOf(...hookEvents), "[completed, failed]"),
    "run it only on these events; by default on all of them",
  ),
  when: key(
    condition,
    "run it only if there is something at this dot path in the payload; a leading `!` negates",
  ),
  continue_on_error: key(flag, "`false`: if it fails, the hooks after it do not run", true),
  timeout: key(duration(1, "30s"), "how long it may take; a number without a unit is in milliseconds", "30s"),
};

const messengerKeys = ({ tokenEnv, baseUrl }: { tokenEnv: string; baseUrl: string }) => ({
  ...common,
  channel_id: key(text("C1234567890"), "the channel to post to, as the bot"),
  bot_token_env: key(variableName, "the environment variable that holds the bot's token", tokenEnv),
  webhook_url: key(
    { ...webAddress("https://example.com/hook"), secret: true },
    "an incoming webhook to post to, instead of a channel",
  ),
  base_url: key(webAddress(baseUrl), "where the API is", baseUrl),
});

/** What holds for a messenger where it is not said. */
export const messengers = {
  slack: { tokenEnv: "SLACK_BOT_TOKEN", baseUrl: "https://slack.com/api" },
  discord: { tokenEnv: "DISCORD_BOT_TOKEN", baseUrl: "https://discord.com/api/v10" },
};

/** The keys of each kind of hook. */
export const hookKeys = {
  shell: {
    ...common,
    command: key(
      shellCommand("./notify.sh"),
      "run by the shell in the workspace, with the payload as JSON on standard input",
    ),
    env: key(listOf(variableName, "[GITHUB_TOKEN]"), "the names of other environment variables that it gets"),
  },
  webhook: {
    ...common,
    url: key(webAddress("https://example.com/hook"), "where the payload is sent"),
    method: key(oneOf("POST", "PUT"), "how it is sent", "POST"),
    headers: key(headers, "sent with it"),
    secret: key(secretText, "signs the body with HMAC SHA-256, in the header `x-baton-signature-256`"),
    retries: key(
      number({ least: 0, most: MOST_RETRIES, whole: true }, `a whole number up to ${MOST_RETRIES}`, 5),
      "how often to retry if the other side fails or cannot be reached",
      3,
    ),
  },
  slack: messengerKeys(messengers.slack),
  discord: messengerKeys(messengers.discord),
};
