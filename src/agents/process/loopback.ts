import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

// Imported by name, it brings along all that `fetch` needs, which takes ten times as long.
const { createServer } = process.getBuiltinModule("node:http");

/** Of one question. What a tool printed is in it. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Answers a question with JSON, or with nothing. The signal is aborted when nobody waits for it any more. */
export type Answer = (question: unknown, signal: AbortSignal) => Promise<unknown>;

/** Where one program asks Baton: on this machine alone, with a token that only this program is given. */
export class Loopback {
  /** Where it listens: a path of the answers is to be added. */
  readonly url: string;
  readonly port: number;
  readonly headers: Record<string, string>;
  readonly #server: Server;

  /** By path, such as `/hooks`. */
  static async open(answers: Readonly<Record<string, Answer>>): Promise<Loopback> {
    const token = randomBytes(32).toString("base64url");
    // A connection that is kept ends with the program: closed at rest, it could break just as the next question comes.
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      answer(request, response, token, answers).catch(() => response.writeHead(400).end());
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(0, "127.0.0.1", () => resolve());
    });
    return new Loopback(server, token);
  }

  private constructor(server: Server, token: string) {
    this.#server = server;
    const bound = server.address();
    if (typeof bound !== "object" || bound === null) throw new Error("Baton could not listen on 127.0.0.1.");
    this.port = bound.port;
    this.url = `http://127.0.0.1:${bound.port}`;
    this.headers = { Authorization: `Bearer ${token}` };
    // A program that waits for an answer is what keeps Baton running, not this.
    server.unref();
  }

  readonly close = (): void => {
    this.#server.close();
    this.#server.closeAllConnections();
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  answers: Readonly<Record<string, Answer>>,
): Promise<void> {
  if (!isSame(request.headers.authorization ?? "", `Bearer ${token}`)) {
    response.writeHead(401).end();
    return;
  }
  const path = request.url ?? "";
  const of = Object.hasOwn(answers, path) ? answers[path] : undefined;
  if (!of || request.method !== "POST") {
    response.writeHead(of ? 405 : 404).end();
    return;
  }
  const left = new AbortController();
  response.once("close", () => left.abort());
  const said = await of(JSON.parse(await textOf(request)), left.signal);
  if (said === undefined) response.writeHead(202).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(said));
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MOST_BYTES) throw new Error("the question is too long");
  }
  return Buffer.concat(parts).toString("utf8");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
