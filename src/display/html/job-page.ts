import { isGenerated, patchRows } from "../../git/patch-rows.ts";
import { describe } from "../../job/describe.ts";
import type { JournalEvent } from "../../job/events.ts";
import type { Lane } from "../../job/relay/lanes.ts";
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
  const title = fitted(job.prompt.trim().split("\n", 1)[0] ?? "", TITLE_WIDTH);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style></head>
<body><main>
<h1>${title}</h1>
<p class="soft">${job.status} · ${job.runsOn} · ${counted(job.sessions.length, "session")} · ${costOf(job)} · since ${longDate(job.createdAt)} · ${job.id}</p>
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
${typeof exported.patches === "string" ? html`<p>${exported.patches}</p>` : exported.patches.map(fileOf)}
<h2 id="cost">Cost</h2>
${costs(exported)}
<p class="soft">Exported ${longDate(at)} by Baton. What looked like a secret is withheld.</p>
</main></body></html>
`;
  return page.text;
}

function costOf({ costUsd, costEstimated }: JobView): string {
  return costUsd === null ? "cost unknown" : `${costEstimated ? "est. " : ""}${money(costUsd)}`;
}

function transcript(events: readonly JournalEvent[]): Html[] {
  const outputs = new Map(
    events.flatMap((event) => (event.type === "tool:end" ? [[event.id, event] as const] : [])),
  );
  return events.flatMap((event) => {
    const told = event.type === "tool:end" ? undefined : describe(event);
    if (!told) return [];
    const end = event.type === "tool:start" ? outputs.get(event.id) : undefined;
    const tone = end && !end.ok ? "bad" : told.tone;
    const kind = event.type.includes("handoff") ? "violet" : "";
    return [
      html`<div class="event ${tone} ${kind}"><span class="soft">${longDate(event.at).slice(-5)}</span><span>${tone === "bad" ? "✕ " : ""}<b>${told.title}</b> <span class="words">${told.text}</span>${end && end.output !== "" ? outputOf(end.output) : undefined}</span></div>`,
    ];
  });
}

function outputOf(output: string): Html {
  const left = output.length - MOST_OUTPUT;
  const cut = left > 0 ? html`<p class="soft">${left} more characters are left out.</p>` : undefined;
  return html`<details><summary>output, ${size(output.length)}</summary><pre>${output.slice(0, MOST_OUTPUT)}</pre>${cut}</details>`;
}

function fileOf({ file, patch }: { file: string; patch: string }): Html {
  const shown = patch.slice(0, MOST_PATCH);
  const rows = patchRows(shown);
  const count = (kind: string) => rows.filter((row) => row.kind === kind).length;
  const cut =
    patch.length > MOST_PATCH
      ? html`<p class="notice">${size(patch.length - MOST_PATCH)} more of this file are left out.</p>`
      : undefined;
  const head = html`<summary><code>${file}</code> +${count("added")} −${count("removed")}</summary>`;
  const lines = rows.map(
    ({ kind, old, now, text }) =>
      html`<div class="line ${kind}"><i>${old}</i><i>${now}</i><span>${text}</span></div>`,
  );
  const body = html`${head}<div class="diff">${lines}</div>${cut}`;
  return isGenerated(file) ? html`<details>${body}</details>` : html`<details open>${body}</details>`;
}

function costs({ lanes, models }: ExportedJob): Html {
  const sessions = lanes.map(
    ({ ordinal, agent, model, turns, costUsd }) =>
      html`<tr><td>session ${ordinal}</td><td>${agent}</td><td>${model ?? "not known"}</td><td>${counted(turns, "turn")}</td><td>${money(costUsd)}</td></tr>`,
  );
  const all = models.map(
    ({ model, by, responses, input, output, costUsd }) =>
      html`<tr><td>by model</td><td>${by}</td><td>${model}</td><td>${counted(responses, "response")}, ${tokens(input)} in, ${tokens(output)} out</td><td>${costUsd === null ? "not known" : money(costUsd)}</td></tr>`,
  );
  return html`<div class="scrolls"><table>${sessions}${all}</table></div>`;
}
