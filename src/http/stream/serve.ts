import type { ServerResponse } from "node:http";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { z } from "zod";
import { SAFE_HEADERS } from "../answer.ts";
import type { Caller } from "../guards/caller.ts";
import { project } from "../schemas/common.ts";
import type { Web } from "../web.ts";
import type { News } from "./news.ts";
import { streamed, type Topics } from "./stream.ts";

const TOPIC = /^(?:fleet|inbox|jobs|job:[a-z0-9-]{1,80})$/;

const topicsIn = (text: string) => text.split(",").map((word) => word.trim());

export const streamQuery = z.strictObject({
  topics: z
    .string()
    .max(2_000)
    .refine((text) => topicsIn(text).every((word) => TOPIC.test(word)), {
      error: "Topics are fleet, inbox, jobs and job:<id>, with commas between",
    })
    .default("fleet,jobs")
    .describe("`fleet`, `inbox`, `jobs` and `job:<id>` (the events of one job), with commas between"),
  after: z.string().max(2_000).optional().describe("a `position`, where there is no Last-Event-ID"),
  project,
});

export const STREAM_TYPE = "text/event-stream";

/** Opens a stream on a response, and writes to it as fast as it is read and no faster. */
export async function serveStream(
  web: Web,
  caller: Caller,
  {
    query,
    lastId,
    news,
  }: {
    query: z.output<typeof streamQuery>;
    lastId: string | undefined;
    news: Readonly<Record<string, News>>;
  },
  outgoing: ServerResponse,
): Promise<Response> {
  const { principal } = caller;
  const words = topicsIn(query.topics);
  const events = new Set<string>();
  for (const word of words.filter((each) => each.startsWith("job:"))) {
    events.add((await web.served.job(principal, word.slice("job:".length))).job.id);
  }
  const topics: Topics = { news: new Set(words), jobs: words.includes("jobs"), events };
  const projects = web.served.seenBy(principal, query.project);
  const from = lastId ?? query.after;
  const ended = web.limits.stream();
  const closed = new AbortController();
  outgoing.once("close", () => closed.abort());
  if (outgoing.destroyed) closed.abort();
  const pieces = streamed({ web, caller, topics, projects, from, news, signal: closed.signal });
  outgoing.writeHead(200, {
    ...SAFE_HEADERS,
    "content-type": STREAM_TYPE,
    "cache-control": "no-store",
    "x-accel-buffering": "no",
  });
  void written(pieces, outgoing, web.unreadMs)
    .catch((error: unknown) => {
      if (!closed.signal.aborted) web.trouble(error);
      outgoing.destroy();
    })
    .finally(ended);
  return new Response(null, RESPONSE_ALREADY_SENT);
}

/**
 * Written here and not by the adapter, whose promise for each piece keeps all before it: a stream that lasts would grow
 * with everything it has told.
 */
async function written(
  pieces: AsyncGenerator<string>,
  outgoing: ServerResponse,
  unreadMs: number,
): Promise<void> {
  for await (const piece of pieces) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(piece)) await taken(outgoing, unreadMs);
  }
  outgoing.end();
}

/** Whoever takes nothing for so long is gone. */
function taken(outgoing: ServerResponse, unreadMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => outgoing.destroy(), unreadMs);
    const end = () => {
      clearTimeout(timer);
      outgoing.off("drain", end).off("close", end);
      resolve();
    };
    outgoing.once("drain", end).once("close", end);
  });
}
