import { count } from "./words.ts";

export interface Window {
  tokens: number;
  contextWindow: number;
  isEstimate?: boolean;
  /** What results of tools add, about. */
  pendingEstimate?: number;
  /** The tokens at which it hands off. */
  handoffAt?: number;
  turnsLeft?: number;
}

/** From this share of the way to its mark on, a window is near it. */
const NEAR = 0.85;

/** The product in 112 pixels: how full a window is, where it hands off, how many turns are left. */
export function Gauge({ of }: { of: Window | undefined }) {
  if (!of || of.contextWindow === 0) return <span class="meta">window not known yet</span>;
  const used = of.tokens + (of.pendingEstimate ?? 0);
  const isEstimate = of.isEstimate || (of.pendingEstimate ?? 0) > 0;
  const share = Math.min(1, used / of.contextWindow);
  const mark = of.handoffAt === undefined ? undefined : Math.min(1, of.handoffAt / of.contextWindow);
  const isNear = share >= (mark ?? 1) * NEAR;
  const turns = of.turnsLeft === undefined ? "" : ` · ${turnsInWords(of.turnsLeft)}`;
  const words = `${isEstimate ? "~" : ""}${Math.round(share * 100)} %${turns}`;
  const whole = `${count(used)} of ${count(of.contextWindow)} tokens${isEstimate ? ", estimated" : ""}${of.handoffAt === undefined ? "" : `, hands off at ${count(of.handoffAt)}${of.turnsLeft ? `, ${turnsInWords(of.turnsLeft)} from now` : ""}`}`;
  return (
    <span class="gauge" title={whole}>
      <span class={`bar${isNear ? " near" : ""}${of.isEstimate ? " estimate" : ""}`} aria-hidden="true">
        <span class="used" style={{ width: `${share * 100}%` }} />
        {mark !== undefined && <span class="mark" style={{ left: `calc(${mark * 100}% - 1px)` }} />}
      </span>
      <span>
        <span class="hidden-from-eyes">window </span>
        {words}
      </span>
    </span>
  );
}

/** What is far away is not known that well. */
export function turnsInWords(turns: number): string {
  if (turns === 0) return "hands off next";
  return turns > 99 ? "many turns" : `~${turns} turn${turns === 1 ? "" : "s"}`;
}
