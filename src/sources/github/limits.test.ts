import { expect, it } from "vitest";
import { budgetOf, limitedUntil } from "./limits.ts";

const NOW = new Date("2026-11-18T12:00:00.000Z");
/** The server's clock is an hour ahead of ours. */
const SERVER = "Wed, 18 Nov 2026 13:00:00 GMT";
const RESET = String(Date.parse("2026-11-18T13:10:00Z") / 1_000);
const PAGE = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits";

it.each([
  ["a refusal for missing rights", 403, {}, { message: "Must have admin rights" }, undefined],
  ["something that is not there", 404, { "retry-after": "60" }, {}, undefined],
  ["so many seconds", 403, { "retry-after": "60" }, {}, "2026-11-18T12:01:00.000Z"],
  [
    "a date by its own clock",
    429,
    { "retry-after": "Wed, 18 Nov 2026 13:02:00 GMT", date: SERVER },
    {},
    "2026-11-18T12:02:00.000Z",
  ],
  [
    "a window that is used up",
    403,
    { "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET, date: SERVER },
    {},
    "2026-11-18T12:10:01.000Z",
  ],
  ["a window that is not", 403, { "x-ratelimit-remaining": "1", "x-ratelimit-reset": RESET }, {}, undefined],
  ["its page alone", 403, {}, { message: "No", documentation_url: PAGE }, "2026-11-18T12:01:00.000Z"],
  [
    "its words alone",
    403,
    {},
    { message: "You have exceeded a secondary rate limit." },
    "2026-11-18T12:01:00.000Z",
  ],
  ["nothing but 429", 429, {}, undefined, "2026-11-18T12:01:00.000Z"],
  ["more than anybody should wait", 403, { "retry-after": "99999999999" }, {}, "2026-11-18T14:00:00.000Z"],
  ["a time that is over", 403, { "retry-after": "-5" }, {}, "2026-11-18T12:00:00.000Z"],
  ["no figure", 429, { "retry-after": "soon" }, {}, "2026-11-18T12:01:00.000Z"],
] as const)("reads when to ask again from %s", (_, status, headers, body, expected) => {
  const text = body === undefined ? "<html>" : JSON.stringify(body);
  const until = limitedUntil({ status, headers: new Headers(headers), text }, NOW);
  expect(until?.toISOString()).toBe(expected);
});

it("reads what is left, and nothing where the server does not say", () => {
  const headers = new Headers({
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": "4999",
    "x-ratelimit-reset": RESET,
  });
  expect(budgetOf(headers)).toEqual({ limit: 5_000, remaining: 4_999, resetsAt: "2026-11-18T13:10:00.000Z" });
  expect(budgetOf(new Headers({ "x-ratelimit-limit": "many" }))).toEqual({
    limit: null,
    remaining: null,
    resetsAt: null,
  });
});
