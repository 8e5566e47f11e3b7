import type { ApiDoor } from "./proxy/api-door.ts";

/** What a program needs inside a box, as its adapter says. Paths are absolute, and the same inside. */
export interface BoxNeeds {
  /** What is started, as a single file: the program itself, or what runs its script. It is tried with `--version`. */
  program: string;
  /** What else it reads of the user's. */
  readable: readonly string[];
  /**
   * Folders that outlive the box, because what is in them is needed outside: transcripts. Made where they are missing. `inside`:
   * where the program looks for it, if that is another place.
   */
  writable: readonly (string | { path: string; inside: string })[];
  /** Folders in memory. */
  memory: readonly string[];
  env: Record<string, string>;
  /** Variables that it signs in with. */
  credentials: readonly string[];
  /** Files that it signs in with, and writes when it renews what is in them. Inside only where it signs in by itself. */
  signInFiles: readonly string[];
  /** Why it could not sign in by itself in a box that has a network. */
  cannotSignIn?: { problem: string; fix: string };
  /** How its model is reached without a credential inside, or why it cannot be. */
  api: ApiDoor | { problem: string; fix: string };
  /** What leads it to the model: to a socket, or to a port of its loopback that leads there. */
  toApi: (way: ToApi) => Record<string, string>;
  /** Files that lead it there, by their paths, in place of those of the user's that are there outside. */
  filesToApi?: (way: ToApi) => Record<string, string>;
  /** Hosts that it asks by that socket, and no proxy for. */
  direct: readonly string[];
  /** How it can ask its model where there is no network. For a port, socat must be inside. */
  asksModelBy: "socket" | "port";
  /** It asks Baton itself on its loopback: socat must be inside, unless it has the network of this machine. */
  asksBaton: boolean;
}

/** The way to the model inside. */
export interface ToApi {
  socket: string;
  port: number;
  /** What the proxy at its end asks for. */
  token: string;
}

export function isDoor(api: BoxNeeds["api"]): api is ApiDoor {
  return "upstream" in api;
}
