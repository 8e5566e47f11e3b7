import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { apiError } from "../src/simulator/errors.ts";
import { sendError } from "../src/simulator/send.ts";

/** An API that takes no credentials, which is the end of a job. Its address. */
export async function refusingApi(): Promise<string> {
  const refusing = createServer((_, response) =>
    sendError(response, apiError(401, "authentication_error", "invalid x-api-key")),
  ).listen(0, "127.0.0.1");
  await once(refusing, "listening");
  onTestFinished(() => {
    refusing.closeAllConnections();
    refusing.close();
  });
  const { port } = refusing.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}
