import {
  AFTER,
  BETWEEN,
  BOTTOM,
  GAP,
  GAP_WORDS,
  HEIGHT,
  laneShape,
  laneWidths,
  level,
  NARROWEST,
  TOP,
} from "../../job/relay/geometry.ts";
import type { Lane } from "../../job/relay/lanes.ts";
import { age, counted, money } from "../../util/figures.ts";
import { type Html, html } from "./html.ts";

export interface DrawnHandoff {
  number: number;
  fromSession: string;
  outcome: string;
  isChecked: boolean;
}

/** The relay of a job as a drawing that needs no script. */
export function relayDrawing(lanes: readonly Lane[], handoffs: readonly DrawnHandoff[]): Html {
  if (lanes.length === 0) return html`<p>No session has started.</p>`;
  const widths = laneWidths(lanes);
  const isLastHandedOff = handoffs.some(({ fromSession }) => fromSession === lanes.at(-1)?.session);
  const after = isLastHandedOff ? AFTER : -BETWEEN;
  const total = widths.reduce((sum, width) => sum + width + BETWEEN, after);
  let x = 0;
  const drawn = lanes.map((lane, index) => {
    const left = x;
    const width = widths[index] ?? NARROWEST;
    x += width + BETWEEN;
    const handoff = handoffs.findLast(({ fromSession }) => fromSession === lane.session);
    return html`${laneDrawing(lane, left, width)}${handoff && diamond(handoff, lane, left + width + BETWEEN / 2)}`;
  });
  const words = `${counted(lanes.length, "session")} and ${counted(handoffs.length, "handoff")}`;
  return html`<div class="scrolls"><svg viewBox="0 0 ${total} ${HEIGHT}" role="img" aria-label="${words}">${drawn}</svg></div>`;
}

function laneDrawing(lane: Lane, x: number, width: number): Html {
  const { window, gaps, at, line, area } = laneShape(lane, x, width);
  const note = [
    counted(lane.turns, "turn"),
    age(lane.ms),
    ...(lane.costUsd > 0 ? [money(lane.costUsd)] : []),
  ];
  const mark = lane.mark === null ? undefined : level(lane.mark / window);
  return html`<text x="${x}" y="16"><tspan class="strong">Session ${lane.ordinal}</tspan> ${note.join(" · ")}</text>
<rect class="lane" x="${x}" y="${TOP}" width="${width}" height="${BOTTOM - TOP}" rx="4"/>
${mark === undefined ? undefined : html`<line class="mark" x1="${x}" x2="${x + width}" y1="${mark}" y2="${mark}"/>`}
<path class="area" d="${area}"/><path class="curve" d="${line}"/>
${gaps.map(
  (gap) =>
    html`<rect class="gap" x="${at(gap.ms)}" y="${TOP}" width="${GAP}" height="${BOTTOM - TOP}"><title>${GAP_WORDS[gap.because]}, ${age(gap.lastedMs)}</title></rect>`,
)}
${lane.checkpoints.map(({ ms, number }) => html`<circle class="dot" cx="${at(ms)}" cy="${BOTTOM}" r="2.5"><title>checkpoint ${number}</title></circle>`)}`;
}

function diamond({ number, outcome, isChecked }: DrawnHandoff, lane: Lane, x: number): Html {
  const at = level(lane.mark === null ? 1 : lane.mark / (lane.window ?? lane.mark));
  return html`<path class="diamond" d="M${x} ${at - 9}l9 9-9 9-9-9Z"/>
<text class="violet" x="${x}" y="${BOTTOM + 16}" text-anchor="middle">handoff ${number}${isChecked ? " ✓" : ""}</text>
<text x="${x}" y="${BOTTOM + 31}" text-anchor="middle">${outcome}</text>`;
}
