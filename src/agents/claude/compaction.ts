/** Claude Code keeps this much free for an answer and for its own summary. */
const RESERVED_TOKENS = 33_000;

/**
 * Where Claude Code compacts a session by itself, as far as its environment tells; undefined where it does not. A
 * handoff must come before: afterwards the details are gone.
 */
export function compactsAt(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  if (isOn(env.DISABLE_AUTO_COMPACT) || isOn(env.DISABLE_COMPACT)) return undefined;
  const moved = Number(env.CLAUDE_CODE_AUTO_COMPACT_WINDOW);
  const size = moved > RESERVED_TOKENS ? Math.min(moved, window) : window;
  const percent = Number(env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE);
  const usual = size - RESERVED_TOKENS;
  return percent > 0 && percent < 100 ? Math.min(usual, Math.floor((size * percent) / 100)) : usual;
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && /^(?:1|true|yes|on)$/i.test(value);
}

/** Where compaction is off, Claude Code refuses to ask the model with less room than this. */
const REFUSED_TOKENS = 23_000;

/** Where Claude Code would neither compact a session nor ask the model any more; undefined where it compacts it. */
export function refusesAt(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
): number | undefined {
  if (compactsAt(window, env) !== undefined) return undefined;
  const moved = Number(env.CLAUDE_CODE_BLOCKING_LIMIT_OVERRIDE);
  return moved > 0 ? Math.min(moved, window) : window - REFUSED_TOKENS;
}
