import { networkInterfaces } from "node:os";
import { onLinux, processNumbers, procFile, procLink } from "./proc.ts";
import { run } from "./run.ts";

/** A TCP connection to this process. */
export interface Connection {
  /** The one who asks. */
  remote: Endpoint;
  local: Endpoint;
}

interface Endpoint {
  address: string;
  port: number;
}

/**
 * The processes of this machine that hold the other end of a connection. `hidden`: it is one of this user's that does not
 * let itself be seen, or one of this machine that has closed its end already. `elsewhere`: another user's, or on another machine.
 */
export type Peers = { pids: number[] } | "hidden" | "elsewhere";

export async function peersOf(connection: Connection): Promise<Peers> {
  return onLinux ? fromProc(connection, processNumbers()) : fromLsof(connection);
}

/** Whether these hold it, all of them, at this moment. */
export async function stillHold(connection: Connection, pids: readonly number[]): Promise<boolean> {
  const peers = onLinux ? fromProc(connection, pids.map(String)) : await fromLsof(connection);
  return typeof peers === "object" && pids.every((pid) => peers.pids.includes(pid));
}

interface Socket {
  local: string;
  remote: string;
  uid: number;
  inode: string;
}

/** Whether another user of this machine asks, as far as that can be seen. Where it cannot, what others hold is `hidden`. */
export function isAnotherUsers(connection: Connection): boolean {
  return onLinux && otherEnds(connection).some(({ uid }) => uid !== process.getuid?.());
}

function otherEnds({ remote, local }: Connection): Socket[] {
  const [theirs, ours] = [written(remote), written(local)];
  // Seen from the other end, what is remote here is local.
  return ["tcp", "tcp6"]
    .flatMap(socketsIn)
    .filter((socket) => socket.local === theirs && socket.remote === ours);
}

function fromProc(connection: Connection, among: readonly string[]): Peers {
  const sockets = otherEnds(connection);
  if (sockets.length === 0) return unseen(connection.remote);
  const wanted = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  const pids = among.filter((pid) => holds(pid, wanted));
  if (pids.length > 0) return { pids: pids.map(Number) };
  return sockets.some(({ uid }) => uid === process.getuid?.()) ? "hidden" : "elsewhere";
}

function holds(pid: string, wanted: ReadonlySet<string>): boolean {
  const { readdirSync } = process.getBuiltinModule("node:fs");
  try {
    return readdirSync(`/proc/${pid}/fd`).some((descriptor) => {
      try {
        return wanted.has(procLink(pid, `fd/${descriptor}`));
      } catch {
        return false;
      }
    });
  } catch {
    return false;
  }
}

function socketsIn(kind: string): Socket[] {
  let table: string;
  try {
    table = procFile("self", `net/${kind}`);
  } catch {
    return [];
  }
  return table
    .split("\n")
    .slice(1)
    .flatMap((line) => {
      const [, local = "", remote = "", , , , , uid = "", , inode = ""] = line.trim().split(/\s+/);
      if (inode === "" || inode === "0") return [];
      return [{ local: decoded(local), remote: decoded(remote), uid: Number(uid), inode }];
    });
}

/** Addresses stand in the table by words of four bytes, each in the order of this machine. */
function decoded(hex: string): string {
  const [address = "", port = ""] = hex.split(":");
  const words = address.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).reverse(),
  );
  const isMapped = bytes.length === 16 && bytes.slice(0, 12).join() === "0,0,0,0,0,0,0,0,0,0,255,255";
  return `${(isMapped ? bytes.slice(12) : bytes).join(".")}:${Number.parseInt(port, 16)}`;
}

function written({ address, port }: Endpoint): string {
  return `${bytesOf(address).join(".")}:${port}`;
}

function bytesOf(address: string): number[] {
  const plain = address.replace(/%.*$/, "");
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
  if (!mapped.includes(":")) return mapped.split(".").map(Number);
  const [before = "", after] = mapped.split("::");
  const words = (part: string) =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(before), words(after ?? "")];
  const between = after === undefined ? [] : Array<number>(8 - first.length - last.length).fill(0);
  return [...first, ...between, ...last].flatMap((word) => [word >> 8, word & 0xff]);
}

async function fromLsof({ remote }: Connection): Promise<Peers> {
  const args = ["-nP", `-iTCP:${remote.port}`, "-sTCP:ESTABLISHED", "-Fpn"];
  const { ok, stdout } = await run("lsof", args);
  if (!ok) return unseen(remote);
  const from = `${remote.address.includes(":") ? `[${remote.address}]` : remote.address}:${remote.port}->`;
  const pids = new Set<number>();
  let pid = 0;
  for (const line of stdout.split("\n")) {
    if (line.startsWith("p")) pid = Number(line.slice(1));
    else if (line.startsWith("n") && line.slice(1).startsWith(from)) pids.add(pid);
  }
  return pids.size > 0 ? { pids: [...pids] } : unseen(remote);
}

/** Nobody holds the other end. On this machine somebody did, and closed it before we looked. */
function unseen({ address }: Endpoint): Peers {
  if (isLoopback(address)) return "hidden";
  const theirs = bytesOf(address).join(".");
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  return own.some((each) => bytesOf(each.address).join(".") === theirs) ? "hidden" : "elsewhere";
}

export function isLoopback(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, "").replace(/^::ffff:/i, "");
  return plain === "::1" || plain === "localhost" || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
