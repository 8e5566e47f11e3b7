import { isGenerated, patchRows } from "../../git/patch-rows.ts";
import { describe } from "../../job/describe.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { Lane } from "../../job/relay/lanes.ts";
import { headline } from "../../job/status-words.ts";
import type { JobView } from "../../job/view.ts";
import { counted, money, size, tokens } from "../../util/figures.ts";
import { longDate } from "../when.ts";
import { fitted } from "../width.ts";
import { type Html, html } from "./html.ts";
import { relayDrawing } from "./relay.ts";
import { STYLE } from "./style.ts";

/** All that a page of a job shows. It is without secrets by then. */
export interface ExportedJob {
  job: JobView;
  lanes: readonly Lane[];
  /** The oldest first. */
  events: readonly JournalEvent[];
  /** How many came before them. */
  left: number;
  /** By file, or why there is none. */
  patches: readonly { file: string; patch: string }[] | string;
  note?: string | undefined;
  /** What all of it came to, in words. */
  costs: string;
  models: readonly {
    model: string;
    by: string;
    responses: number;
    input: number;
    output: number;
    costUsd: number | null;
  }[];
  at: string;
}

/** More of what one call printed than anybody reads in a page. */
const MOST_OUTPUT = 4_000;
const TITLE_WIDTH = 160;
const MOST_PATCH = 200_000;

