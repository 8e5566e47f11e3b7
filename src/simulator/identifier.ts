import { randomUUID } from "node:crypto";

/** Random, because a session that is resumed on another simulator must not meet an id again. */
export function identifier(prefix: "msg" | "req" | "toolu" | "sig"): string {
  return `${prefix}_01${randomUUID().replaceAll("-", "").slice(0, 22)}`;
}
