import type { WaitingChanged } from "@longarm/contract/notification-socket";
import type { QueueAnswer } from "@longarm/contract/player-queue";
import type { Bus } from "../../../bus/index.ts";
import type { Clock, Stop } from "../../../clock.ts";
import type { Log } from "../../../log.ts";
import type { Play } from "../../play/index.ts";
import type { Coalesced } from "./coalesce.ts";
import { COALESCE_MS, coalesce } from "./coalesce.ts";

/** How often pages with places get them again, ms: waits get shorter with the clock alone, and a place is kept while a page is open. */
const AGAIN_MS = 20_000;

/** A page as the queues see it. */
type Page = {
  queueChanged(): void;
  /** The places of a player who has some read otherwise with time. */
  queueAged(): void;
  waitingChanged(now: WaitingChanged): void;
};
type Pages = {
  ids(): string[];
  of(playerId: string, run: (page: Page) => void): void;
  each(run: (page: Page) => void): void;
};
type QueueParts = {
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly queues: Play["queues"];
};

/** Pushes to the pages of this node what changes in queues, and keeps the places of their players. */
export function pushQueues(pages: Pages, { bus, clock, log, queues }: QueueParts): Stop {
  const changed = new Set<string>();
  const counts = coalesce(
    clock,
    COALESCE_MS,
    async () => {
      const ids = [...changed];
      changed.clear();
      for (const now of await queues.waitingAt(ids)) pages.each((page) => page.waitingChanged(now));
    },
    (error) => log.warn({ err: error }, "who waits could not be read"),
  );
  const stops = [
    bus.subscribe("queue.changed", ({ machineIds, playerIds }) => {
      for (const playerId of playerIds) pages.of(playerId, (page) => page.queueChanged());
      for (const id of machineIds) changed.add(id);
      if (machineIds.length > 0) counts.request();
    }),
    clock.every(AGAIN_MS, () => {
      queues.seen(pages.ids()).catch((error: unknown) => log.warn({ err: error }, "open pages could not be noted"));
      pages.each((page) => page.queueAged());
    }),
    counts.stop,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Pushes the places of one player to one page: only where there are some, or were within the hour; other pages receive nothing of queues. */
export function placesPush(
  { isLocked, read }: { isLocked(): Promise<boolean>; read(): Promise<QueueAnswer> },
  queue: (work: () => Promise<void>) => Coalesced,
  push: (now: QueueAnswer) => void,
): Coalesced & { hasSome(): boolean } {
  let hasSome = false;
  const pushes = queue(async () => {
    if (await isLocked()) return;
    const now = await read();
    if (hasSome || now.places.length + now.ended.length > 0) push(now);
    hasSome = now.places.length > 0;
  });
  return { ...pushes, hasSome: () => hasSome };
}
