import { expect, it } from "vitest";
import { z } from "zod";
import { answerJson, startReceiver } from "../../../test/receiver.ts";
import { ServiceClock } from "../../../test/service-clock.ts";
import { RateGates } from "../rate-gates.ts";
import { SlackApi } from "./web-api.ts";

const TOKEN = "xoxb-7777-not-a-real-token";
const { signal } = new AbortController();
const Shape = z.object({ ts: z.string() });

function apiAt(base: string): SlackApi {
  const clock = new ServiceClock();
  return new SlackApi({ token: TOKEN, base, clock, random: () => 1, gates: new RateGates(clock) });
}

it("follows nobody elsewhere with the token", async () => {
  const elsewhere = await startReceiver((_, response) => answerJson(response, 200, { ok: true, ts: "1" }));
  const slack = await startReceiver((_, response) =>
    response.writeHead(307, { location: elsewhere.url }).end(),
  );
  const asked = apiAt(slack.url).call("chat.update", {}, Shape, { signal });
  await expect(asked).rejects.toMatchObject({ code: "redirected", mayPass: false });
  expect(elsewhere.received).toEqual([]);
});

it.each([
  ["a page", "<!doctype html><title>Sign in</title>"],
  ["nothing", ""],
  ["another shape", '{"ok":true,"ts":["1"]}'],
  ["no object", "[]"],
  ["an answer without end", `{"ok":true,"ts":"${"x".repeat(9 * 1024 * 1024)}"}`],
  ["JSON without bottom", `{"ok":true,"x":${"[".repeat(100_000)}`],
])("takes no answer for one that is none of Slack's: %s", async (_, body) => {
  const slack = await startReceiver((_request, response) => response.end(body));
  const asked = apiAt(slack.url).call("chat.update", {}, Shape, { signal, again: false });
  await expect(asked).rejects.toMatchObject({ name: "UndeliveredError", mayPass: true });
});

it("says in no error what the token is", async () => {
  const slack = await startReceiver((_, response) =>
    answerJson(response, 200, { ok: false, error: "\u001b[31mmissing_scope\n", needed: TOKEN }),
  );
  const failures = await Promise.all([
    apiAt(slack.url).call("chat.update", {}, Shape, { signal }).catch(String),
    apiAt("http://127.0.0.1:1").call("chat.update", {}, Shape, { signal, again: false }).catch(String),
    new SlackApi({
      token: `${TOKEN}\n`,
      base: slack.url,
      clock: new ServiceClock(),
      random: () => 1,
      gates: new RateGates(new ServiceClock()),
    })
      .call("chat.update", {}, Shape, { signal, again: false })
      .catch(String),
  ]);
  expect(failures).toHaveLength(3);
  expect(failures.join("\n")).not.toContain(TOKEN.slice(5));
  expect(failures[0]).toContain("Slack answered missing_scope to chat.update");
});
