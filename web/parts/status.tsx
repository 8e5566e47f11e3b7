type Tone = "run" | "wait" | "bad" | "ok" | "rest";

const LOOKS: Record<string, { icon: string; tone: Tone }> = {
  running: { icon: "▶", tone: "run" },
  waiting: { icon: "◷", tone: "wait" },
  queued: { icon: "◌", tone: "rest" },
  created: { icon: "◌", tone: "rest" },
  paused: { icon: "◆", tone: "wait" },
  interrupted: { icon: "◇", tone: "wait" },
  completed: { icon: "✓", tone: "ok" },
  failed: { icon: "✕", tone: "bad" },
  cancelled: { icon: "⊘", tone: "rest" },
};

/** An icon and a word, never a colour alone. */
export function Status({ status, word = status }: { status: string; word?: string }) {
  const { icon, tone } = LOOKS[status] ?? { icon: "·", tone: "rest" };
  return (
    <span class={`status ${tone}`}>
      <i aria-hidden="true">{icon}</i>
      {word}
    </span>
  );
}
