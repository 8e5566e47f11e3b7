import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { expect, it, onTestFinished, vi } from "vitest";
import { type Connection, isAnotherUsers, isLoopback, peersOf, stillHold } from "./connection.ts";

/** A server that others connect to, and the first connection to it. */
async function listening(host: string): Promise<{ port: number; connection: Promise<Connection> }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, host);
  await once(server, "listening");
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("no port");
  const connection = once(server, "connection").then(([socket]: Socket[]) => {
    if (!socket) throw new Error("no socket");
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    const { remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 } = socket;
    return {
      remote: { address: remoteAddress, port: remotePort },
      local: { address: localAddress, port: localPort },
    };
  });
  return { port: address.port, connection };
}

/** `::`: what comes over IPv4 has an address of IPv6 there. */
it.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["::", "127.0.0.1"],
])("finds the process at the other end of a connection to %s from %s", async (host, from) => {
  const { port, connection } = await listening(host);
  const script = `require("node:net").connect({ host: "${from}", port: ${port} }); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await peersOf(await connection)).toEqual({ pids: [child.pid] });
});

it.runIf(process.platform === "linux")("tells whether another user of this machine asks", async () => {
  const { port, connection } = await listening("127.0.0.1");
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  const found = await connection;
  expect(isAnotherUsers(found)).toBe(false);
  const getuid = vi.spyOn(process, "getuid").mockReturnValue(54_321);
  onTestFinished(() => getuid.mockRestore());
  expect(isAnotherUsers(found)).toBe(true);
});

it("finds this process where it asks itself", async () => {
  const { port, connection } = await listening("127.0.0.1");
  const socket = connect({ host: "127.0.0.1", port });
  onTestFinished(() => void socket.destroy());
  expect(await peersOf(await connection)).toEqual({ pids: [process.pid] });
});

it.each(["127.0.0.1", ...someAddress()])(
  "says of a process of this machine that was gone before it looked that it is hidden, at %s",
  async (host) => {
    const { port, connection } = await listening(host);
    const script = `require("node:net").connect({ host: "${host}", port: ${port} }).write("x", () => process.exit())`;
    const child = spawn(process.execPath, ["-e", script], { stdio: "ignore" });
    const [found] = await Promise.all([connection, once(child, "exit")]);
    expect(await peersOf(found)).toBe("hidden");
    expect(await stillHold(found, [child.pid ?? 0])).toBe(false);
  },
);

/** One by which other machines reach this one, if it has any. */
function someAddress(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return all
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => address)
    .slice(0, 1);
}

it("says of a machine that is not this one that it is elsewhere", async () => {
  const remote = { address: "192.0.2.1", port: 40_000 };
  expect(await peersOf({ remote, local: { address: "192.0.2.2", port: 3232 } })).toBe("elsewhere");
});

it.each([
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["::1", true],
  ["[::1]", true],
  ["::ffff:127.0.0.1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.1.2", false],
  ["127.0.0.1.evil.example", false],
  ["localhost.evil.example", false],
])("knows whether %s is this machine alone", (address, is) => {
  expect(isLoopback(address)).toBe(is);
});
