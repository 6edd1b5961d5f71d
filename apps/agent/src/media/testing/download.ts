import type { NarrowLink } from "./narrow-link.ts";
import { arrivalMeter } from "./narrow-link.ts";

const SEGMENT_BYTES = 1_500;
/** CUBIC (RFC 9438): how fast the window grows, and what a loss leaves of it. */
const GROWTH = 0.4;
const LEFT = 0.7;

/** A download over TCP with CUBIC, that ends when it is stopped. */
export function download(link: NarrowLink) {
  const { clock, settings } = link;
  const meter = arrivalMeter();
  let window = 10;
  let inFlight = 0;
  let most = 0;
  let reducedAtMs = Number.NEGATIVE_INFINITY;
  let slowStart = true;
  let stopped = false;

  const send = () => {
    while (!stopped && inFlight < window) {
      inFlight += 1;
      const sentAtMs = clock.now();
      const waitMs = link.queueMs();
      const fits = link.carry(SEGMENT_BYTES, (atMs) => {
        meter.add(SEGMENT_BYTES, atMs);
        clock.after(settings.delayMs, () => acknowledged(clock.now() - sentAtMs));
      });
      // Noticed by the acknowledgements of what follows it.
      if (!fits) clock.after(waitMs + 2 * settings.delayMs + 5, () => lost(sentAtMs));
    }
  };
  const acknowledged = (roundTripMs: number) => {
    inFlight -= 1;
    if (slowStart) window += 1;
    else {
      const t = (clock.now() - reducedAtMs + roundTripMs) / 1_000;
      const k = Math.cbrt((most * (1 - LEFT)) / GROWTH);
      const target = GROWTH * (t - k) ** 3 + most;
      const reno = most * LEFT + (((3 * (1 - LEFT)) / (1 + LEFT)) * (clock.now() - reducedAtMs)) / roundTripMs;
      window += Math.max(0, Math.max(target, reno) - window) / window;
    }
    send();
  };
  const lost = (sentAtMs: number) => {
    inFlight -= 1;
    slowStart = false;
    // Packets that left before the window was reduced belong to the same loss.
    if (sentAtMs > reducedAtMs) {
      most = window;
      window = Math.max(2, window * LEFT);
      reducedAtMs = clock.now();
    }
    send();
  };
  clock.after(0, send);
  return {
    rate: meter.rate,
    stop: () => {
      stopped = true;
    },
  };
}
