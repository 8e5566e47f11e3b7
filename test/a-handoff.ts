import type { SessionHandoff } from "../src/sessions/record/handoff-state.ts";

export type State = SessionHandoff["state"];
export type In<S extends State> = Extract<SessionHandoff, { state: S }>;

const begun = { at: "2026-01-01T00:00:00.000Z", number: 1, trigger: "threshold" } as const;
const written = { ...begun, documentPath: "/d.md" };

const PLAIN: { [S in State]: In<S> } = {
  asked: { ...begun, state: "asked" },
  stored: { ...written, state: "stored" },
  clearing: { ...written, state: "clearing" },
  pending: { ...written, state: "pending", reason: "nobody could go on" },
  failed: { ...written, state: "failed", reason: "it could not be committed" },
  cancelled: { ...written, state: "cancelled" },
  "taken-up": { ...written, state: "taken-up", successor: "next" },
};

/** The handoff of a person's session, in this state. */
export function aHandoff<S extends State>(state: S, more: Partial<In<S>> = {}): In<S> {
  return { ...PLAIN[state], ...more };
}
