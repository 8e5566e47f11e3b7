import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { type Api, chatApi, messagesApi, messagesCount, responsesApi } from "./api.ts";
import { apiError, requestTooLarge } from "./errors.ts";
import { geminiApi } from "./gemini/api.ts";
import { type RecordedRequest, RequestLog } from "./log.ts";
import { type ReceivedRequest, startModel } from "./model.ts";
import type { Scenario } from "./scenario.ts";
import { sendError, sendJson, sendMessage } from "./send.ts";

// Imported by name, it brings along all that `fetch` needs, which takes ten times as long.
const { createServer } = process.getBuiltinModule("node:http");

const HOST = "127.0.0.1";
const APIS: Record<string, Api> = {
  "/v1/messages": messagesApi,
  "/v1/messages/count_tokens": messagesCount,
  "/v1/responses": responsesApi,
  "/v1/chat/completions": chatApi,
};

interface SimulatorOptions {
  /** A free one unless given. */
  port?: number;
  /** How many requests to keep for a look at them. All unless given. */
  keep?: number;
  /** Called when a request has been answered or its connection is gone. */
  onRequest?: (record: RecordedRequest) => void;
}

/** A model server that answers by a scenario. Its owner closes it. */
export interface Simulator extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** The first request for which the predicate holds, past ones included. Asked at arrival and at each change. */
  waitFor(predicate: (record: RecordedRequest) => boolean): Promise<RecordedRequest>;
  /** Breaks off what is still being answered. */
  close(): Promise<void>;
}

export class SimulatorPortError extends Error {
  override readonly name = "SimulatorPortError";
  constructor(port: number, cause: Error) {
    super(`The simulator cannot listen on ${HOST}:${port} (${cause.message}). Choose another port.`, {
      cause,
    });
  }
}

export async function startSimulator(scenario: Scenario, options: SimulatorOptions = {}): Promise<Simulator> {
  const log = new RequestLog(options.keep ?? Number.POSITIVE_INFINITY);
  const model = startModel(scenario);

  async function answer(received: ReceivedRequest, response: ServerResponse, stream: boolean) {
    const gone = new AbortController();
    const record = log.begin(received.request);
    response.once("close", () => {
      gone.abort();
      log.end(record);
      options.onRequest?.(record);
    });
    const answer = await received.answer(gone.signal);
    if (gone.signal.aborted) return;
    switch (answer.type) {
      case "error":
        log.update(record, { ...(answer.reply && { reply: answer.reply }), status: answer.error.status });
        return sendError(response, answer.error);
      case "message":
        log.update(record, { reply: answer.reply, usage: answer.usage, status: 200 });
        return sendMessage(response, answer.message, stream, answer.reply);
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? "/", `http://${HOST}`);
    const body = await bodyOf(request);
    if (body === undefined) return sendError(response, requestTooLarge());
    const api = request.method === "POST" ? (APIS[url.pathname] ?? geminiApi(url)) : undefined;
    if (!api) return sendError(response, apiError(404, "not_found_error", "Not found"));
    const headers = flat(request.headers);
    const asked = api.read(body, headers);
    if ("status" in asked) return sendError(response, asked);
    if (api.counted) return sendJson(response, api.counted(model.countTokens(asked.wire)));
    return answer(model.receive(api, asked, headers), response, asked.wire.stream ?? false);
  }

  const server = createServer((request, response) => {
    // A client that goes away in the middle is no failure of the server.
    route(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.port ?? 0);

  async function close() {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    log.close();
  }

  return {
    url: `http://${HOST}:${port}`,
    port,
    requests: log.requests,
    waitFor: (predicate) => log.waitFor(predicate),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** As much as the API itself takes. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Undefined where it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > MOST_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", (cause) => reject(new SimulatorPortError(port, cause)));
  server.listen(port, HOST, () => {
    const address = server.address();
    resolve(typeof address === "object" && address ? address.port : port);
  });
  return promise;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
