import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { type FileLock, tryLock } from "../../files/lock.ts";
import { codeOf } from "../../util/errors.ts";
import { WorkspaceError } from "../workspace.ts";
import { ownTemporaryFolder } from "./temporary-folder.ts";

/** Ports that nobody else is given for as long as this lives. The system gives them back when the process dies. */
export interface Reserved extends Disposable {
  ports: number[];
}

/** Below those that systems hand out themselves to whoever connects. */
const FIRST = 20_000;
const COUNT = 10_000;

/** The wished ones come first, where they are free. */
export async function reservePorts(count: number, wish: readonly number[]): Promise<Reserved> {
  const ports: number[] = [];
  const locks: FileLock[] = [];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  const reserved = { ports, [Symbol.dispose]: release };
  if (count === 0) return reserved;
  try {
    const folder = join(await ownTemporaryFolder(), "ports");
    for (const port of candidates(wish)) {
      const lock = await tryLock(join(folder, String(port)));
      if (!lock) continue;
      locks.push(lock);
      if (await isFree(port)) ports.push(port);
      else locks.pop()?.release();
      if (ports.length === count) return reserved;
    }
    throw new WorkspaceError(
      `There are no ${count} free ports from ${FIRST} to ${FIRST + COUNT - 1}. Set workspace.ports lower, or stop what uses them.`,
    );
  } catch (error) {
    release();
    throw error;
  }
}

/** From a random place, so that many who begin at once do not all ask for the same. */
function* candidates(wish: readonly number[]): Generator<number> {
  const wished = new Set(wish.filter((port) => port >= FIRST && port < FIRST + COUNT));
  yield* wished;
  const start = Math.floor(Math.random() * COUNT);
  for (let n = 0; n < COUNT; n++) {
    const port = FIRST + ((start + n) % COUNT);
    if (!wished.has(port)) yield port;
  }
}

/** Some systems let one bind all addresses beside another who has bound a single one. */
async function isFree(port: number): Promise<boolean> {
  for (const host of ["127.0.0.1", "0.0.0.0", "::1"]) {
    if (!(await canBind(port, host))) return false;
  }
  return true;
}

async function canBind(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, "listening");
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE" || code === "EACCES") return false;
    // A machine without IPv6 has nobody who listens there.
    if (host === "::1" && (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT")) return true;
    throw error;
  }
  server.close();
  await once(server, "close");
  return true;
}
