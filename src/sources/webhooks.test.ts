import { createHmac } from "node:crypto";
import { expect, it } from "vitest";
import { isFromGitHub, isFromLinear } from "./webhooks.ts";

const SECRET = "It's a Secret to Everybody";
const bytes = (text: string) => new TextEncoder().encode(text);
const hmac = (text: string, secret = SECRET) => createHmac("sha256", secret).update(text).digest("hex");
const NOW = new Date("2026-11-18T12:00:00Z");

it("knows what GitHub signed, as its documentation gives an example", () => {
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  expect(isFromGitHub(bytes("Hello, World!"), signature, SECRET)).toBe(true);
  expect(isFromGitHub(bytes("Hello, World?"), signature, SECRET)).toBe(false);
  expect(isFromGitHub(bytes("Hello, World!"), signature, "other")).toBe(false);
});

it.each([
  ["nothing", undefined],
  ["an empty one", ""],
  ["one without its kind", hmac("{}")],
  ["an older kind", `sha1=${"0".repeat(40)}`],
  ["one that is cut", `sha256=${hmac("{}").slice(0, 62)}`],
  ["one with more behind it", `sha256=${hmac("{}")}00`],
  ["letters that are no figures", `sha256=${"z".repeat(64)}`],
])("refuses %s from GitHub", (_, signature) => {
  expect(isFromGitHub(bytes("{}"), signature, SECRET)).toBe(false);
});

it("refuses everything where there is no secret, also what is signed with none", () => {
  expect(isFromGitHub(bytes("{}"), `sha256=${hmac("{}", "")}`, "")).toBe(false);
  const body = JSON.stringify({ webhookTimestamp: NOW.getTime() });
  expect(isFromLinear(bytes(body), hmac(body, ""), "", NOW)).toBe(false);
});

it("takes bytes as they came, not as text that says the same", () => {
  const body = new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]);
  const signature = `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`;
  expect(isFromGitHub(body, signature, SECRET)).toBe(true);
  expect(isFromGitHub(bytes(new TextDecoder().decode(body)), signature, SECRET)).toBe(false);
});

it.each([
  [0, true],
  [60_000, true],
  [-60_000, true],
  [60_001, false],
  [-60_001, false],
])("takes from Linear what is %i ms old: %s", (ageMs, isTaken) => {
  const body = JSON.stringify({ action: "update", webhookTimestamp: NOW.getTime() - ageMs });
  expect(isFromLinear(bytes(body), hmac(body), SECRET, NOW)).toBe(isTaken);
  expect(isFromLinear(bytes(`${body} `), hmac(body), SECRET, NOW)).toBe(false);
});

it.each(['{"webhookTimestamp":"1795003200000"}', "{}", "[]", "null", "no JSON"])(
  "refuses %s from Linear",
  (body) => {
    expect(isFromLinear(bytes(body), hmac(body), SECRET, NOW)).toBe(false);
  },
);
