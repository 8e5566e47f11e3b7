import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createSecureContext } from "node:tls";
import { getRequestListener } from "@hono/node-server";
import { Access } from "../app/access/access.ts";
import { agentAtOtherEnd, isLoopback } from "../app/access/peer.ts";
import type { Project } from "../app/project.ts";
import { ServedProjects } from "../app/served/projects.ts";
import { JournalTails } from "../app/served/tails.ts";
import { UsageError } from "../app/usage-error.ts";
import type { WebConfig } from "../config/config.ts";
import { messageOf } from "../util/errors.ts";
import { Turns } from "../util/turns.ts";
import { webApp } from "./app.ts";
import { Limits } from "./guards/rate.ts";
import { cutOffUnread } from "./guards/unread.ts";
import type { Web } from "./web.ts";

export interface WebServer extends AsyncDisposable {
  /** `http://127.0.0.1:3232`. */
  url: string;
}

export interface ServeOptions {
  projects: readonly Project[];
  config: WebConfig;
  trouble: (error: unknown) => void;
  agentAtOtherEnd?: Web["agentAtOtherEnd"];
  unreadMs?: number;
}

const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const UNREAD_MS = 30_000;
/** An answer is one piece, however long, and takes its time where the way is slow. */
const ANSWER_TIMES = 10;
const MOST_CONNECTIONS = 500;
const MOST_HEADER_BYTES = 16 * 1024;

/** Serves the API of some projects, until it is closed. Throws a UsageError that says what to do where it cannot. */
export async function serveWeb({
  projects,
  config,
  trouble,
  agentAtOtherEnd: look = agentAtOtherEnd,
  unreadMs = UNREAD_MS,
}: ServeOptions): Promise<WebServer> {
  const tls = certificateOf(config);
  refuseOpen(config, tls !== undefined);
  const served = await ServedProjects.open(projects);
  const tails = await JournalTails.begin(served.all);
  const access = Access.open();
  const closing = new AbortController();
  const close = async () => {
    closing.abort();
    tails[Symbol.dispose]();
    access[Symbol.dispose]();
    await served[Symbol.asyncDispose]();
  };
  const web: Web = {
    ...{ config, access, served, tails, trouble, agentAtOtherEnd: look, unreadMs },
    limits: new Limits(),
    turns: new Turns(),
    origin: "",
    closing: closing.signal,
  };
  const listener = getRequestListener(webApp(web).fetch, { overrideGlobalObjects: false });
  const limits = { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS, maxHeaderSize: MOST_HEADER_BYTES };
  const server = tls ? createTlsServer({ ...limits, ...tls }, listener) : createServer(limits, listener);
  server.maxConnections = MOST_CONNECTIONS;
  cutOffUnread(server, tls ? "secureConnection" : "connection", ANSWER_TIMES * unreadMs);
  try {
    const port = await listening(server, config);
    web.origin = `${tls ? "https" : "http"}://${config.host.includes(":") ? `[${config.host}]` : config.host}:${port}`;
    access.announce(
      web.origin,
      projects.map(({ root }) => root),
    );
  } catch (error) {
    await close();
    throw error;
  }
  const end = async () => {
    closing.abort();
    tails.ring();
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
    await close();
  };
  let ending: Promise<void> | undefined;
  return {
    url: web.origin,
    [Symbol.asyncDispose]() {
      ending ??= end();
      return ending;
    },
  };
}

function certificateOf({ tls }: WebConfig): { cert: Buffer; key: Buffer } | undefined {
  if (!tls) return undefined;
  const { cert, key } = tls;
  if (cert === undefined || key === undefined) {
    throw new UsageError("web.tls_cert and web.tls_key go together: one of them is missing.");
  }
  try {
    const read = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(read);
    return read;
  } catch (error) {
    throw new UsageError(
      `The certificate of web.tls_cert, or its key in web.tls_key, cannot be used: ${messageOf(error)}`,
    );
  }
}

/** What other machines can reach must not be readable on the way. */
function refuseOpen({ host, allowInsecure }: WebConfig, isEncrypted: boolean): void {
  if (isLoopback(host) || isEncrypted || allowInsecure) return;
  throw new UsageError(
    `web.host is ${host}, which other machines can reach, and tokens could be read on the way. Set web.tls_cert and web.tls_key; or web.allow_insecure: true, where something else encrypts.`,
  );
}

function listening(server: ReturnType<typeof createServer>, { host, port }: WebConfig): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        error.code === "EADDRINUSE" || error.code === "EACCES" || error.code === "EADDRNOTAVAIL"
          ? new UsageError(refusal(error.code, host, port))
          : error,
      );
    });
    server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
  });
}

function refusal(code: string, host: string, port: number): string {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is taken, by another fleet or another program. Choose another with --port or web.port; 0 takes any that is free.`;
    case "EACCES":
      return `This user may not listen on port ${port}. Choose one from 1024 with --port or web.port.`;
    default:
      return `${host} is no address of this machine. Check web.host.`;
  }
}
