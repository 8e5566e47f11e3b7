import { type ListedHandoff, listedHandoffView, listHandoffs } from "../../app/handoffs/list.ts";
import { findProject } from "../../app/project.ts";
import { shortPath } from "../../display/path.ts";
import { print, printJson, printWords } from "../../display/print.ts";
import { farAboveInWords, rampUpFigures } from "../../display/ramp-up.ts";
import { type Paint, paintFor } from "../../display/style.ts";
import { type Column, table, tableWidth } from "../../display/table.ts";
import { longDate } from "../../display/when.ts";
import { outcomeInWords, shortId, writtenOutcome } from "../../display/words.ts";
import { percent } from "../../util/figures.ts";

export interface HandoffsOptions {
  config?: string;
  json?: boolean;
}

export async function handoffs(id: string | undefined, options: HandoffsOptions): Promise<number> {
  const rows = await listHandoffs(findProject(options), id);
  if (options.json) {
    printJson(rows.map(listedHandoffView));
  } else if (rows.length === 0) {
    printWords(id === undefined ? "There are no handoffs here yet." : "This job has no handoff documents.");
  } else {
    const paint = paintFor(process.stdout, process.env);
    const isMeasured = rows.some((row) => rampUpOf(row) !== "");
    const columns = columnsOf(paint).filter(({ title }) => isMeasured || title !== RAMP_UP);
    if (id === undefined) columns.unshift(WHOSE);
    const width = process.stdout.isTTY ? tableWidth(process.stdout) : Number.POSITIVE_INFINITY;
    const lines = table(rows, columns, width, { last: "below" });
    print([...lines, ...rows.flatMap((row) => farAboveLine(row, id === undefined))].join("\n"));
  }
  return 0;
}

const RAMP_UP = "RAMP-UP";

const WHOSE: Column<ListedHandoff> = {
  title: "OF",
  text: (listed) => (listed.of === "job" ? shortId(listed.job) : `session ${listed.session.slice(0, 8)}`),
};

function columnsOf(paint: Paint): Column<ListedHandoff>[] {
  return [
    { title: "#", text: ({ handoff }) => String(handoff.number), align: "right" },
    { title: "WHEN", text: ({ handoff }) => longDate(handoff.storedAt) },
    {
      title: "AT",
      text: ({ handoff }) => `${"isEstimate" in handoff ? "~" : ""}${percent(handoff.percent)}`,
      align: "right",
    },
    { title: "TRIGGER", text: ({ handoff }) => handoff.trigger, spare: 1 },
    {
      title: "OUTCOME",
      text: outcomeOf,
      paint: ({ handoff }, text) => paint(handoff.outcome === "written" ? "green" : "yellow", text),
    },
    {
      title: RAMP_UP,
      text: rampUpOf,
      paint: (listed, text) => (farAboveOf(listed) === undefined ? text : paint("yellow", text)),
      spare: 2,
    },
    {
      title: "DOCUMENT",
      text: ({ documentPath }) => shortPath(documentPath),
      paint: (_row, text) => paint("dim", text),
    },
  ];
}

/** Of a person's own session nobody keeps a journal. */
function rampUpOf(listed: ListedHandoff): string {
  const rampUp = listed.of === "job" ? listed.handoff.rampUp : undefined;
  if (!rampUp) return "";
  const mark = farAboveOf(listed) === undefined ? "" : " !";
  if (rampUp.state !== "reached") return `${rampUpFigures(rampUp)}, no new work${mark}`;
  return rampUp.turns === 0 ? "none" : rampUpFigures(rampUp) + mark;
}

function farAboveOf(listed: ListedHandoff): string | undefined {
  if (listed.of !== "job" || !listed.handoff.rampUp) return undefined;
  return farAboveInWords(listed.handoff.rampUp, listed.usual);
}

function farAboveLine(listed: ListedHandoff, isOfMany: boolean): string[] {
  const farAbove = farAboveOf(listed);
  if (farAbove === undefined) return [];
  const which = `handoff ${listed.handoff.number}${isOfMany && listed.of === "job" ? ` of ${listed.job}` : ""}`;
  return [`! The ramp-up of ${which} is ${farAbove}.`];
}

function outcomeOf(listed: ListedHandoff): string {
  if (listed.of === "session") {
    const how = writtenOutcome(listed.handoff.outcome);
    return listed.waits ? `${how}, waits for you` : how;
  }
  const { outcome, checks } = listed.handoff;
  const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const how = outcomeInWords(outcome);
  return failed.length > 0 ? `${how} (${failed.join(", ")})` : how;
}
