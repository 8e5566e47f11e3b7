import { withoutEnding } from "../util/text.ts";

/** Where a remote is: on which host, and which repository there. */
interface RemoteAddress {
  host: string;
  /** Owner and name, perhaps with groups between, without slashes around them and `.git` at the end. */
  path: string;
  /** Only where the remote itself is a web address. */
  origin?: string;
}

/** Undefined for a path on disk. */
export function addressIn(url: string): RemoteAddress | undefined {
  if (url.includes("://")) {
    const parsed = URL.parse(url);
    if (!parsed || !/^(?:https?|ssh|git|git\+ssh|ssh\+git):$/.test(parsed.protocol)) return undefined;
    const { hostname, host, pathname, protocol } = parsed;
    const origin = protocol.startsWith("http") ? { origin: `${protocol}//${host}` } : {};
    return { host: hostname.toLowerCase(), path: inRepository(pathname), ...origin };
  }
  const [, host, path] = /^(?:[^@/\s]+@)?([\w.-]{2,}):([^\s\\]+)$/.exec(url) ?? [];
  if (host === undefined || path === undefined) return undefined;
  return { host: host.toLowerCase(), path: inRepository(path) };
}

const inRepository = (path: string) => withoutEnding(path.replace(/^\/+/, ""), "/").replace(/\.git$/, "");
