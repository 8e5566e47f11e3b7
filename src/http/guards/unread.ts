import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Cuts off whoever has taken no piece of what waits for them for so long, twice that at most: an answer would otherwise be kept for
 * them until they are gone. Whatever they send meanwhile changes nothing.
 */
export function cutOffUnread(server: Server, event: "connection" | "secureConnection", ms: number): void {
  /** How much each had taken when it was last looked at. */
  const taken = new Map<Socket, number>();
  server.on(event, (socket: Socket) => {
    taken.set(socket, 0);
    socket.once("close", () => taken.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, before] of taken) {
      const now = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength > 0 && now === before) socket.destroy();
      else taken.set(socket, now);
    }
  }, ms);
  server.once("close", () => clearInterval(timer));
  timer.unref();
}
