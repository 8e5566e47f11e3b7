import { given } from "../../util/given.ts";
import type { HookConfig, HookEvent } from "../hook-config.ts";
import {
  below,
  entryOf,
  key,
  lacks,
  listOf,
  markOf,
  type Reader,
  type Report,
  readAt,
  refuseUnseen,
  type Spot,
  section,
} from "../reader/reader.ts";
import { type Schema, told } from "../reader/schema.ts";
import { alternatives } from "../reader/values.ts";
import { hookEvents, hookKeys, hookKind, messengers } from "./hook.ts";

const HOOK = "{ type: shell, command: ./notify.sh }";
const TIMEOUT_MS = 30_000;
const RETRIES = 3;

const shell = section(hookKeys.shell, HOOK, ofOtherKind);
const webhook = section(hookKeys.webhook, HOOK, ofOtherKind);
const slack = section(hookKeys.slack, HOOK, ofOtherKind);
const discord = section(hookKeys.discord, HOOK, ofOtherKind);

/** Says which kind of hook has a key that another does not. */
function ofOtherKind(word: string): string | undefined {
  const kinds = Object.entries(hookKeys).flatMap(([name, keys]) => (word in keys ? [name] : []));
  return kinds.length === 0 ? undefined : `"${word}" is a key of ${alternatives(kinds)} hooks`;
}

/** A channel, or a webhook, which has its channel already. */
const ONE_TARGET = told(
  { required: ["webhook_url"] },
  { not: { required: ["channel_id"] } },
  { required: ["channel_id"] },
);

const hook: Reader<HookConfig> = {
  expects: "a hook",
  schema: {
    title: "hook",
    type: "object",
    properties: { type: { enum: Object.keys(hookKeys) } },
    required: ["type"],
    allOf: [
      ofKind("shell", shell, { required: ["command"] }),
      ofKind("webhook", webhook, { required: ["url"] }),
      ofKind("slack", slack, ONE_TARGET),
      ofKind("discord", discord, ONE_TARGET),
    ],
  },
  keys: { ...shell.keys, ...webhook.keys, ...slack.keys, ...discord.keys },
  whole: true,
  read(spot, report) {
    if (spot.value.kind !== "map") return refuseUnseen(spot, report, "a map", `for example: ${HOOK}`);
    const written = entryOf(spot.value, "type");
    if (!written) {
      report(markOf(spot), `${spot.name} has no type`, `add type: ${likelyKind(spot)}`);
      return undefined;
    }
    const type = readAt(hookKind, below(spot, written), report);
    switch (type) {
      case "shell":
        return shellHook(spot, report);
      case "webhook":
        return webhookHook(spot, report);
      case "slack":
      case "discord":
        return messengerHook(type, spot, report);
      case undefined:
        return undefined;
    }
  },
};

function ofKind(kind: string, { schema }: Reader<unknown>, demands: Schema): Schema {
  const by: Schema = { properties: { type: { const: kind } }, required: ["type"] };
  return told(by, { ...schema, ...demands });
}

function likelyKind({ value }: Spot): string {
  if (entryOf(value, "command")) return "shell";
  if (entryOf(value, "url")) return "webhook";
  return alternatives(Object.keys(hookKeys));
}

interface CommonLayer {
  name?: string;
  on_events?: HookEvent[];
  when?: string;
  continue_on_error?: boolean;
  timeout?: number;
}

function common({ name, on_events, when, continue_on_error = true, timeout = TIMEOUT_MS }: CommonLayer) {
  return {
    ...given({ name, onEvents: on_events, when }),
    continueOnError: continue_on_error,
    timeoutMs: timeout,
  };
}

function shellHook(spot: Spot, report: Report): HookConfig | undefined {
  const { command, env, ...rest } = shell.read(spot, report) ?? {};
  if (command !== undefined) return { type: "shell", command, ...given({ env }), ...common(rest) };
  return reportMissing(spot, report, "command", "add what it runs: command: ./notify.sh");
}

