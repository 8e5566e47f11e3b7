import { createServer, type Server } from "node:net";
import { onTestFinished } from "vitest";

/** A server on a port that is taken as long as the test runs. */
export async function listening(): Promise<{ port: number; server: Server }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (!address || typeof address === "string") throw new Error("no port");
  return { port: address.port, server };
}

export async function freePort(): Promise<number> {
  const { port, server } = await listening();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
