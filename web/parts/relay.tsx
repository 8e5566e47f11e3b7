import type { AnswerOf } from "../../src/http/contract.ts";
import {
  AHEAD,
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
} from "../../src/job/relay/geometry.ts";
import { lasting, money } from "./words.ts";

type Lane = AnswerOf<"getRelay">["lanes"][number];

interface RelayHandoff {
  number: number;
  fromSession: string;
  percent: number;
  outcome: string;
  /** Every check held. */
  isChecked: boolean;
}

/** The face of a job: one lane per session, its window filling up to the mark, the checked handoff between. */
export function Relay({ lanes, handoffs, hrefOf, turnsLeft }: RelayProps) {
  if (lanes.length === 0) return <p class="soft">No session has started yet.</p>;
  const widths = laneWidths(lanes);
  const ahead = lanes.at(-1)?.end === null ? AHEAD : -BETWEEN;
  const total = widths.reduce((sum, width) => sum + width + BETWEEN, ahead);
  let x = 0;
  return (
    <div class="relay">
      {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset. */}
      <svg
        viewBox={`0 0 ${total} ${HEIGHT}`}
        style={{ minWidth: `${Math.min(total, lanes.length * 220)}px` }}
        role="group"
        aria-label={inWords(lanes, handoffs)}
      >
        <defs>
          <pattern id="lost" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <line x1="0" y1="0" x2="0" y2="5" stroke="var(--warn)" stroke-width="1.5" />
          </pattern>
        </defs>
        {lanes.map((lane, index) => {
          const left = x;
          const width = widths[index] ?? NARROWEST;
          x += width + BETWEEN;
          const handoff = handoffs.findLast(({ fromSession }) => fromSession === lane.session);
          return (
            <g key={lane.session}>
              <LaneDrawing
                lane={lane}
                x={left}
                width={width}
                isNow={lane.end === null}
                turnsLeft={turnsLeft}
                hrefOf={hrefOf}
              />
              {handoff && (
                <Diamond
                  x={left + width + BETWEEN / 2}
                  of={handoff}
                  href={hrefOf({ kind: "handoff", number: handoff.number })}
                  lane={lane}
                />
              )}
            </g>
          );
        })}
      </svg>
      <div class="legend" aria-hidden="true">
        <span>
          ● checkpoint <span class="violet">◆ handoff ┄ where it hands off</span>
        </span>
        <span>open a handoff or a checkpoint to look at it, or to fork from there</span>
      </div>
    </div>
  );
}

/** Where one reads of a moment, and can fork from it. */
type HrefOf = (moment: { kind: "handoff" | "checkpoint"; number: number }) => string;

interface RelayProps {
  lanes: readonly Lane[];
  handoffs: readonly RelayHandoff[];
  hrefOf: HrefOf;
  turnsLeft?: number | undefined;
}

