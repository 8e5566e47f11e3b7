import { expect, it } from "vitest";
import { isAllowed } from "./network-proxy.ts";

it.each([
  ["example.com", "example.com", 443, true],
  ["example.com", "EXAMPLE.com", 80, true],
  ["example.com", "badexample.com", 443, false],
  ["example.com", "a.example.com", 443, false],
  ["example.com", "example.com.evil", 443, false],
  ["example.com", "example.com", 22, false],
  ["example.com:22", "example.com", 22, true],
  ["example.com:22", "example.com", 443, false],
  ["*.example.com", "a.b.example.com", 443, true],
  ["*.example.com", "example.com", 443, false],
  ["*.example.com", "badexample.com", 443, false],
])("%s allows %s:%i: %s", (written, host, port, allowed) => {
  expect(isAllowed(written, host, port)).toBe(allowed);
});
