import { connect } from "node:net";
import type { Clock } from "../../../ports/clock.ts";
import type { Carrier } from "../line/carrier.ts";
import { StreamCarrier } from "./stream-carrier.ts";

/** A front end that does not accept the connection within this time is away, ms. */
const CONNECT_MS_MAX = 3_000;
/** The operating system looks for a dead connection after this much silence, ms. A polled machine is never silent for so long. */
const KEEP_ALIVE_MS = 5_000;

/** The framed stream over TCP: the agent dials the front end. */
export function tcpCarrier(address: { readonly host: string; readonly port: number }, clock: Clock): Carrier {
  return new StreamCarrier(({ opened, failed }) => {
    const socket = connect({ ...address, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
    const give = (why: string): void => {
      stopWaiting();
      socket.removeAllListeners("error");
      // A destroyed socket may still report an error.
      socket.on("error", () => undefined);
      socket.destroy();
      failed(why);
    };
    const stopWaiting = clock.after(CONNECT_MS_MAX, () => give(`${where(address)} does not accept a connection.`));
    socket.once("error", (error) => give(`${where(address)} cannot be reached: ${error.message}`));
    socket.once("connect", () => {
      stopWaiting();
      socket.removeAllListeners("error");
      opened(socket);
    });
    return () => {
      stopWaiting();
      socket.destroy();
    };
  }, clock);
}

const where = ({ host, port }: { host: string; port: number }): string => `The front end ${host}:${port}`;
