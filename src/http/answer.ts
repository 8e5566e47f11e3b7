import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

const zipped = promisify(gzip);
const WORTH_ZIPPING = 1_400;

/** For every answer; a page of its own may say otherwise. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Whether they asked for JSON. A person with `curl` asks for anything, and reads tables more easily. */
export function wantsJson(headers: Headers): boolean {
  return /[/+]json\b/i.test(headers.get("accept") ?? "");
}

/** An answer that is sent only if they have not got it yet, and in few bytes. */
export async function answered(
  request: Request,
  body: string,
  { type, status = 200 }: { type: string; status?: number },
): Promise<Response> {
  const headers = new Headers({
    "content-type": type,
    vary: "accept, accept-encoding, authorization, cookie",
  });
  if (request.method === "GET") {
    const tag = `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`;
    headers.set("etag", tag);
    const had = request.headers.get("if-none-match");
    if (had?.split(",").some((each) => each.trim() === tag))
      return new Response(null, { status: 304, headers });
  }
  const takesGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  if (!takesGzip || body.length < WORTH_ZIPPING) return new Response(body, { status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await zipped(body)), { status, headers });
}
