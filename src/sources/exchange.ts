import { messageOf } from "../util/errors.ts";

export interface Sent {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  timeoutMs: number;
}

export interface Received {
  status: number;
  headers: Headers;
  text: string;
  /** Of the last redirect that was followed. */
  redirectedTo?: URL;
}

/** No answer came, or not all of it: whether the request arrived is not known. */
export class BrokenExchange extends Error {
  override readonly name = "BrokenExchange";
}

/** What came is no answer to work with, and would not be one the next time. */
export class UnusableAnswer extends Error {
  override readonly name = "UnusableAnswer";
}

/** A hundred issues as long as GitHub takes them are less. */
const BODY_LIMIT = 32 * 1024 * 1024;
const MOST_REDIRECTS = 3;

/**
 * One request and its answer. The token goes to the origin that the user named and nowhere else: a redirect is followed only
 * there, and a request that changes something only where the redirect keeps its method.
 */
export async function exchange(sent: Sent): Promise<Received> {
  const signal = AbortSignal.any([sent.signal, AbortSignal.timeout(sent.timeoutMs)]);
  let { url } = sent;
  try {
    for (let redirects = 0; ; redirects++) {
      const { method, headers, body } = sent;
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: "manual",
        ...(body !== undefined && { body }),
      });
      const { status } = response;
      if (status < 300 || status >= 400 || status === 304) {
        const text = await boundedText(response, url);
        return {
          status,
          headers: response.headers,
          text,
          ...(redirects > 0 && { redirectedTo: url }),
        };
      }
      await response.body?.cancel();
      if (redirects === MOST_REDIRECTS) {
        throw new UnusableAnswer(`${sent.url.host} redirects again and again.`);
      }
      url = followed(sent, url, response);
    }
  } catch (error) {
    if (sent.signal.aborted || error instanceof UnusableAnswer) throw error;
    if (signal.aborted)
      throw new BrokenExchange(`${url.host} did not answer within ${sent.timeoutMs / 1_000} s`);
    throw new BrokenExchange(`${url.host} could not be reached (${reason(error)})`);
  }
}

function followed({ method }: Sent, from: URL, { status, headers }: Response): URL {
  const to = URL.parse(headers.get("location") ?? "", from.href);
  if (to === null) throw new UnusableAnswer(`${from.host} answered ${status} without saying where to.`);
  if (to.origin !== from.origin) {
    throw new UnusableAnswer(
      `${from.host} answered ${status} and points to ${to.origin}. Baton does not send a token elsewhere: write the final address into api_url.`,
    );
  }
  if (method !== "GET" && status !== 307 && status !== 308) {
    throw new UnusableAnswer(
      `${from.host} answered ${status} to ${method} ${from.pathname}: the repository has moved. Write its present name into repo.`,
    );
  }
  return to;
}

async function boundedText(response: Response, { host }: URL): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > BODY_LIMIT) {
      throw new UnusableAnswer(
        `${host} answered with more than ${BODY_LIMIT / 1024 / 1024} MB, which Baton does not read.`,
      );
    }
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** `fetch` itself only says that it failed; the cause says why. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error instanceof Error && error.cause instanceof Error ? reason(error.cause) : messageOf(error);
}
