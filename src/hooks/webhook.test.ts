import { createHmac } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { finishedJob, runOne, webhookHook } from "../../test/hooks.ts";
import { answerJson, startReceiver } from "../../test/receiver.ts";

/** Notes how long it was to wait, and does not. */
function noted() {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { waits, sleep };
}

it("sends the payload as JSON, with the headers of the user", async () => {
  const { url, received } = await startReceiver((_, response) => response.end("thanks"));
  const payload = finishedJob();
  const hook = webhookHook(`${url}/hooks/context-alert?x=1`, {
    headers: { Authorization: "Bearer monitoring-token" },
  });
  expect(await runOne(hook, { payload, event: "completed" })).toMatchObject({ ok: true, output: "thanks" });
  const [request] = received;
  expect(request).toMatchObject({
    method: "POST",
    path: "/hooks/context-alert?x=1",
    headers: {
      "content-type": "application/json",
      "x-baton-event": "completed",
      authorization: "Bearer monitoring-token",
    },
  });
  expect(request?.headers["user-agent"]).toMatch(/^baton\/\d+\.\d+\.\d+$/);
  expect(request?.headers["x-baton-delivery"]).toMatch(/^[\da-f-]{36}$/);
  expect(request?.headers).not.toHaveProperty("x-baton-signature-256");
  expect(JSON.parse(request?.body ?? "")).toEqual(payload);
});

it("can put, and lets the user say what kind of JSON it is", async () => {
  const { url, received } = await startReceiver((_, response) => response.end());
  await runOne(webhookHook(url, { method: "PUT", headers: { "Content-Type": "application/vnd.x+json" } }));
  expect(received).toMatchObject([{ method: "PUT", headers: { "content-type": "application/vnd.x+json" } }]);
});

it("signs the exact body, so that the receiver can check it", async () => {
  const secret = "shared with the receiver";
  const { url } = await startReceiver(({ headers, body }, response) => {
    const expected = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    response.writeHead(headers["x-baton-signature-256"] === expected ? 200 : 401).end();
  });
  const payload = finishedJob({ prompt: "ünïcode ✓ 😀" });
  expect(await runOne(webhookHook(url, { secret }), { payload })).toMatchObject({ ok: true });
  expect(await runOne(webhookHook(url, { secret: "another" }), { payload })).toMatchObject({ ok: false });
});

it("tries again when that may help, as the same delivery, and waits longer each time", async () => {
  const { url, received } = await startReceiver((_, response, attempt) => {
    response.writeHead([503, 408, 500][attempt - 1] ?? 204).end();
  });
  const { waits, sleep } = noted();
  expect(await runOne(webhookHook(url), { sleep })).toMatchObject({ ok: true });
  expect(waits).toEqual([1_000, 4_000, 10_000]);
  expect(received).toHaveLength(4);
  expect(new Set(received.map(({ headers }) => headers["x-baton-delivery"])).size).toBe(1);
});

it("waits as long as the receiver asks for", async () => {
  const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
  const { url } = await startReceiver((_, response, attempt) => {
    if (attempt === 1) response.writeHead(429, { "retry-after": "7" }).end();
    else if (attempt === 2) response.writeHead(503, { "retry-after": inTwoMinutes }).end();
    else response.end("ok");
  });
  const { waits, sleep } = noted();
  expect(await runOne(webhookHook(url, { timeoutMs: 600_000 }), { sleep })).toMatchObject({ ok: true });
  expect(waits[0]).toBe(7_000);
  expect(waits[1]).toBeGreaterThan(110_000);
  expect(waits[1]).toBeLessThanOrEqual(120_000);
});

it("gives up at once when the receiver asks for more time than the hook has", async () => {
  const { url, received } = await startReceiver((_, response) =>
    response.writeHead(429, { "retry-after": "3600" }).end("slow down"),
  );
  const run = await runOne(webhookHook(url));
  expect(run).toMatchObject({ ok: false, output: "slow down" });
  expect(run.error).toMatch(/^127\.0\.0\.1:\d+ answered 429, and asks to wait 3600 s: slow down$/);
  expect(received).toHaveLength(1);
});

