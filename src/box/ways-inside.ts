import type { Command } from "../processes/launch.ts";

/** Ports of the loopback inside, which nobody else has. */
export const NETWORK_PORT = 3128;
export const API_PORT = 3129;

export function socatArguments(port: number, socket: string): string[] {
  return ["socat", `TCP-LISTEN:${port},bind=127.0.0.1,reuseaddr,fork`, `UNIX-CONNECT:${socket}`];
}

/** In a network of its own each command needs its own ways out, which end with it. */
export function withLeads(
  { command, args }: Command,
  leads: ReadonlyMap<number, string>,
): Pick<Command, "command" | "args"> {
  if (leads.size === 0) return { command, args };
  const started = [...leads].map(
    ([port, socket]) => `${socatArguments(port, socket).join(" ")} 2>/dev/null &`,
  );
  return { command: "/bin/sh", args: ["-c", `${started.join("\n")}\nexec "$@"`, "sh", command, ...args] };
}

export function throughProxy(past: readonly string[]): Record<string, string> {
  const proxy = `http://127.0.0.1:${NETWORK_PORT}`;
  const direct = ["127.0.0.1", "localhost", "::1", ...past].join(",");
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
  };
}
