import { expect, it } from "vitest";
import { statusFigure } from "./status-line.ts";

const k = 1_000;

it.each([
  ["> context: 45.2k tokens (23%)", 45.2 * k, 200 * k],
  ["context: 45.2k tokens (23%)", 45.2 * k, 200 * k],
  ["  Context: 150k tokens (15%)", 150 * k, 1000 * k],
  ["📊 Context: 42% (84k/200k) | Session: 2h | Model: Opus 4.1 | Branch: main", 84 * k, 200 * k],
  ["🧠 45% (90K/200K)", 90 * k, 200 * k],
  ["Opus (132k/1M, 13%) ▲+3.4k ▁▂▂▃▅ | 5h 22% | 7d 41%", 132 * k, 1000 * k],
  ["[███████░░░] 5h 68% | [█░░░░░░░░░] 7d 5% | ⏰0h21m | Opus 4.6(13.4k/1.0M)", 13.4 * k, 1000 * k],
  ["■ my-project | ⎇ main | ████████░░ 45.2% | ● 90.4k/200k | ▶ 89.2k/15.6k", 90.4 * k, 200 * k],
  ["🤖 Opus | 💰 $0.23 session / $1.23 today / $0.45 block | 🧠 25,000 (12%)", 25 * k, 200 * k],
  ["Model: Sonnet | Ctx: 18.6k | ⎇ main", 18.6 * k, 200 * k],
  ["172,000 of 200,000 tokens", 172 * k, 200 * k],
  ["[Ctx:69.559%/70%] [$10.63750] Opus 4.6", 139.118 * k, 200 * k],
  ["[09-18 10:11:12] /path/to/dir (branch) [CTX 41%]", 82 * k, 200 * k],
  ["ctx:[████░░░░]52%", 104 * k, 200 * k],
  ["◐ 35% context used", 70 * k, 200 * k],
  ["61% context used", 122 * k, 200 * k],
  ["42% context left", 116 * k, 200 * k],
  ["🧠 Context Remaining: 83% [========--]", 34 * k, 200 * k],
  ["                 Context left until auto-compact: 12%", 146.96 * k, 200 * k],
  ["⎇ main ██████░░░░ 60%", 120 * k, 200 * k],
])("is read from %s", (line, tokens, window) => {
  expect(statusFigure([line])).toEqual({ tokens: Math.round(tokens), window });
});

it.each([
  "⏵⏵ auto mode on (shift+tab to cycle)",
  "[███████░░░] 5h 68% | 7d 5%",
  "Opus │ ↑15k ↓4k $1.23 │ 5m (2m) +156 -23",
  "3/12 tests, 25% done",
  "left:199.9k",
  "",
])("is not made up from %s", (line) => {
  expect(statusFigure([line])).toBeUndefined();
});
