import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

/** What stands before several platform processes: every connection goes to the next one that takes it. */
export type Balancer = {
  /** `http://127.0.0.1:…`. */
  readonly href: string;
  /** From now on new connections go only to these, by turns. */
  serve(hrefs: readonly string[]): void;
  close(): Promise<void>;
};

/** A balancer of TCP connections on 127.0.0.1, without health checks: one that refuses is passed over at once. */
export async function openBalancer(): Promise<Balancer> {
  let targets: readonly URL[] = [];
  let turn = 0;
  const open = new Set<Socket>();

  function keep(socket: Socket): Socket {
    open.add(socket);
    return socket.on("error", () => socket.destroy()).once("close", () => open.delete(socket));
  }

  async function reach(): Promise<Socket | undefined> {
    const tried = targets.length;
    for (let n = 0; n < tried; n += 1) {
      const target = targets[turn % targets.length];
      turn += 1;
      if (target === undefined) return undefined;
      const socket = connect(Number(target.port), target.hostname);
      if (await opened(socket)) return socket;
    }
    return undefined;
  }

  const server = createServer({ pauseOnConnect: true }, (client) => {
    keep(client);
    void reach().then((node) => {
      if (node === undefined || client.destroyed) {
        client.destroy();
        node?.destroy();
        return;
      }
      keep(node).setNoDelay(true);
      client.setNoDelay(true);
      client.once("close", () => node.destroy());
      node.once("close", () => client.destroy());
      client.pipe(node);
      node.pipe(client);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    href: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve(hrefs) {
      targets = hrefs.map((href) => new URL(href));
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function opened(socket: Socket): Promise<boolean> {
  return new Promise((answered) => {
    socket.once("connect", () => answered(true));
    socket.once("error", () => answered(false));
  });
}
