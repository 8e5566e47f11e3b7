import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  /** All that has come in so far. */
  received: Received[];
}

/** A server that answers as it is told, for as long as the test runs. */
export async function startReceiver(
  answer: (request: Received, response: ServerResponse, attempt: number) => void,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const got = { method, path: url, headers, body: await text(request) };
    answer(got, response, received.push(got));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}

export function answerJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
