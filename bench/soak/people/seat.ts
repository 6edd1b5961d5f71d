import type { Meters } from "@longarm/contract/machine";
import { systemTimers } from "@longarm/link/socket";
import type { PressOutcome } from "@longarm/load/visitor/press-sender";
import type { Venue } from "@longarm/load/visitor/venue";
import { Visit } from "@longarm/load/visitor/visit";

/** A place at a machine with its picture, as its player or as one who watches. */
export type Seat = {
  readonly machineId: string;
  request: Visit["request"];
  press(button: string, stake: number): Promise<PressOutcome>;
  meters(): Meters | undefined;
  /** The venue has ended it for good. */
  closed(): boolean;
  /** True once the first picture was whole. */
  sees(): boolean;
  /** The link is gone for a moment: it comes back by itself. */
  cut(): void;
  /** As a page that is shut: the socket and the picture end, nothing is said. */
  drop(): Promise<void>;
};

export type SeatAsk = {
  readonly venue: Venue;
  readonly token: string;
  readonly machineId: string;
  readonly role: "player" | "spectator";
  readonly random: () => number;
};

/** Longer than every deadline of the socket, ms. */
const ANSWER_MS = 30_000;

/** Answers what stood in the way in one word, such as that somebody else sits there. */
export async function openSeat({ random, ...asked }: SeatAsk): Promise<Seat | string> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let closed = false;
  const visit = new Visit(asked, {
    ...{ timers: systemTimers, now: () => performance.now(), random },
    seated: () => resolve(undefined),
    refused({ name, code }) {
      closed = true;
      resolve(name ?? String(code));
    },
    closed(reason) {
      closed = true;
      resolve(reason);
    },
  });
  const timer = setTimeout(() => resolve("no answer"), ANSWER_MS);
  const obstacle = await promise;
  clearTimeout(timer);
  if (obstacle !== undefined) {
    await visit.end();
    return obstacle;
  }
  return {
    machineId: asked.machineId,
    request: (method, data) => visit.request(method, data),
    press: (button, stake) => visit.press(button, stake),
    meters: () => visit.meters,
    closed: () => closed,
    sees: () => visit.picture.receiver?.firstPictureAtMs !== undefined,
    cut: () => visit.cut(),
    drop: () => visit.end(),
  };
}
