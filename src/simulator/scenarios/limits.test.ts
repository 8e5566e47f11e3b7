import { expect, it } from "vitest";
import { parseBody, readRequest } from "../request.ts";
import { startScript } from "../script.ts";
import { limits } from "./limits.ts";

function request(text: string) {
  const messages = [{ role: "user", content: text }];
  const parsed = parseBody(JSON.stringify({ model: "m", tools: [{ name: "Bash" }], messages }));
  if (!parsed.ok) throw new Error(parsed.message);
  return readRequest(parsed.wire, {}, 1);
}

it("refuses every request until the reset time that it named, then goes on", async () => {
  let now = 1_000_000;
  const script = startScript(limits({ steps: 3, after: 1, seconds: 5, now: () => now }));
  const refused = { fault: { kind: "usage-limit", resetsAt: 1005 } };
  expect(await script.reply(request("begin"))).toMatchObject({ say: "Step 1 of 3." });
  expect(await script.reply(request("done:1"))).toEqual(refused);
  now += 4_999;
  expect(await script.reply(request("done:1"))).toEqual(refused);
  now += 1;
  expect(await script.reply(request("done:1"))).toMatchObject({ say: "Step 2 of 3." });
});
