import { networkInterfaces } from "node:os";
import type { Config } from "./config/config.ts";
import { venuePolicy } from "./media/transport/remote-candidates.ts";
import { createWeriftTransport } from "./media/transport/werift/transport.ts";
import type { Clock } from "./ports/clock.ts";
import type { Transport } from "./ports/transport.ts";

/** WebRTC as the configuration wants it. */
export function openTransport(clock: Clock, media: Config["media"]): Transport {
  const { extraAddresses, onlyExtraAddresses, portRange, candidates, relay } = media;
  const venue = venuePolicy(networkInterfaces(), candidates.open);
  return createWeriftTransport(clock, {
    extraAddresses,
    onlyExtraAddresses,
    relay,
    ...(portRange === null ? {} : { portRange }),
    remoteCandidates: { open: venue.open, closed: [...venue.closed, ...candidates.closed] },
  });
}
