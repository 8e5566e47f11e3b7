import type { AccessState } from "../sqlite/access-state.ts";

/** A code that signs one browser in, once. */
export function addSignIn({ db }: AccessState, hash: string, expiresAt: Date): void {
  db.prepare("INSERT INTO sign_ins (hash, expires_at) VALUES (?, ?)").run(hash, expiresAt.toISOString());
}

/** Whether there was one that holds. It is gone then, whoever else has it. */
export function takeSignIn({ db }: AccessState, hash: string, now: Date): boolean {
  db.prepare("DELETE FROM sign_ins WHERE expires_at < ?").run(now.toISOString());
  return db.prepare("DELETE FROM sign_ins WHERE hash = ?").run(hash).changes > 0;
}
