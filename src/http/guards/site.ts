import { isLoopback } from "../../app/access/peer.ts";
import type { WebConfig } from "../../config/config.ts";
import { Problem } from "../problem.ts";

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Refuses what another site's page sends, or a name of theirs that leads here: a browser would take both for this server's
 * own. `isPage`: it is a page, which a person may open from anywhere, and which tells nothing.
 */
export function checkSite(
  headers: Headers,
  { config, origin }: { config: WebConfig; origin: string },
  { isPage }: { isPage: boolean },
): void {
  const host = headers.get("host") ?? "";
  if (!isOwnHost(host, config, origin)) {
    throw new Problem(
      421,
      "host",
      `This server is not ${host.slice(0, 100) || "without a name"}. Ask for ${origin}; other names go into web.allowed_hosts.`,
    );
  }
  const from = headers.get("origin");
  if (from !== null && !isOwnOrigin(from, host)) {
    throw new Problem(403, "origin", "Pages of other sites may not ask this server anything.");
  }
  const site = headers.get("sec-fetch-site");
  const isOwn = site === null || site === "same-origin" || site === "none";
  const isOpened = isPage && headers.get("sec-fetch-mode") === "navigate";
  if (!isOwn && !isOpened) {
    throw new Problem(403, "cross-site", "Pages of other sites may not ask this server anything.");
  }
}

function isOwnHost(host: string, { host: bound, allowedHosts }: WebConfig, origin: string): boolean {
  const { port } = new URL(origin);
  const [, name = "", given = ""] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d+))?$/i.exec(host.toLowerCase()) ?? [];
  if (allowedHosts.some((allowed) => bracketed(allowed.toLowerCase()) === name)) return true;
  const own = isLoopback(bound) ? LOOPBACK_NAMES : [...LOOPBACK_NAMES, bracketed(bound.toLowerCase())];
  return own.includes(name) && given === port;
}

function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** A page under the very name that it asks for. */
function isOwnOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}