/** One page that needs nothing else: no script, no font, no picture, no network. */
export function jobPage(exported: ExportedJob): string {
  const { job, at } = exported;
  const title = fitted(headline(job).trim().split("\n", 1)[0] ?? "", TITLE_WIDTH);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style></head>
<body><main>
<h1>${title}</h1>
<p class="soft">${job.status} · ${job.runsOn} · ${counted(job.sessions.length, "session")} · ${exported.costs} · since ${longDate(job.createdAt)} · ${job.id}</p>
${job.error === undefined ? undefined : html`<p class="notice">${job.error}</p>`}
${relayDrawing(
  exported.lanes,
  job.handoffs.map((handoff) => ({
    ...handoff,
    isChecked: handoff.checks.length > 0 && handoff.checks.every(({ ok }) => ok),
  })),
)}
<nav><a href="#request">Request</a> <a href="#transcript">Transcript</a> <a href="#changes">Changes</a> <a href="#cost">Cost</a></nav>
<h2 id="request">Request</h2><pre>${job.prompt}</pre>
${job.result === undefined ? undefined : html`<h2>Result</h2><pre>${job.result}</pre>`}
<h2 id="transcript">Transcript</h2>
${exported.left === 0 ? undefined : html`<p class="notice">${counted(exported.left, "earlier event")} left out.</p>`}
<div class="box">${transcript(exported.events)}</div>
<h2 id="changes">Changes</h2>
${exported.note === undefined ? undefined : html`<p class="notice">${exported.note}</p>`}
${typeof exported.patches === "string" ? html`<p>${exported.patches}</p>` : changes(exported.patches)}
<h2 id="cost">Cost</h2>
${costs(exported)}
<p class="soft">Exported ${longDate(at)} by Baton. What looked like a secret is withheld.</p>
</main></body></html>
`;
  return page.text;
}

/** In the transcript, as the dashboard has them. */
const SIGNS = { says: "▸", person: "›", tool: "⚒", handoff: "⇄", baton: "·" } as const;

function kindOf({ type }: JournalEvent): keyof typeof SIGNS {
  if (type === "text") return "says";
  if (type === "message:sent") return "person";
  if (type.startsWith("tool:")) return "tool";
  return type.includes("handoff") ? "handoff" : "baton";
}

function transcript(events: readonly JournalEvent[]): Html[] {
  const ends = new Map(
    events.flatMap((event) => (event.type === "tool:end" ? [[event.id, event] as const] : [])),
  );
  let day = "";
  return events.flatMap((event) => {
    const told = event.type === "tool:end" ? undefined : describe(event);
    if (!told) return [];
    const end = event.type === "tool:start" ? ends.get(event.id) : undefined;
    const [date = "", time = ""] = longDate(event.at).split(" ");
    const isNewDay = date !== day;
    day = date;
    return [
      isNewDay ? html`<div class="day">${date}</div>` : undefined,
      lineOf(
        event,
        { ...told, tone: end && !end.ok ? "bad" : told.tone },
        { time, output: end?.output ?? "" },
      ),
    ].filter((part) => part !== undefined);
  });
}

/** A line, which opens where a call printed something. */
function lineOf(
  event: JournalEvent,
  { tone, title, text }: { tone: string; title: string; text: string },
  { time, output }: { time: string; output: string },
): Html {
  const kind = kindOf(event);
  const sign = tone === "bad" ? "✕" : SIGNS[kind];
  const words = isRequest(event) ? "" : text;
  const said = kind === "says" ? html`${words}` : html`<b>${title}</b> ${words}`;
  const line = html`<span class="soft">${time}</span><span class="sign">${sign}</span><span class="words">${said}</span>`;
  if (output === "") return html`<div class="event ${kind} ${tone}">${line}</div>`;
  const left = output.length - MOST_OUTPUT;
  const cut = left > 0 ? html`<p class="soft">${left} more characters are left out.</p>` : undefined;
  return html`<details class="call"><summary class="event ${kind} ${tone}">${line}<span class="soft size">${size(output.length)}</span></summary><pre>${output.slice(0, MOST_OUTPUT)}</pre>${cut}</details>`;
}

/** What stands above as the request. */
function isRequest(event: JournalEvent): boolean {
  return event.type === "job:created" || (event.type === "message:sent" && event.kind === "request");
}

const countOf = (rows: readonly { kind: string }[], wanted: string) =>
  rows.filter(({ kind }) => kind === wanted).length;

function changes(patches: readonly { file: string; patch: string }[]): Html {
  const files = patches.map(({ file, patch }) => ({
    file,
    patch,
    rows: patchRows(patch.slice(0, MOST_PATCH)),
  }));
  const all = files.flatMap(({ rows }) => rows);
  return html`<p class="soft">${counted(files.length, "file")}, ${counts(all)}</p>${files.map(fileOf)}`;
}

function counts(rows: readonly { kind: string }[]): Html {
  return html`<span class="plus">+${countOf(rows, "added")}</span> <span class="minus">−${countOf(rows, "removed")}</span>`;
}

function fileOf({
  file,
  patch,
  rows,
}: {
  file: string;
  patch: string;
  rows: ReturnType<typeof patchRows>;
}): Html {
  const cut =
    patch.length > MOST_PATCH
      ? html`<p class="notice">${size(patch.length - MOST_PATCH)} more of this file are left out.</p>`
      : undefined;
  const lines = rows.map(
    ({ kind, old, now, text }) =>
      html`<div class="line ${kind}"><i>${old}</i><i>${now}</i><span>${text}</span></div>`,
  );
  const body = html`<summary><code>${file}</code> ${counts(rows)}</summary><div class="diff">${lines}</div>${cut}`;
  return isGenerated(file) ? html`<details>${body}</details>` : html`<details open>${body}</details>`;
}

function costs({ lanes, models, costs }: ExportedJob): Html {
  const sessions = lanes.map(
    ({ ordinal, agent, model, turns, costUsd }) =>
      html`<tr><td>session ${ordinal}</td><td>${agent}</td><td>${model ?? "not known"}</td><td class="num">${turns}</td><td class="num">${money(costUsd)}</td></tr>`,
  );
  const all = models.map(
    ({ model, by, responses, input, output, costUsd }) =>
      html`<tr><td>${model}</td><td>${by}</td><td class="num">${responses}</td><td class="num">${tokens(input)}</td><td class="num">${tokens(output)}</td><td class="num">${costUsd === null ? "not known" : money(costUsd)}</td></tr>`,
  );
  return html`<p class="soft">In all: ${costs}.</p>
<div class="scrolls"><table><thead><tr><th>session</th><th>agent</th><th>model</th><th class="num">turns</th><th class="num">cost</th></tr></thead><tbody>${sessions}</tbody></table></div>
<div class="scrolls"><table><thead><tr><th>model</th><th>by</th><th class="num">responses</th><th class="num">tokens in</th><th class="num">tokens out</th><th class="num">cost</th></tr></thead><tbody>${all}</tbody></table></div>`;
}