function webhookHook(spot: Spot, report: Report): HookConfig | undefined {
  const layer = webhook.read(spot, report) ?? {};
  const { url, method = "POST", headers = {}, secret, retries = RETRIES } = layer;
  if (url !== undefined) {
    return { type: "webhook", url, method, headers, ...given({ secret }), retries, ...common(layer) };
  }
  return reportMissing(spot, report, "url", "add its address: url: https://example.com/hook");
}

function messengerHook(type: "slack" | "discord", spot: Spot, report: Report): HookConfig | undefined {
  const layer = (type === "slack" ? slack : discord).read(spot, report) ?? {};
  const { channel_id, webhook_url } = layer;
  const second = entryOf(spot.value, "channel_id") && entryOf(spot.value, "webhook_url");
  if (second) {
    const fix = "keep one of them: a webhook has its channel already";
    report(second.keySpan, `${spot.name} has a channel_id and a webhook_url`, fix, "up to the mark");
  } else if (lacks(spot.value, "webhook_url")) {
    reportMissing(spot, report, "channel_id", "add the channel: channel_id: …, or a webhook_url");
  }
  if (channel_id === undefined && webhook_url === undefined) return undefined;
  const { tokenEnv } = messengers[type];
  return {
    type,
    ...given({ channelId: channel_id, webhookUrl: webhook_url, baseUrl: layer.base_url }),
    tokenEnv: layer.bot_token_env ?? tokenEnv,
    ...common(layer),
  };
}

/** Where a key is unknown, it may be a misspelt one, and saying so is enough. */
function reportMissing(spot: Spot, report: Report, name: string, fix: string): undefined {
  const { value } = spot;
  const isKnown = value.kind === "map" && value.entries.every((entry) => entry.key in (hook.keys ?? {}));
  if (isKnown && lacks(value, name)) report(markOf(spot), `${spot.name} has no ${name}`, fix);
}

const list = listOf(hook, `[${HOOK}]`);

/** The hooks of a point at which only some events happen: one for another event would never run. */
function hooksAt(...events: HookEvent[]): Reader<HookConfig[]> {
  const onEvents: Schema | false = events.length > 0 ? { type: "array", items: { enum: events } } : false;
  return {
    ...list,
    schema: {
      type: "array",
      items: { allOf: [hook.schema, { type: "object", properties: { on_events: onEvents } }] },
    },
    read(spot, report) {
      const items = spot.value.kind === "list" ? spot.value.items : [];
      for (const [index, item] of items.entries()) {
        const entry = entryOf(item, "on_events");
        const written = entry?.value.kind === "list" ? entry.value.items : [];
        for (const event of written) {
          const name = hookEvents.find((known) => event.kind === "scalar" && event.value === known);
          if (name === undefined || events.includes(name)) continue;
          const point = spot.key?.text ?? spot.name;
          const fix =
            events.length > 0 ? `what happens there: ${alternatives(events)}` : "leave on_events out";
          report(event.span, `${spot.name}[${index}].on_events: ${name} never happens at ${point}`, fix);
        }
      }
      return list.read(spot, report);
    },
  };
}

const ENDINGS = ["completed", "failed", "timeout", "cancelled", "paused"] as const;

/** The points of a job at which hooks are run. */
export const hookPoints = {
  before_run: key(
    hooksAt(),
    "before a job's first session; one that fails with `continue_on_error: false` stops the job",
    [],
  ),
  after_run: key(hooksAt(...ENDINGS), "when a job has ended or paused", []),
  on_error: key(hooksAt("failed", "timeout"), "when a job has failed, after the hooks of `after_run`", []),
  on_session_start: key(
    hooksAt("session_start"),
    "before a session's prompt; what a shell hook prints goes in front of it",
    [],
  ),
  on_context_threshold: key(
    hooksAt("context_threshold"),
    "when the window reaches the threshold, instead of the built-in handoff",
    [],
  ),
  on_handoff: key(hooksAt("handoff"), "when a handoff is stored", []),
};

/** Hooks at whatever happens. */
export const hooks = list;
