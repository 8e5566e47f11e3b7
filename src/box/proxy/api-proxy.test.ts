import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { ApiDoor } from "./api-door.ts";
import { ApiProxy } from "./api-proxy.ts";

interface Heard {
  path: string | undefined;
  key: unknown;
  authorization: unknown;
}

let heard: Heard[];
beforeEach(() => {
  heard = [];
});

/** A service that costs a dollar a word. */
async function service(): Promise<ApiDoor> {
  const server = createServer(({ url, headers }, response) => {
    heard.push({ path: url, key: headers["x-api-key"], authorization: headers.authorization });
    response.end("one two");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    upstream: `http://127.0.0.1:${port}/base`,
    headers: { "x-api-key": "sk-real" },
    tokenHeaders: ["x-api-key", "authorization"],
    meter: () => {
      let text = "";
      return {
        read: (more) => {
          text += more;
        },
        get costUsd() {
          return text.split(" ").filter(Boolean).length;
        },
      };
    },
    refusal: (message) => message,
  };
}

async function proxyWith(limitUsd?: number) {
  const folder = mkdtempSync(join(tmpdir(), "baton-proxy-"));
  const proxy = await ApiProxy.open({
    socket: join(folder, "api.sock"),
    door: await service(),
    limitUsd,
    outside: {},
  });
  onTestFinished(() => {
    proxy.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (path: string, headers: Record<string, string>) => {
    const sent = request({ socketPath: join(folder, "api.sock"), path, headers, method: "POST" });
    sent.end("{}");
    const [answer] = await once(sent, "response");
    let text = "";
    for await (const piece of answer) text += piece;
    return { status: answer.statusCode as number, text };
  };
  return { proxy, ask, socket: join(folder, "api.sock") };
}

it("adds the key, and passes the token on to nobody", async () => {
  const { proxy, ask } = await proxyWith();
  const bearer = { authorization: `Bearer ${proxy.token}` };
  expect(await ask("/v1/messages?x=1", bearer)).toEqual({ status: 200, text: "one two" });
  expect(await ask("/v1/messages", { "x-api-key": proxy.token })).toMatchObject({ status: 200 });
  expect(heard).toEqual([
    { path: "/base/v1/messages?x=1", key: "sk-real", authorization: undefined },
    { path: "/base/v1/messages", key: "sk-real", authorization: undefined },
  ]);
});

it("answers nobody without the token of the job", async () => {
  const { ask } = await proxyWith();
  expect(await ask("/v1/messages", {})).toMatchObject({ status: 401 });
  expect(await ask("/v1/messages", { "x-api-key": "sk-baton-guessed" })).toMatchObject({ status: 401 });
  expect(heard).toEqual([]);
});

it("leads nowhere but to the model", async () => {
  const { proxy, ask } = await proxyWith();
  const key = { "x-api-key": proxy.token };
  expect(await ask("http://example.com/", key)).toMatchObject({ status: 400 });
  expect(await ask("@example.com/", key)).toMatchObject({ status: 400 });
  expect((await ask("//example.com/", key)).status).toBeLessThan(500);
  expect(heard.every(({ path }) => path?.startsWith("/base"))).toBe(true);
});

it("stops at the limit of the job, whoever inside asks", async () => {
  const { proxy, ask } = await proxyWith(3);
  const key = { "x-api-key": proxy.token };
  expect(await ask("/", key)).toMatchObject({ status: 200 });
  expect(proxy.spentUsd).toBe(2);
  expect(await ask("/", key)).toMatchObject({ status: 200 });
  const refused = await ask("/", key);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain("limits.cost_usd");
  expect(heard).toHaveLength(2);
});

it("lets nobody leave the requests that it counts", async () => {
  const { proxy, socket } = await proxyWith();
  const headers = { authorization: `Bearer ${proxy.token}`, connection: "Upgrade", upgrade: "websocket" };
  const sent = request({ socketPath: socket, path: "/v1/responses", headers }).end();
  const [answer] = await once(sent, "response");
  expect(answer.statusCode).toBe(426);
  expect(heard).toEqual([]);
});