function LaneDrawing({ lane, x, width, isNow, turnsLeft, hrefOf }: LaneDrawingProps) {
  const ahead = isNow ? AHEAD : 0;
  const { window, gaps, at, line, area, last } = laneShape(lane, x, width);
  const share = (lane.points.at(-1)?.tokens ?? 0) / window;
  const isNear = lane.mark !== null && share * window >= lane.mark * 0.85;
  const colour = isNow && isNear ? "var(--warn)" : "var(--soft)";
  return (
    <>
      <text x={x} y={16} class="strong">
        Session {lane.ordinal}
        <tspan dx="8" class="note" font-weight="400" fill="var(--soft)">
          {noteOf(lane, isNow)}
        </tspan>
      </text>
      <rect x={x} y={TOP} width={width + ahead} height={BOTTOM - TOP} fill="var(--bg)" rx="4" />
      {lane.mark !== null && (
        <line
          x1={x}
          x2={x + width + ahead}
          y1={level(lane.mark / window)}
          y2={level(lane.mark / window)}
          stroke="var(--accent)"
          stroke-width="1.5"
          stroke-dasharray="1 4"
          stroke-linecap="round"
        />
      )}
      <path d={area} fill="var(--fill)" opacity=".34" />
      <path d={line} fill="none" stroke={colour} stroke-width="1.6" />
      {gaps.map((gap) => (
        <g key={`${gap.ms} ${gap.because}`}>
          <title>{`${GAP_WORDS[gap.because]}, ${lasting(gap.lastedMs)}`}</title>
          <rect x={at(gap.ms)} y={TOP} width={GAP} height={BOTTOM - TOP} fill="var(--panel)" />
          <rect x={at(gap.ms)} y={TOP} width={GAP} height={BOTTOM - TOP} fill="url(#lost)" opacity=".45" />
          {gap.lastedMs >= lane.ms / 12 && at(gap.ms) + 100 < x + width && (
            <text x={at(gap.ms) + GAP + 4} y={BOTTOM - 6}>
              {GAP_WORDS[gap.because]}, {lasting(gap.lastedMs)}
            </text>
          )}
        </g>
      ))}
      {lane.checkpoints.map(({ ms, number }) => (
        <a
          key={number}
          href={hrefOf({ kind: "checkpoint", number })}
          aria-label={`Checkpoint ${number}: look, or fork`}
        >
          <circle cx={at(ms)} cy={BOTTOM} r="7" fill="transparent" />
          <circle class="dot" cx={at(ms)} cy={BOTTOM} r="2.5" fill="var(--soft)">
            <title>{`checkpoint ${number}`}</title>
          </circle>
        </a>
      ))}
      {isNow && last && (
        <>
          <circle class="live" cx={last.x} cy={last.y} r="4" fill={colour} />
          <text x={last.x + 8} y={last.y + 4} class="strong">
            {Math.round(share * 100)} %
          </text>
          {turnsLeft !== undefined && (
            <text x={last.x + 8} y={last.y + 18}>
              ~{turnsLeft} turns
            </text>
          )}
        </>
      )}
    </>
  );
}

interface LaneDrawingProps {
  lane: Lane;
  x: number;
  width: number;
  isNow: boolean;
  turnsLeft?: number | undefined;
  hrefOf: HrefOf;
}

function Diamond({ x, of, href, lane }: { x: number; of: RelayHandoff; href: string; lane: Lane }) {
  const window = lane.window ?? 1;
  const peak = (lane.points.at(-1)?.tokens ?? window) / window;
  const at = level(lane.mark === null ? peak : lane.mark / window);
  const words = `handoff ${of.number} ${of.isChecked ? "✓" : ""}`;
  return (
    <a href={href} aria-label={`Handoff ${of.number} at ${Math.round(of.percent)} %, ${of.outcome}`}>
      <rect x={x - BETWEEN / 2} y={at - 9} width={BETWEEN} height={BOTTOM + 34 - at} fill="transparent" />
      <path class="diamond" d={`M${x} ${at - 9}l9 9-9 9-9-9Z`} fill="var(--accent)" />
      <text x={x} y={BOTTOM + 16} text-anchor="middle" class="handoff">
        {words}
      </text>
      <text x={x} y={BOTTOM + 31} text-anchor="middle">
        {of.outcome}
      </text>
    </a>
  );
}

function noteOf(lane: Lane, isNow: boolean): string {
  const parts = [
    `${lane.turns} turns`,
    isNow ? "now" : lasting(lane.ms),
    ...(lane.costUsd > 0 ? [money(lane.costUsd)] : []),
  ];
  return parts.join(" · ");
}

function inWords(lanes: readonly Lane[], handoffs: readonly RelayHandoff[]): string {
  const sessions = lanes.map((lane) => {
    const peak = Math.max(0, ...lane.points.map(({ tokens }) => tokens));
    const full = lane.window ? `${Math.round((peak / lane.window) * 100)} percent full` : "of unknown window";
    return `session ${lane.ordinal}, ${full}, ${lane.end === null ? "at work" : `ended: ${lane.end}`}`;
  });
  return `${lanes.length} sessions and ${handoffs.length} handoffs: ${sessions.join("; ")}`;
}
