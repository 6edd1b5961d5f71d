import type { Live } from "@longarm/ui/live.ts";
import { createStore } from "zustand/vanilla";
import type { Queues, QueuesNow } from "../../features/queue/queues.ts";
import { calledIn } from "../../features/queue/queues.ts";
import type { CalledAway } from "../../shared/play-deps.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { queueDepsOf } from "./queues-of.ts";

/** How many wait for a machine: as it was listed, then as it is pushed while somebody looks. Undefined: it has no queue. */
export function waitingAt(
  { seen }: App,
  { events }: PlayerLink,
  machineId: string | undefined,
): Live<number | undefined> {
  const now = () => (machineId === undefined ? undefined : seen.get(machineId)?.waiting);
  return {
    getState: now,
    getInitialState: now,
    subscribe(listener) {
      let was = now();
      return events.on("waiting", ({ id, count }) => {
        if (id !== machineId) return;
        const before = was;
        was = count;
        listener(count, before);
      });
    },
  };
}

/** The machine that calls the player away from the one they sit at. */
export const calledAwayOf = oncePer((app: App) => oncePer((link: PlayerLink) => follow(queueDepsOf(app)(link).queues)));

function follow(queues: Queues): Live<CalledAway | undefined> {
  const called = createStore<CalledAway | undefined>(() => undefined);
  const look = (now: QueuesNow) => {
    const found = calledIn(now);
    const before = called.getState();
    if (found === undefined) return called.setState(undefined, true);
    const { place, call, endsAt } = found;
    if (before?.machine.id === call.machineId && before.endsAt === endsAt) return;
    called.setState(
      {
        machine: { id: call.machineId, name: call.machine },
        ...{ endsAt, ofMs: call.ofMs },
        stay: async () => (await queues.pass(place.id)) === undefined,
      },
      true,
    );
  };
  queues.now.subscribe(look);
  look(queues.now.getState());
  return called;
}
