import { systemTimers } from "@longarm/link/socket";
import { openReceiver } from "@longarm/load/receiver/receiver";

/* The seated player's page, in a process of its own: his frames do not wait for the attacker's own work. */

export type FromSeated =
  | { readonly is: "offer"; readonly sdp: string }
  | { readonly is: "frames"; readonly arrivedAtMs: readonly number[] };
export type ToSeated = { readonly is: "begin" } | { readonly sdp: string };

const TELL_MS = 250;

const tell = (message: FromSeated): void => void process.send?.(message);
const now = (): number => performance.timeOrigin + performance.now();
const arrivedAtMs: number[] = [];
const receiver = openReceiver(
  { timers: systemTimers, now, picture: ({ atMs }) => void arrivedAtMs.push(atMs) },
  { loopback: true },
);
process.on("message", (message) => void hear(message as ToSeated));
process.once("disconnect", () => process.exit());
setInterval(() => tell({ is: "frames", arrivedAtMs: arrivedAtMs.splice(0) }), TELL_MS);

async function hear(told: ToSeated): Promise<void> {
  if ("sdp" in told) await receiver.accept(told.sdp);
  else tell({ is: "offer", sdp: await receiver.offer() });
}
