import * as z from "zod/mini";
import type { Clock } from "../../../ports/clock.ts";
import type { Carrier } from "../line/carrier.ts";
import { tcpCarrier } from "./tcp.ts";

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
