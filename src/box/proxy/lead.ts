import { connect, createServer, type Server, type Socket } from "node:net";

/** A port of this machine's loopback as a socket, so that it can be reached where there is no network. */
export class PortLead {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  static async open(port: number, socket: string): Promise<PortLead> {
    const lead = new PortLead(port);
    await new Promise<void>((resolve, reject) => {
      lead.#server.once("error", reject).listen(socket, resolve);
    });
    return lead;
  }

  private constructor(port: number) {
    this.#server = createServer((inside) => {
      const outside = connect(port, "127.0.0.1");
      for (const each of [inside, outside]) this.#open.add(each);
      inside.pipe(outside).pipe(inside);
      inside.once("error", () => outside.destroy()).once("close", () => this.#open.delete(inside));
      outside.once("error", () => inside.destroy()).once("close", () => this.#open.delete(outside));
    });
    this.#server.unref();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }
}
