import { connect } from "node:net";
import * as z from "zod/mini";
import type { Clock } from "../../../ports/clock.ts";
import type { Carrier } from "../line/carrier.ts";
import { StreamCarrier } from "./stream-carrier.ts";

const Device = z.string().check(z.regex(/^\/dev\/[\w./-]{1,120}$/, "must be a device such as /dev/ttyUSB0"));

/** How the line of a machine is reached: docs/hardware.md. */
export const CarrierConfig = z.discriminatedUnion("kind", [
  /** The framed stream of a front end; the agent dials it. */
  z.strictObject({
    kind: z.literal("tcp"),
    host: z.string().check(z.minLength(1), z.maxLength(253)),
    port: z.int().check(z.gte(1), z.lte(65_535)),
  }),
  /** The framed stream over a device, such as a front end on USB. */
  z.strictObject({ kind: z.literal("framed"), device: Device }),
  /** A serial port of this computer that sends mark and space parity. */
  z.strictObject({ kind: z.literal("serial"), device: Device }),
]);
export type CarrierConfig = z.infer<typeof CarrierConfig>;

/** The serial port's native library is loaded only where a machine has one. */
export async function openCarrier(config: CarrierConfig, clock: Clock): Promise<Carrier> {
  if (config.kind === "tcp") return tcpCarrier(config, clock);
  const { framedDeviceCarrier, SerialCarrier } = await import("./serial.ts");
  return config.kind === "framed" ? framedDeviceCarrier(config.device, clock) : new SerialCarrier(config.device, clock);
}

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
