import { randomUUID } from "node:crypto";
import { SIMULATED } from "../agents/simulated.ts";

/** Random, because a session that is resumed on another simulator must not meet an id again. */
export function identifier(prefix: "msg" | "resp" | "chatcmpl" | "req" | "toolu" | "sig"): string {
  return `${prefix}_${SIMULATED}${randomUUID().replaceAll("-", "").slice(0, 22)}`;
}