it("says what a receiver answers that refuses, and does not ask again", async () => {
  const { url, received } = await startReceiver((_, response) =>
    answerJson(response, 401, { error: "who are you?" }),
  );
  const run = await runOne(webhookHook(url));
  expect(run.error).toMatch(/ answered 401: {"error":"who are you\?"} \(check the hook's headers\)$/);
  expect(received).toHaveLength(1);
});

it("says so when nothing helps", async () => {
  const { url, received } = await startReceiver((_, response) => response.writeHead(502).end());
  const run = await runOne(webhookHook(url, { retries: 1 }));
  expect(run.error).toMatch(/ answered 502 after 2 attempts$/);
  expect(received).toHaveLength(2);
});

it("follows no redirect: the payload goes nowhere else", async () => {
  const other = await startReceiver((_, response) => response.end());
  for (const status of [301, 302, 303, 307, 308]) {
    const { url, received } = await startReceiver((_, response) =>
      response.writeHead(status, { location: `${other.url}/?stolen=token` }).end("moved"),
    );
    const run = await runOne(webhookHook(url));
    expect(run.error).toContain(`answered ${status} and points to ${other.url}. Redirects are not followed`);
    expect(received).toHaveLength(1);
  }
  expect(other.received).toEqual([]);
});

it("ends with its timeout when the receiver stalls, before or within its answer", async () => {
  const silent = await startReceiver(() => {});
  const halting = await startReceiver((_, response) => void response.writeHead(200).write("begi"));
  for (const { url } of [silent, halting]) {
    const run = await runOne(webhookHook(url, { timeoutMs: 300 }));
    expect(run.error).toMatch(/^127\.0\.0\.1:\d+ took longer than 300 ms\. Give it a longer timeout/);
  }
});

it("tries again after a reset, and says why nobody is reached", async () => {
  const { url, received } = await startReceiver((_, response, attempt) => {
    if (attempt === 1) response.destroy();
    else response.end("at last");
  });
  expect(await runOne(webhookHook(url))).toMatchObject({ ok: true, output: "at last" });
  expect(received).toHaveLength(2);

  const always = await startReceiver((_, response) => response.destroy());
  expect((await runOne(webhookHook(always.url, { retries: 0 }))).error).toMatch(
    /^127\.0\.0\.1:\d+ could not be reached \(.+\)\. Is the address right, and is it up\?$/,
  );
  expect((await runOne(webhookHook("http://127.0.0.1:1024/x"))).error).toBe(
    "127.0.0.1:1024 could not be reached in 4 attempts (connect ECONNREFUSED 127.0.0.1:1024). " +
      "Is the address right, and is it up?",
  );
});

it("ends with the job, also while it waits", async () => {
  const controller = new AbortController();
  const { url } = await startReceiver((_, response) => response.writeHead(503).end());
  const sleep = async (_: number, signal: AbortSignal) => {
    controller.abort();
    signal.throwIfAborted();
  };
  const run = await runOne(webhookHook(url), { signal: controller.signal, sleep });
  expect(run).toMatchObject({ ok: false, error: "it was ended, because the job is ending" });
});

it("keeps the beginning of an answer that does not end", async () => {
  const { url } = await startReceiver((_, response) => {
    const more = () => {
      while (response.writable && response.write("x".repeat(10_000)));
    };
    response.on("drain", more);
    more();
  });
  const run = await runOne(webhookHook(url));
  expect(run).toMatchObject({ ok: true });
  expect(run.output).toHaveLength(8 * 1024);
});

it("is not filled by a small answer that unpacks to a large one", async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000));
  const { url } = await startReceiver((_, response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb),
  );
  const before = process.memoryUsage().arrayBuffers;
  expect((await runOne(webhookHook(url))).output).toHaveLength(8 * 1024);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
});

it("never shows a header, the secret or a key in the address, although the receiver repeats them", async () => {
  const headers = { Authorization: "Bearer monitoring-token", "x-key": "key-in-a-header" };
  const secret = "shared with the receiver";
  const path = "/hooks/T0123456789abcdefghij?key=key-in-the-query";
  for (const status of [200, 400]) {
    const { url } = await startReceiver((request, response) =>
      answerJson(response, status, { ...request, token: "monitoring-token", secret }),
    );
    const run = await runOne(webhookHook(url + path, { headers, secret }));
    const shown = JSON.stringify(run);
    for (const hidden of ["monitoring-token", "key-in", "shared with", "T0123456789"]) {
      expect(shown).not.toContain(hidden);
    }
    expect(shown).toContain("[withheld]");
  }
});

it("does not show half a header where a long answer is cut", async () => {
  const token = "monitoring-token-".repeat(20);
  const { url } = await startReceiver((_, response) => response.end(token.repeat(100)));
  const { output } = await runOne(webhookHook(url, { headers: { authorization: token } }));
  expect(output).toContain("[withheld]");
  expect(output).not.toContain("monitoring");
});
