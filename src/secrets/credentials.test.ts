import { expect, it } from "vitest";
import { withoutCredentials } from "./credentials.ts";

it.each([
  ["fatal: 'https://user:pass@host/a.git/' not found", "fatal: 'https://***@host/a.git/' not found"],
  ["https://ghp_123@github.com/a/b and http://x:y@z", "https://***@github.com/a/b and http://***@z"],
  ["https://user:p@ss@host/a", "https://***@host/a"],
  ["ssh://user:pass@host/a ssh://git@host/a git@host:a", "ssh://***@host/a ssh://git@host/a git@host:a"],
  ["https://host/a?private_token=abc&x=1", "https://host/a?private_token=***&x=1"],
  ["https://host/a mail@example.invalid", "https://host/a mail@example.invalid"],
  ["no address at all", "no address at all"],
])("in %j nothing secret is left", (text, clean) => {
  expect(withoutCredentials(text)).toBe(clean);
});

it.each(["https://", "a", "?key", "https://a", "a+"])("reads %j a hundred thousand times over", (part) => {
  expect(withoutCredentials(part.repeat(100_000))).toHaveLength(part.length * 100_000);
});
