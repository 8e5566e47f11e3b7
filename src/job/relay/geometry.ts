import type { Lane } from "./lanes.ts";

/** Where things are in the drawing of a relay, for every face that draws one. */
export const TOP = 30;
export const BOTTOM = 160;
export const HEIGHT = 211;
/** Room for the diamond between two lanes. */
export const BETWEEN = 34;
/** What the words below a diamond need where no lane follows it. */
export const AFTER = 40;
export const NARROWEST = 184;
export const GAP = 12;
/** What the newest lane leaves free for its figures. */
export const AHEAD = 76;
export const WIDTH = 1180;

export const GAP_WORDS: Record<Lane["gaps"][number]["because"], string> = {
  limit: "limit",
  retry: "retry",
  person: "waited for you",
  stopped: "stopped",
  asleep: "asleep",
};

/** What of a lane its curve is made of. */
interface Drawn<Gap> {
  ms: number;
  window: number | null;
  points: readonly { ms: number; tokens: number }[];
  gaps: readonly Gap[];
}

/** How far down a share of the window is. */
export const level = (share: number) => BOTTOM - (BOTTOM - TOP) * Math.min(1, share);

/** By the time at work, as far as every lane can still be read. All of them are to be as wide as `wanted`, if they can. */
export function laneWidths(lanes: readonly { ms: number }[], wanted = WIDTH): number[] {
  const room = Math.max(wanted - AHEAD - lanes.length * BETWEEN, lanes.length * NARROWEST);
  const spare = room - lanes.length * NARROWEST;
  const worked = lanes.reduce((sum, { ms }) => sum + ms, 0) || 1;
  return lanes.map(({ ms }) => NARROWEST + (spare * ms) / worked);
}

/** The curve of a lane that begins at `x`, and the gaps that there is room for. */
export function laneShape<Gap extends { ms: number }>(lane: Drawn<Gap>, x: number, width: number) {
  const window = lane.window ?? Math.max(1, ...lane.points.map(({ tokens }) => tokens));
  const gaps = lane.gaps.slice(0, Math.floor((width / GAP) * 0.4));
  const scale = (width - gaps.length * GAP) / Math.max(1, lane.ms);
  const at = (ms: number) => x + ms * scale + gaps.filter((gap) => gap.ms < ms).length * GAP;
  const told = lane.points.map(({ ms, tokens }) => ({ x: at(ms), y: level(tokens / window) }));
  const [first, newest] = [told[0], told.at(-1)];
  // What its first request carried was there from the beginning, and what the last one did stays to the end.
  const end = Math.max(at(lane.ms), newest?.x ?? x);
  const points = first && newest ? [{ ...first, x }, ...told, { ...newest, x: end }] : [];
  const line = points
    .map((point, index) => `${index === 0 ? "M" : "L"}${fixed(point.x)} ${fixed(point.y)}`)
    .join("");
  const area = line === "" ? "" : `${line}V${BOTTOM}H${fixed(x)}Z`;
  const last = points.at(-1);
  return { window, gaps, at, line, area, last };
}

const fixed = (value: number) => value.toFixed(1);
