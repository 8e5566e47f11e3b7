import type { ServerResponse } from "node:http";
import { z } from "zod";
import type { Caller } from "../guards/caller.ts";
import { project } from "../schemas/common.ts";
import type { Web } from "../web.ts";
import type { News } from "./news.ts";
import { streamed, type Topics } from "./stream.ts";

export const streamQuery = z.object({
  topics: z
    .string()
    .max(2_000)
    .default("fleet,jobs")
    .describe("`fleet`, `inbox`, `jobs` and `job:<id>` (the events of one job), with commas between"),
  after: z.string().max(2_000).optional().describe("a `position`, where there is no Last-Event-ID"),
  project,
});

const UNREAD_MS = 30_000;
const TOPIC = /^(?:fleet|inbox|jobs|job:[a-z0-9-]{1,80})$/;

/** Opens a stream on a response, and writes to it as fast as it is read and no faster. */
export async function serveStream(
  web: Web,
  caller: Caller,
  {
    query,
    lastId,
    news,
    signal,
  }: {
    query: z.output<typeof streamQuery>;
    lastId: string | undefined;
    news: Readonly<Record<string, News>>;
    signal: AbortSignal;
  },
  outgoing: ServerResponse,
): Promise<Response> {
  const { principal } = caller;
  const words = query.topics.split(",").map((word) => word.trim());
  const wrong = words.find((word) => !TOPIC.test(word));
  if (wrong !== undefined)
    throw new z.ZodError([
      { code: "custom", path: ["topics"], message: `${wrong} is no topic`, input: wrong },
    ]);
  const events = new Set<string>();
  for (const word of words.filter((each) => each.startsWith("job:"))) {
    events.add((await web.served.job(principal, word.slice("job:".length))).job.id);
  }
  const topics: Topics = { news: new Set(words), jobs: words.includes("jobs"), events };
  const projects = web.served.seenBy(principal, query.project);
  const from = lastId ?? query.after;
  const ended = web.limits.stream();
  const pieces = streamed({ web, caller, topics, projects, from, news, signal });
  return new Response(ReadableStream.from(watched(pieces, outgoing, ended)), {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

/** Each piece must be taken within a time: whoever reads nothing for so long is gone. */
async function* watched(
  pieces: AsyncGenerator<string>,
  outgoing: ServerResponse,
  ended: () => void,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const piece of pieces) {
      timer = setTimeout(() => outgoing.destroy(), UNREAD_MS);
      yield encoder.encode(piece);
      clearTimeout(timer);
    }
  } finally {
    clearTimeout(timer);
    ended();
  }
}
