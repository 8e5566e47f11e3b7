import type { TokenUsage } from "../agents/events.ts";

/** How a job's main thread has used its windows so far, over all of its sessions: plain sums, one step a response. */
export interface Pace {
  /** The first request of a session that began from nothing, and what of it was in the cache already. */
  readonly base: Begun;
  /** The first request of the newest session that began from a handoff. */
  readonly continued?: Begun;
  /** Responses that another one of their session came before, and what they came to. */
  readonly turns: number;
  readonly growth: number;
  readonly output: number;
  /** Those for which the cache had lost most of what the one before had sent. */
  readonly misses: number;
  readonly written: { readonly tokens: number; readonly hour: number };
  /** The session that is at work. Missing until it has answered. */
  readonly here?: Here;
}

interface Begun {
  readonly tokens: number;
  readonly cached: number;
}

interface Here {
  /** The newest request, and the answer to it. */
  readonly prompt: number;
  readonly output: number;
  readonly turns: number;
  /** The request that it began with, or with which it began again after a compaction. */
  readonly start: number;
}

/** The next response comes from a session of its own. */
export function withNewSession(pace: Pace | undefined): Pace | undefined {
  if (pace?.here === undefined) return pace;
  const { here: _, ...rest } = pace;
  return rest;
}

/** After a response of the main thread. One without a figure tells nothing. */
export function paceAfter(pace: Pace | undefined, usage: TokenUsage | undefined): Pace | undefined {
  const prompt = usage ? usage.input + usage.cacheRead + usage.cacheWrite : 0;
  if (!usage || prompt === 0) return pace;
  const { cacheRead, cacheWrite, cacheWriteHour = 0, output } = usage;
  const begun = { tokens: prompt, cached: cacheRead };
  const first = { prompt, output, turns: 1, start: prompt };
  if (!pace)
    return {
      base: begun,
      turns: 0,
      growth: 0,
      output: 0,
      misses: 0,
      written: { tokens: cacheWrite, hour: cacheWriteHour },
      here: first,
    };
  const { here } = pace;
  const written = {
    tokens: pace.written.tokens + cacheWrite,
    hour: pace.written.hour + cacheWriteHour,
  };
  if (!here) return { ...pace, continued: begun, written, here: first };
  // It was compacted meanwhile.
  if (prompt < here.prompt) return { ...pace, written, here: { ...first, turns: here.turns + 1 } };
  return {
    ...pace,
    turns: pace.turns + 1,
    growth: pace.growth + prompt - here.prompt,
    output: pace.output + output,
    misses: pace.misses + (isMiss(here.prompt, cacheRead) ? 1 : 0),
    written,
    here: { ...here, prompt, output, turns: here.turns + 1 },
  };
}

/** Whether the cache had lost what was sent before: it is kept for five minutes, or for an hour. */
export function isMiss(sentBefore: number, cacheRead: number): boolean {
  return cacheRead < sentBefore / 2;
}
