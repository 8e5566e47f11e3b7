import type { Models } from "../agents/agent.ts";
import type { AgentEvent, ContextUsage, TokenUsage, WindowFill } from "../agents/events.ts";
import { TOKENS_A_CHARACTER } from "../agents/tokens.ts";

/** Growth is the mean of this many turns: enough to smooth one big file, few enough to follow the work. */
const TURNS_OF_GROWTH = 5;

/** Fewer characters than this measure nothing: what else a request adds would count as theirs. */
const ENOUGH_TO_MEASURE = 2_000;

/** The key of what the live program said before it named its model. */
const UNNAMED = "";

/** The live program comes first: it knows the plan, the provider and the settings. */
interface ContextWindow {
  tokens: number;
  source: "live" | "table" | "configured";
}

interface LiveWindow {
  tokens: number;
  autoCompactThreshold: number | undefined;
}

export interface ContextState {
  /** The newest main-thread model, in the spelling that tells its window. */
  readonly model: string | undefined;
  /** What the next request will carry at least. 0 until it is known, also right after a compaction. */
  readonly tokens: number;
  readonly peak: number;
  /** Responses of the main thread. */
  readonly turns: number;
  /** Tokens per turn, undefined until two responses can be compared. */
  readonly growth: number | undefined;
  readonly window: ContextWindow | undefined;
  /** Where the agent's own compaction would set in, if it is on and has said so for this model. */
  readonly autoCompactThreshold: number | undefined;
  readonly compacting: boolean;
  /** The response that `tokens` comes from. Undefined where the next response is a baseline, not growth. */
  readonly response: { readonly id: string; readonly tokensBefore: number | undefined } | undefined;
  /** Positive growth of the turns before `response`, newest last. */
  readonly pastGrowth: readonly number[];
  /** Characters that the next request carries beyond `tokens`. Missing where none are known. */
  readonly pending?: number;
  /** True where the newest response came without a figure: what was said since the last one counts as pending too. */
  readonly isUnmeasured?: boolean;
  /** True where `tokens` is what an adapter reckons, because its program tells nothing. */
  readonly isEstimate?: boolean;
  /** Results of tools whose tokens a response told. */
  readonly measured?: { readonly tokens: number; readonly characters: number };
  /** What the live program said, by model: it must not outlive a model switch. */
  readonly live: Readonly<Record<string, LiveWindow>>;
  readonly configuredWindow: number | undefined;
}

export function initialContext({ configuredWindow }: { configuredWindow?: number }): ContextState {
  return {
    model: undefined,
    tokens: 0,
    peak: 0,
    turns: 0,
    growth: undefined,
    window: configured(configuredWindow),
    autoCompactThreshold: undefined,
    compacting: false,
    response: undefined,
    pastGrowth: [],
    live: {},
    configuredWindow,
  };
}

/** The state after an event; the same object if the event says nothing new about the window. */
export function track(state: ContextState, event: AgentEvent, models: Models): ContextState {
  switch (event.type) {
    case "init":
      return withModel(state, event.model, models);
    case "response":
      return event.subagent === undefined ? withResponse(state, event, models) : state;
    case "tool:end":
      return event.subagent === undefined ? withPending(state, event.output) : state;
    case "text":
      return state.isUnmeasured && event.subagent === undefined ? withPending(state, event.text) : state;
    case "context":
      return withLiveUsage(state, event.usage, models);
    case "compaction:start":
      return state.compacting ? state : { ...state, compacting: true };
    case "compaction:end":
      return event.ok ? compacted(state, event) : withoutCompaction(state);
    case "turn:end":
      // A compaction whose end was never reported must not silence the policy for good.
      return withoutCompaction(withLiveWindows(state, event.windows, models));
    default:
      return state;
  }
}

export function percentUsed(state: ContextState): number | undefined {
  if (state.window === undefined) return undefined;
  return Math.min(100, (tokensInUse(state) / state.window.tokens) * 100);
}

/** What decisions go by: the exact figure, and an estimate only where the newest response came without one. */
export function tokensInUse(state: ContextState): number {
  return state.isUnmeasured ? state.tokens + pendingTokens(state) : state.tokens;
}

/** About how much the next request carries beyond `tokens`: results of tools that no response has counted yet. */
export function pendingTokens({ pending = 0, measured }: ContextState): number {
  const isMeasured = measured !== undefined && measured.characters >= ENOUGH_TO_MEASURE;
  return Math.round(pending * (isMeasured ? measured.tokens / measured.characters : TOKENS_A_CHARACTER));
}

function withPending(state: ContextState, text: string): ContextState {
  return text === "" ? state : { ...state, pending: (state.pending ?? 0) + text.length };
}

/** Whole turns that still fit at the observed growth. */
export function turnsLeft(state: ContextState): number | undefined {
  if (state.window === undefined || state.growth === undefined) return undefined;
  return Math.max(0, Math.floor((state.window.tokens - tokensInUse(state)) / state.growth));
}

