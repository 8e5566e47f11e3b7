import { createHash } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type Socket as Connection, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ServiceClock } from "../../test/service-clock.ts";
import { Socket, SocketError } from "./socket.ts";

const { signal } = new AbortController();

/** Somebody who takes connections. `greets`: and makes WebSockets of them, in which nothing is ever said. */
async function startMute({ greets }: { greets: boolean }) {
  const connections = new Set<Connection>();
  const server = createServer((connection) => {
    connections.add(connection);
    connection.on("error", () => {});
    connection.on("close", () => connections.delete(connection));
    connection.once("data", (request) => {
      const key = /sec-websocket-key: (.*)\r/i.exec(String(request))?.[1];
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
      if (greets) connection.write([...head, `Sec-WebSocket-Accept: ${accept}`, "", ""].join("\r\n"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const connection of connections) connection.destroy();
    server.close();
  });
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link/?ticket=1`;
}

const openAt = (url: string, clock = new ServiceClock(), until = signal) =>
  Socket.open(url, { clock, hear: () => {}, openWithinMs: 5_000, signal: until });

it("is closed although the other side never says that it is", async () => {
  const socket = await openAt(await startMute({ greets: true }));
  socket.close();
  expect(await socket.closed).toMatch(/^code 1006/);
  expect(socket.send("x")).toBe(false);
});

it("is given up where nobody answers, where nobody is there, and where it is ended", async () => {
  const url = await startMute({ greets: false });
  const clock = new ServiceClock();
  const failed = expect(openAt(url, clock)).rejects.toThrow(SocketError);
  await clock.sleeping(5_000);
  await clock.pass(5_000);
  await failed;
  await expect(openAt("ws://127.0.0.1:1/")).rejects.toThrow(SocketError);
  const ending = new AbortController();
  const ended = openAt(url, new ServiceClock(), ending.signal);
  ending.abort();
  await expect(ended).rejects.toThrow(SocketError);
});

it("is silent after five minutes where no pings are seen", async () => {
  const clock = new ServiceClock();
  const socket = await openAt(await startMute({ greets: true }), clock);
  let isSilent = false;
  void socket.silent().then(() => {
    isSilent = true;
  });
  await clock.pass(4 * 60_000);
  expect(isSilent).toBe(false);
  await clock.pass(60_000);
  expect(isSilent).toBe(true);
  socket.close();
  await socket.closed;
});
