import type { ServerResponse } from "node:http";
import type { Encoded } from "./api.ts";
import { type ApiError, nearLimit } from "./errors.ts";
import { identifier } from "./identifier.ts";
import type { Reply } from "./scenario.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" };

export function sendJson(response: ServerResponse, body: unknown): void {
  response.writeHead(200, JSON_TYPE).end(JSON.stringify(body));
}

export function sendError(response: ServerResponse, { status, headers, body }: ApiError): void {
  response.writeHead(status, { ...JSON_TYPE, ...headers }).end(JSON.stringify(body));
}

/** Sends the message in the form asked for, and breaks off where the fault says so. */
export function sendMessage(
  response: ServerResponse,
  message: Encoded,
  stream: boolean,
  { fault, limitNear }: Pick<Reply, "fault" | "limitNear">,
): void {
  const events = stream ? message.events : [JSON.stringify(message.whole)];
  if (fault?.kind === "stall" && fault.at === "start") return;
  response.writeHead(200, {
    ...(stream ? STREAM_TYPE : JSON_TYPE),
    "request-id": identifier("req"),
    ...(limitNear !== undefined && nearLimit(limitNear)),
  });
  const half = stream ? events.slice(0, Math.ceil(events.length / 2)).join("") : "{";
  if (fault?.kind === "stall") response.write(half);
  else if (fault?.kind === "drop") response.write(half, () => response.destroy());
  else response.end(events.join(""));
}