function withResponse(
  state: ContextState,
  response: { id: string; model: string; usage?: TokenUsage; window?: WindowFill },
  models: Models,
): ContextState {
  const { input, cacheRead, cacheWrite, output } = response.usage ?? NO_USAGE;
  const sent = input + cacheRead + cacheWrite;
  const tokens = response.window?.tokens ?? sent + output;
  if (tokens === 0) return state.isUnmeasured ? state : { ...state, isUnmeasured: true };

  // A response may name its model without the window that it was asked for with.
  const { model = response.model } = state;
  const named = withModel(state, models.isSameModel(model, response.model) ? model : response.model, models);
  const repeated = state.response?.id === response.id;
  // Other blocks of it may come after the results of its first ones.
  const { pending, isUnmeasured: _, isEstimate: __, ...counted } = named;
  const known = repeated ? named : { ...counted, ...measuredWith(state, sent) };
  if (repeated && named === state && tokens === state.tokens) return state;

  const pastGrowth = repeated ? state.pastGrowth : allGrowth(state);
  const tokensBefore = repeated ? state.response.tokensBefore : state.response && state.tokens;
  const next = {
    ...known,
    tokens,
    peak: Math.max(state.peak, tokens),
    turns: repeated ? state.turns : state.turns + 1,
    ...(response.window?.isEstimate && { isEstimate: true }),
    response: { id: response.id, tokensBefore },
    pastGrowth,
  };
  return { ...next, growth: mean(allGrowth(next)) };
}

const NO_USAGE: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** What the results before a request came to, now that it is known. */
function measuredWith(state: ContextState, sent: number): Pick<ContextState, "measured"> {
  const { pending = 0, measured = { tokens: 0, characters: 0 }, response, tokens, isUnmeasured } = state;
  const added = sent - tokens;
  if (pending === 0 || response === undefined || isUnmeasured || added <= 0) return {};
  return { measured: { tokens: measured.tokens + added, characters: measured.characters + pending } };
}

function allGrowth(state: Pick<ContextState, "tokens" | "response" | "pastGrowth">): readonly number[] {
  const before = state.response?.tokensBefore;
  if (before === undefined || state.tokens <= before) return state.pastGrowth;
  return [...state.pastGrowth, state.tokens - before].slice(-TURNS_OF_GROWTH);
}

function mean(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The next response is a new baseline. The pace of the work stays what it was. */
function compacted(
  state: ContextState,
  { before = 0, after = 0 }: { before?: number; after?: number },
): ContextState {
  const { pending: _, ...rest } = state;
  return {
    ...rest,
    compacting: false,
    tokens: after,
    peak: Math.max(state.peak, before, after),
    response: undefined,
    pastGrowth: allGrowth(state),
  };
}

function withoutCompaction(state: ContextState): ContextState {
  return state.compacting ? { ...state, compacting: false } : state;
}

function withModel(state: ContextState, model: string, models: Models): ContextState {
  if (model === state.model) return state;
  const { [UNNAMED]: unnamed, ...named } = state.live;
  const live = unnamed === undefined ? named : { [models.windowKey(model)]: unnamed, ...named };
  return withWindow({ ...state, model, live }, models);
}

function withLiveUsage(state: ContextState, usage: ContextUsage, models: Models): ContextState {
  const live = {
    tokens: usage.window,
    autoCompactThreshold: usage.autoCompact ? usage.autoCompactThreshold : undefined,
  };
  const next = withLive(state, state.model ?? UNNAMED, live, models);
  // The live count leaves out the newest output, so it only stands in where no response has told yet.
  if (state.response !== undefined || usage.tokens === state.tokens) return next;
  return { ...next, tokens: usage.tokens, peak: Math.max(state.peak, usage.tokens) };
}

function withLiveWindows(state: ContextState, windows: Record<string, number>, models: Models): ContextState {
  return Object.entries(windows).reduce((next, [model, tokens]) => {
    const known = next.live[models.windowKey(model)];
    return withLive(next, model, { autoCompactThreshold: undefined, ...known, tokens }, models);
  }, state);
}

function withLive(state: ContextState, model: string, live: LiveWindow, models: Models): ContextState {
  const key = models.windowKey(model);
  const known = state.live[key];
  if (known?.tokens === live.tokens && known.autoCompactThreshold === live.autoCompactThreshold) return state;
  return withWindow({ ...state, live: { ...state.live, [key]: live } }, models);
}

function withWindow(state: ContextState, models: Models): ContextState {
  const live = state.live[state.model === undefined ? UNNAMED : models.windowKey(state.model)];
  return {
    ...state,
    window: live ? { tokens: live.tokens, source: "live" } : offlineWindow(state, models),
    autoCompactThreshold: live?.autoCompactThreshold,
  };
}

function offlineWindow(
  { model, configuredWindow }: ContextState,
  { windowOf }: Models,
): ContextWindow | undefined {
  const tokens = model === undefined ? undefined : windowOf(model);
  return tokens === undefined ? configured(configuredWindow) : { tokens, source: "table" };
}

function configured(tokens: number | undefined): ContextWindow | undefined {
  return tokens === undefined ? undefined : { tokens, source: "configured" };
}
