import type { Replay, Replayed } from "../job/replay/simulate.ts";
import { clock, counted, money, tokens } from "../util/figures.ts";
import type { Paint } from "./style.ts";
import { type Column, table } from "./table.ts";
import { wrapped } from "./width.ts";

type Row = { name: string } & Replayed;

/** Room for tokens by class, too. */
const WIDE = 90;
const LONGEST_BAR = 24;
const SHORTEST_BAR = 6;
const REALLY = "really";

/** A table of what each threshold would have come to, with a bar for its cost. */
export function replayReport(replay: Replay, width: number, paint: Paint): string {
  const { name, turns, window, happened, at, onSimulator } = replay;
  const rows: Row[] = [{ name: REALLY, ...happened }, ...at];
  const size = window === undefined ? "" : `, window of ${tokens(window)}`;
  const where = onSimulator ? ", on the simulator: nothing was paid" : "";
  const head = `${paint("bold", name)} (${counted(turns, "turn")}${size}${where})`;
  return [
    head,
    ...table(rows, columnsOf(rows, width, paint), width),
    "",
    ...wrapped(assumptions(replay), width).map((line) => paint("dim", line)),
  ].join("\n");
}

function columnsOf(rows: readonly Row[], width: number, paint: Paint): Column<Row>[] {
  const [really] = rows;
  const most = Math.max(...rows.map(({ costUsd = 0 }) => costUsd));
  const cheapest = Math.min(...rows.map(({ costUsd = Number.POSITIVE_INFINITY }) => costUsd));
  const right = "right" as const;
  const classes: Column<Row>[] = [
    { title: "READ", text: ({ usage }) => tokens(usage.cacheRead), align: right },
    { title: "NEW", text: ({ usage }) => tokens(usage.cacheWrite + usage.input), align: right },
    { title: "OUT", text: ({ usage }) => tokens(usage.output), align: right },
  ];
  const longest = width >= WIDE ? LONGEST_BAR : SHORTEST_BAR;
  return [
    {
      title: "AT",
      text: ({ name }) => name,
      paint: ({ name }, text) => (name === REALLY ? paint("bold", text) : text),
    },
    { title: "HANDOFFS", text: ({ handoffs }) => String(handoffs), align: right },
    { title: "PEAK", text: ({ peakTokens }) => tokens(peakTokens), align: right },
    ...(width >= WIDE ? classes : []),
    {
      title: "TIME",
      text: ({ durationMs }) => (durationMs === undefined ? "–" : clock(durationMs)),
      align: right,
    },
    {
      title: "COST",
      text: ({ costUsd }) => (costUsd === undefined ? "unknown" : money(costUsd)),
      align: right,
    },
    { title: "", text: (row) => difference(row, really), align: right },
    {
      title: "",
      text: ({ costUsd = 0 }) =>
        "█".repeat(most === 0 ? 0 : Math.max(1, Math.round((costUsd / most) * longest))),
      paint: ({ costUsd }, text) => paint(costUsd === cheapest ? "green" : "dim", text),
    },
  ];
}

function difference({ name, costUsd }: Row, really: Row | undefined): string {
  return name === REALLY ? "" : percent(costUsd, really?.costUsd);
}

function percent(costUsd: number | undefined, of: number | undefined): string {
  if (costUsd === undefined || !of) return "";
  const share = Math.round((costUsd / of - 1) * 100);
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${Math.abs(share)}%`;
}

function assumptions({ happened, asHappened, assumes, isMeasured }: Replay): string {
  const { rampUpTokens, accountTokens, documentTokens, handoffMs } = assumes;
  const rampUp = `${tokens(rampUpTokens)} (${isMeasured ? "as measured on this agent's jobs" : "the default"})`;
  const handoff =
    `Estimates at list prices. Each handoff is assumed to take an account of ${tokens(accountTokens)} tokens, ` +
    `a document of ${tokens(documentTokens)}, a ramp-up of ${rampUp} and ${Math.max(1, Math.round(handoffMs / 1_000))} s.`;
  const off = percent(asHappened.costUsd, happened.costUsd);
  if (off === "") return `${handoff} No price is known for the model, so only tokens can be compared.`;
  return `${handoff} With handoffs and compactions where they really were, the simulation comes to ${money(asHappened.costUsd ?? 0)}, ${off} against what was recorded.`;
}
