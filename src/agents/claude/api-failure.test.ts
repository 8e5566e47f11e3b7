import { expect, it } from "vitest";
import { apiFailure, plainFailure } from "./api-failure.ts";

it.each([
  [500, "The API failed (500)"],
  [529, "The API is overloaded (529)"],
  [429, "The API is limiting requests (429)"],
  [401, "The API refused the credentials (401)"],
  [400, "The API refused the request (400)"],
  [undefined, "The API did not answer"],
])("says in words what the API answered: %s", (status, words) => {
  expect(apiFailure(status)).toBe(words);
});

it.each([
  ["API Error: 500 Internal server error", "The API failed (500): Internal server error"],
  [
    'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    "The API is overloaded (529): Overloaded",
  ],
  ["API Error: 500 {broken", "The API failed (500): {broken"],
  ["API Error: 500", "The API failed (500)"],
  ["Invalid API key · Please run /login", "Invalid API key · Please run /login"],
])("says %s as people would", (said, words) => {
  expect(plainFailure(said)).toBe(words);
});
