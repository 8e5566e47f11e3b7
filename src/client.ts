/** A client of the API, for programs and for pages: `docs/api.md`. It loads nothing but this file and a table of paths. */
import type { AnswerOf, SentBodyOf, SentQueryOf } from "./http/contract.ts";
import { API, OPERATIONS, type OperationName, type ParamsOf, PROOF_HEADER } from "./http/operations.ts";
import type { StreamMessage } from "./http/stream/messages.ts";

export type { StreamMessage } from "./http/stream/messages.ts";

export interface ClientOptions {
  /** `http://127.0.0.1:3232`. Default: of the page that it runs in. */
  url?: string;
  /** `baton token create` makes one. A page that was signed in needs none. */
  token?: string;
  fetch?: typeof fetch;
}

interface CallOptions {
  signal?: AbortSignal;
  /** Sent again with the same, a change is not made again. */
  idempotencyKey?: string;
}

/** What stands in the path and behind the `?`. */
type Named<K extends OperationName> = ParamsOf<(typeof OPERATIONS)[K]["path"]> &
  (SentQueryOf<K> extends undefined ? unknown : SentQueryOf<K>);

type Call<K extends OperationName> =
  SentBodyOf<K> extends undefined
    ? (named: Named<K>, body?: undefined, options?: CallOptions) => Promise<AnswerOf<K>>
    : (named: Named<K>, body: SentBodyOf<K>, options?: CallOptions) => Promise<AnswerOf<K>>;

export type Client = { [K in OperationName]: Call<K> } & {
  /** What happens, from `after` on, or from now on. It resumes by itself, until `signal` is aborted or the token is revoked. */
  stream(wanted?: StreamWanted, options?: { signal?: AbortSignal }): AsyncGenerator<StreamMessage>;
};

export interface StreamWanted {
  /** `fleet`, `inbox`, `jobs` and `job:<id>`. Default: `fleet` and `jobs`. */
  topics?: readonly string[];
  /** A `position`. */
  after?: string;
  project?: string;
}

/** The API refused, or went wrong. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  /** Such as `urn:baton:scope`. */
  readonly type: string;

  constructor(status: number, { type = "about:blank", detail = "" }: { type?: string; detail?: string }) {
    super(detail || `The server answered ${status}.`);
    this.status = status;
    this.type = type;
  }
}

export function createClient({ url = "", token, fetch: given = fetch }: ClientOptions = {}): Client {
  let proof: string | undefined;
  const ask = (path: string, init: RequestInit, accept: string): Promise<Response> =>
    given(`${url}${API}${path}`, {
      ...init,
      headers: {
        accept,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(proof !== undefined && { [PROOF_HEADER]: proof }),
        ...init.headers,
      },
    });
  const call = async (name: OperationName, named: object, body: unknown, options: CallOptions = {}) => {
    const { method, path } = OPERATIONS[name];
    const isChange = method !== "GET";
    // With a cookie, what a page changes needs what the session says.
    if (isChange && token === undefined && proof === undefined && name !== "signIn")
      await call("getSession", {}, undefined);
    const { signal, idempotencyKey } = options;
    const answer = await ask(
      filled(path, named),
      {
        method,
        ...(signal && { signal }),
        headers: {
          ...(isChange && { "content-type": "application/json" }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        },
        ...(isChange && { body: JSON.stringify(body ?? {}) }),
      },
      "application/json",
    );
    const read = await json(answer);
    if (typeof read.csrf === "string") proof = read.csrf;
    return read;
  };
  const names = Object.keys(OPERATIONS) as OperationName[];
  const calls = Object.fromEntries(
    names.map((name) => [
      name,
      (named: object = {}, body?: unknown, options?: CallOptions) => call(name, named, body, options),
    ]),
  );
  const stream = (wanted: StreamWanted = {}, { signal }: { signal?: AbortSignal } = {}) =>
    resumed(
      (path, headers) => ask(path, { headers, ...(signal && { signal }) }, "text/event-stream"),
      wanted,
      signal,
    );
  return { ...calls, stream } as unknown as Client;
}

async function json(answer: Response): Promise<Record<string, unknown>> {
  const text = await answer.text();
  const read: unknown = text === "" ? {} : JSON.parse(text);
  if (!answer.ok) throw new ApiError(answer.status, read as { type?: string; detail?: string });
  return read as Record<string, unknown>;
}

/** Names that the path has go there, the others behind the `?`. */
function filled(path: string, named: object): string {
  const left = new URLSearchParams();
  let at = path;
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) continue;
    if (at.includes(`:${name}`)) at = at.replace(`:${name}`, encodeURIComponent(String(value)));
    else left.set(name, String(value));
  }
  return left.size === 0 ? at : `${at}?${left}`;
}

const PAUSE_MS = 1_000;

async function* resumed(
  open: (path: string, headers: Record<string, string>) => Promise<Response>,
  { topics, after, project }: StreamWanted,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage> {
  let last = after;
  const path = filled("/stream", { topics: topics?.join(","), project });
  while (!signal?.aborted) {
    try {
      const answer = await open(path, last === undefined ? {} : { "last-event-id": last });
      if (!answer.ok || !answer.body) {
        await json(answer);
        return;
      }
      for await (const message of messagesIn(answer.body)) {
        if (message.id !== undefined) last = message.id;
        yield message;
        if (message.type === "revoked") return;
      }
    } catch (error) {
      if (signal?.aborted) return;
      // What is refused stays refused; a server that is not there may come back.
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const pieces = text.split("\n\n");
      text = pieces.pop() ?? "";
      for (const piece of pieces) {
        const message = messageIn(piece);
        if (message) yield message;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function messageIn(piece: string): StreamMessage | undefined {
  const fields = new Map(
    piece.split("\n").map((line) => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const [type, data, id] = [fields.get("event"), fields.get("data"), fields.get("id")];
  if (type === undefined || data === undefined) return undefined;
  return { type, data: JSON.parse(data), ...(id !== undefined && { id }) } as StreamMessage;
}
