import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";

/** A TCP port of 127.0.0.1 that is free now. A platform that is started again must be found at the same one. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const LOOK_MS = 20;

/** Whether a program accepts TCP connections at this port; a refusal takes a moment, so that callers can ask again and again. */
export function acceptsTcp(portNumber: number): Promise<boolean> {
  return new Promise((answered) => {
    const socket = connect(portNumber, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      answered(true);
    });
    socket.once("error", () => setTimeout(answered, LOOK_MS, false));
  });
}
