import type { ApiDoor } from "./proxy/api-door.ts";

/** What a program needs inside a box, as its adapter says. Paths are absolute, and the same inside. */
export interface BoxNeeds {
  /** As a single file. */
  program: string;
  /** What else it reads of the user's. */
  readable: readonly string[];
  /** Folders that outlive the box, because what is in them is needed outside: transcripts. Made where they are missing. */
  writable: readonly string[];
  /** Folders in memory. */
  memory: readonly string[];
  env: Record<string, string>;
  /** Variables that it signs in with. */
  credentials: readonly string[];
  /** Files that it signs in with, and writes when it renews what is in them. Inside only where it signs in by itself. */
  signInFiles: readonly string[];
  /** How its model is reached without a credential inside, or why it cannot be. */
  api: ApiDoor | { problem: string; fix: string };
  /** What leads it to the model: to a socket, or to a port of its loopback that leads there. */
  toApi: (way: { socket: string; port: number | undefined; token: string }) => Record<string, string>;
  /** Hosts that it asks by that socket, and no proxy for. */
  direct: readonly string[];
  /** It cannot ask a socket, or asks Baton itself on its loopback: socat must be inside where there is no network. */
  asksLoopback: boolean;
}

export function isDoor(api: BoxNeeds["api"]): api is ApiDoor {
  return "upstream" in api;
}
