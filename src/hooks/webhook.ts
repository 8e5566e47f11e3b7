import { createHmac, randomUUID } from "node:crypto";
import type { WebhookHook } from "../config/hook-config.ts";
import { oneLine } from "../util/printable.ts";
import { version } from "../version.ts";
import type { HookCall, HookOutcome } from "./hook-call.ts";
import { type Answer, asksToWait, send } from "./send.ts";

const OUTPUT_LIMIT = 8 * 1024;

export async function runWebhook(hook: WebhookHook, call: HookCall): Promise<HookOutcome> {
  const body = JSON.stringify(call.payload);
  const answer = await send(
    {
      url: hook.url,
      method: hook.method,
      headers: {
        "content-type": "application/json",
        "user-agent": `baton/${version()}`,
        ...lowerCased(hook.headers),
        "x-baton-event": call.event,
        // The same over all attempts, so that the receiver can tell one it already has.
        "x-baton-delivery": randomUUID(),
        ...(hook.secret !== undefined && { "x-baton-signature-256": signature(body, hook.secret) }),
      },
      body,
      retries: hook.retries,
      secrets: [...Object.values(hook.headers), ...(hook.secret === undefined ? [] : [hook.secret])],
    },
    { timeoutMs: hook.timeoutMs, signal: call.signal, sleep: call.sleep },
  );
  return {
    ok: answer.ok,
    output: answer.text.slice(0, OUTPUT_LIMIT),
    ...(!answer.ok && { error: refused(answer) }),
  };
}

/** As `x-baton-signature-256` says it. */
export function signature(body: string, secret: string): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** `Content-Type` and `content-type` would be two headers. */
function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function refused(answer: Answer): string {
  const { host, status, text, attempts } = answer;
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  const wait = asksToWait(answer);
  const words = oneLine(text).slice(0, 300);
  return `${host} answered ${status}${tries}${wait}${words === "" ? "" : `: ${words}`}${advice(status)}`;
}

function advice(status: number): string {
  if (status === 401 || status === 403) return " (check the hook's headers)";
  if (status === 404 || status === 405 || status === 410) return " (check the hook's url and method)";
  return "";
}
