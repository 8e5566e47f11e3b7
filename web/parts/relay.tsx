import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AnswerOf } from "../../src/http/contract.ts";
import {
  AFTER,
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
  WIDTH,
} from "../../src/job/relay/geometry.ts";
import { turnsInWords } from "./gauge.tsx";
import { count, counted, lasting, money } from "./words.ts";

type Lane = AnswerOf<"getRelay">["lanes"][number];

interface RelayHandoff {
  number: number;
  fromSession: string;
  percent: number;
  outcome: string;
  /** What it took the next session until it did something new. */
  rampUp?: { turns: number; costUsd: number | null };
  /** Every check held. */
  isChecked: boolean;
}

/** The face of a job: one lane per session, its window filling up to the mark, the checked handoff between. */
export function Relay({ lanes, handoffs, hrefOf, turnsLeft }: RelayProps) {
  const frame = useRef<HTMLDivElement>(null);
  const wide = useWidth(frame, lanes.length > 0);
  const newest = lanes.at(-1);
  useNewestInView(frame, newest?.end === null ? newest.session : undefined);
  if (lanes.length === 0) return <p class="soft">No session has started yet.</p>;
  const isHandedOff = handoffs.some(({ fromSession }) => fromSession === newest?.session);
  const ahead = newest?.end === null ? AHEAD : isHandedOff ? AFTER : -BETWEEN;
  const widths = laneWidths(lanes, wide + AHEAD - ahead);
  const total = widths.reduce((sum, width) => sum + width + BETWEEN, ahead);
  // Below are only the words of handoffs.
  const height = handoffs.length > 0 ? HEIGHT : BOTTOM + 10;
  const isHatched = lanes.some(({ gaps }) => gaps.length > 0);
  let x = 0;
  return (
    <div class="relay">
      <div class="drawing" ref={frame}>
        {/* biome-ignore lint/a11y/useSemanticElements: a drawing is no fieldset. */}
        <svg
          viewBox={`0 0 ${total} ${height}`}
          width={total}
          height={height}
          role="group"
          aria-label={inWords(lanes, handoffs)}
        >
          <defs>
            <pattern
              id="lost"
              width="5"
              height="5"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
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
                  />
                )}
              </g>
            );
          })}
        </svg>
      </div>
      <div class="legend" aria-hidden="true">
        <span>
          <span>● checkpoint</span> <span class="violet">◆ handoff</span>{" "}
          <span class="violet">┄ where it hands off</span>
          {isHatched && <span>▨ time in which nothing was done</span>}
        </span>
        <span>open a handoff or a checkpoint to look at it, or to fork from there</span>
      </div>
    </div>
  );
}

/** As wide as there is room for, so that its words are as large as those around it. */
function useWidth(frame: { current: HTMLDivElement | null }, isThere: boolean): number {
  const [width, setWidth] = useState(WIDTH);
  useLayoutEffect(() => {
    const element = frame.current;
    if (!isThere || !element) return undefined;
    const watching = new ResizeObserver(() => setWidth(element.clientWidth));
    watching.observe(element);
    setWidth(element.clientWidth);
    return () => watching.disconnect();
  }, [frame, isThere]);
  return width;
}

/** Where not all lanes fit, the one at work is what people come for. */
function useNewestInView(frame: { current: HTMLDivElement | null }, session: string | undefined): void {
  useLayoutEffect(() => {
    if (session !== undefined) frame.current?.scrollTo({ left: frame.current.scrollWidth });
  }, [frame, session]);
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
      <rect x={x} y={TOP} width={width + ahead} height={BOTTOM - TOP} fill="var(--bg)" rx="4">
        <title>{aboutLane(lane)}</title>
      </rect>
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
      <path d={area} fill="var(--fill)" opacity=".34" pointer-events="none" />
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
              {turnsInWords(turnsLeft)}
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

function Diamond({ x, of, href }: { x: number; of: RelayHandoff; href: string }) {
  const at = level(of.percent / 100);
  const words = `handoff ${of.number}${of.isChecked ? " ✓" : ""}`;
  const rampUp = of.rampUp && rampUpInWords(of.rampUp);
  const came = `at ${Math.round(of.percent)} %, ${of.outcome}`;
  const all = [words, came, rampUp].filter(Boolean).join(" ");
  return (
    <a href={href} aria-label={all}>
      <rect x={x - BETWEEN / 2} y={at - 9} width={BETWEEN} height={HEIGHT - at} fill="transparent" />
      <path class="diamond" d={`M${x} ${at - 9}l9 9-9 9-9-9Z`} fill="var(--accent)" />
      <text x={x} y={BOTTOM + 16} text-anchor="middle">
        <tspan class="handoff">{words}</tspan>{" "}
        <tspan x={x} dy="15">
          {came}
        </tspan>{" "}
        {rampUp && (
          <tspan x={x} dy="15">
            {rampUp}
          </tspan>
        )}
      </text>
    </a>
  );
}

function rampUpInWords({ turns, costUsd }: NonNullable<RelayHandoff["rampUp"]>): string {
  const took = turns === 0 ? "new work at once" : `${counted(turns, "turn")} to take over`;
  return `${took}${costUsd ? `, ${money(costUsd)}` : ""}`;
}

function noteOf(lane: Lane, isNow: boolean): string {
  const parts = [
    counted(lane.turns, "turn"),
    isNow ? "now" : lasting(lane.ms),
    ...(lane.costUsd > 0 ? [money(lane.costUsd)] : []),
  ];
  return parts.join(" · ");
}

/** What is known of a session besides. */
function aboutLane({ agent, model, points, window, end }: Lane): string {
  const peak = Math.max(0, ...points.map(({ tokens }) => tokens));
  const full = window ? `at most ${count(peak)} of ${count(window)} tokens` : `at most ${count(peak)} tokens`;
  return [agent, model, full, end === null ? "at work" : `ended: ${end}`].filter(Boolean).join(" · ");
}

function inWords(lanes: readonly Lane[], handoffs: readonly RelayHandoff[]): string {
  const sessions = lanes.map((lane) => {
    const peak = Math.max(0, ...lane.points.map(({ tokens }) => tokens));
    const full = lane.window ? `${Math.round((peak / lane.window) * 100)} percent full` : "of unknown window";
    return `session ${lane.ordinal}, ${full}, ${lane.end === null ? "at work" : `ended: ${lane.end}`}`;
  });
  return `${lanes.length} sessions and ${handoffs.length} handoffs: ${sessions.join("; ")}`;
}
