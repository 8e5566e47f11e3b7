import { secretsIn, withhold } from "../secrets/withhold.ts";
import { fetchFailure } from "../util/errors.ts";
import { HookError } from "./hook-call.ts";

export interface Sending {
  url: string;
  method: "POST" | "PUT";
  headers: Record<string, string>;
  body: string;
  /** How often it is sent again after a failure that may pass. */
  retries: number;
  /** Never to be seen in what comes back from here. */
  secrets: string[];
  /** The seconds that an answer asks to wait, where it says so in its text. */
  askedToWait?: (text: string) => number | undefined;
}

interface Limits {
  /** For everything: all attempts, and the waiting between them. */
  timeoutMs: number;
  signal: AbortSignal;
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Answer {
  /** The host that gave it; its full address may hold a key. */
  host: string;
  status: number;
  ok: boolean;
  /** The beginning of it, without secrets. */
  text: string;
  attempts: number;
  /** How long it asks to wait before the next attempt. */
  waitMs?: number;
}

const BACKOFF_MS = [1_000, 4_000, 10_000];
const TEXT_LIMIT = 16 * 1024;
const PASSING = new Set([408, 425, 429]);

/** For the one who reads that a hook failed. */
export function asksToWait({ waitMs }: Answer): string {
  return waitMs === undefined ? "" : `, and asks to wait ${Math.ceil(waitMs / 1_000)} s`;
}

/** Sends one body, again where that may help, and never to another place than it was told. */
export async function send(sending: Sending, limits: Limits): Promise<Answer> {
  const url = target(sending.url);
  const headers = headersOf(sending.headers);
  const secrets = [...sending.secrets, ...secretsIn(url)];
  const ends = performance.now() + limits.timeoutMs;
  const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.timeoutMs)]);
  let before = "";
  for (let attempts = 1; ; attempts++) {
    try {
      const got = await attempt(sending, url, headers, secrets, signal);
      const waitMs = got.waitMs ?? backoff(attempts);
      const again = mayPass(got) && attempts <= sending.retries && performance.now() + waitMs < ends;
      if (!again) {
        if ("unreachable" in got) throw new HookError(unreachable(url.host, got.unreachable, attempts));
        return { ...got, attempts };
      }
      before = ` (before: ${"unreachable" in got ? got.unreachable : `status ${got.status}`})`;
      await limits.sleep(waitMs, signal);
    } catch (error) {
      if (limits.signal.aborted) throw new HookError("it was ended, because the job is ending");
      if (!signal.aborted) throw error;
      throw new HookError(
        `${url.host} took longer than ${limits.timeoutMs} ms${before}. Give it a longer timeout, or look at the receiver.`,
      );
    }
  }
}

type Attempt = Omit<Answer, "attempts"> | { unreachable: string; waitMs?: never };

function mayPass(got: Attempt): boolean {
  return "unreachable" in got || PASSING.has(got.status) || got.status >= 500;
}

async function attempt(
  { method, body, askedToWait }: Sending,
  url: URL,
  headers: Headers,
  secrets: string[],
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    const response = await fetch(url, { method, headers, body, signal, redirect: "manual" });
    const { status, ok } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new HookError(redirected(url, response));
    }
    const { text, cut } = await beginning(response);
    const seconds = askedToWait?.(text) ?? retryAfter(response.headers.get("retry-after"));
    const waitMs = seconds === undefined ? undefined : Math.max(0, seconds * 1_000);
    const clean = withhold(text, secrets, cut);
    return { host: url.host, status, ok, text: clean, ...(waitMs !== undefined && { waitMs }) };
  } catch (error) {
    if (signal.aborted || error instanceof HookError) throw error;
    return { unreachable: withhold(fetchFailure(error), secrets) };
  }
}

function target(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new HookError("its address is not an http or https URL. Correct it in the configuration.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new HookError(
      `the address of ${url.host} has a user name in it. Put an Authorization header instead.`,
    );
  }
  return url;
}

/** One by one, because the platform's own error would show the value. */
function headersOf(entries: Record<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(entries)) {
    try {
      headers.set(name, value);
    } catch {
      throw new HookError(
        `the header ${JSON.stringify(name)} cannot be sent: its name or its value has characters that HTTP does not allow.`,
      );
    }
  }
  return headers;
}

async function beginning(response: Response): Promise<{ text: string; cut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length > TEXT_LIMIT) return { text: text.slice(0, TEXT_LIMIT), cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}

function redirected(from: URL, response: Response): string {
  const to = URL.parse(response.headers.get("location") ?? "", from.href);
  const where = to === null || to.origin === from.origin ? "elsewhere" : `to ${to.origin}`;
  return (
    `${from.host} answered ${response.status} and points ${where}. Redirects are not followed, because the payload ` +
    "would go where nobody allowed it to. Write the final address into the configuration."
  );
}

/** In seconds, or as a date. */
function retryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (!Number.isNaN(seconds)) return seconds;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : (date - Date.now()) / 1_000;
}

function backoff(attempts: number): number {
  return BACKOFF_MS[Math.min(attempts, BACKOFF_MS.length) - 1] ?? 0;
}

function unreachable(host: string, why: string, attempts: number): string {
  const tries = attempts === 1 ? "" : ` in ${attempts} attempts`;
  return `${host} could not be reached${tries} (${why}). Is the address right, and is it up?`;
}
