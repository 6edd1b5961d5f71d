import { systemTimers } from "@longarm/link/socket";
import { openReceiver } from "@longarm/load/receiver/receiver";

/* The seated player's page, in a process of its own: his frames do not wait for the attacker's own work. */

export type FromSeated =
  | { readonly is: "offer"; readonly sdp: string }
  | { readonly is: "frames"; readonly arrivedAtMs: readonly number[] };
export type ToSeated = { readonly is: "begin" } | { readonly sdp: string };

const REPORT_MS = 250;

const send = (message: FromSeated): void => void process.send?.(message);
const now = (): number => performance.timeOrigin + performance.now();
const arrivedAtMs: number[] = [];
const receiver = openReceiver(
  { timers: systemTimers, now, picture: ({ atMs }) => void arrivedAtMs.push(atMs) },
  { loopback: true },
);
process.on("message", (message) => void onMessage(message as ToSeated));
process.once("disconnect", () => process.exit());
setInterval(() => send({ is: "frames", arrivedAtMs: arrivedAtMs.splice(0) }), REPORT_MS);

async function onMessage(message: ToSeated): Promise<void> {
  if ("sdp" in message) await receiver.accept(message.sdp);
  else send({ is: "offer", sdp: await receiver.offer() });
}
