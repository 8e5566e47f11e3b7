import { createHmac, timingSafeEqual } from "node:crypto";
import { fromJson, isFields } from "../util/json.ts";
import { MINUTE_MS } from "../util/time.ts";

/** Who is said to have sent something, proved by what it was signed with. All of it is about the bytes as they came. */

/** `sha256=` and an HMAC of the body, in `x-hub-signature-256`. */
export function isFromGitHub(body: Uint8Array, signature: string | undefined, secret: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(signature ?? "") ?? [];
  return isSigned(body, hex, secret);
}

/** An HMAC of the body in `linear-signature`, and a time within it, so that nobody can send it again later. */
export function isFromLinear(
  body: Uint8Array,
  signature: string | undefined,
  secret: string,
  now: Date,
): boolean {
  const [, hex] = /^([0-9a-f]{64})$/i.exec(signature ?? "") ?? [];
  if (!isSigned(body, hex, secret)) return false;
  const said = fromJson(Buffer.from(body).toString("utf8"));
  const at = isFields(said) ? said.webhookTimestamp : undefined;
  return typeof at === "number" && Math.abs(now.getTime() - at) <= MINUTE_MS;
}

/** Without a secret everybody could sign. */
function isSigned(body: Uint8Array, hex: string | undefined, secret: string): boolean {
  if (hex === undefined || secret === "") return false;
  return timingSafeEqual(Buffer.from(hex, "hex"), createHmac("sha256", secret).update(body).digest());
}
