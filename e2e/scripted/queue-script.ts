import type { QueueAnswer, QueueOutlook, QueuePlace } from "@longarm/contract/player-queue";
import { ok } from "./answers.ts";
import type { ScriptedBackEnd } from "./back-end.ts";
import type { World } from "./world.ts";

const MACHINE = { id: "m_1", name: "Nar 07", brand: "Nar" };

/** A place for the first machine of the world, with one player before it. */
export const placeOf = (more: Partial<QueuePlace> = {}): QueuePlace => ({
  id: "qp_1",
  wish: { machine: MACHINE.id },
  machines: [MACHINE],
  state: "waiting",
  ahead: 1,
  wait: { lowS: 380, highS: 820, sittings: 50 },
  joinedAt: "2026-11-29T10:00:00.000Z",
  misses: 0,
  passesLeft: 1,
  linkPass: true,
  call: null,
  ...more,
});

/** The same when its turn has come. */
export const calledPlace = (leftMs: number, more: Partial<NonNullable<QueuePlace["call"]>> = {}): QueuePlace =>
  placeOf({
    state: "called",
    ahead: 0,
    wait: null,
    call: { machineId: MACHINE.id, machine: MACHINE.name, leftMs, ofMs: 30_000, elsewhere: false, ...more },
  });

export const answerOf = (places: readonly QueuePlace[], ended: QueueAnswer["ended"] = []): QueueAnswer => ({
  places: [...places],
  placesMax: 3,
  any: { brand: true, denomination: true },
  ended,
});

/** What a place would be: two wait for the first machine, three for any of its brand. */
function outlookOf(wish: QueuePlace["wish"]): QueueOutlook {
  if ("brand" in wish) return { wish, machines: 3, ahead: 3, wait: { lowS: 190, highS: 560, sittings: 140 } };
  if ("denomination" in wish) return { wish, machines: 12, ahead: 0, wait: { lowS: 20, highS: 200, sittings: 300 } };
  const isFirst = "machine" in wish && wish.machine === MACHINE.id;
  return {
    wish,
    machines: 1,
    ahead: isFirst ? 2 : 0,
    wait: isFirst ? { lowS: 720, highS: 1_150, sittings: 50 } : null,
  };
}

const moved = ({ chosen, ...place }: QueuePlace, to: string | undefined): QueuePlace =>
  to === "chosen"
    ? { ...place, wish: chosen ?? place.wish }
    : { ...place, chosen: place.wish, wish: { brand: MACHINE.brand } };

/** A floor with queues: whatever is played is played by somebody else and may be watched, and every machine of Nar is. */
export function withQueues(world: World): void {
  world.session = undefined;
  world.machines = world.machines.map(({ mine: _, until: __, ...machine }, index) => ({
    ...machine,
    ...(machine.brand === "Nar" && { status: 3 }),
    ...((machine.status === 3 || machine.brand === "Nar") && { watchable: true }),
    waiting: index === 0 ? 2 : 0,
  }));
}

/** Answers the calls of queues: places change by what the page does. Pushes are the test's. */
export function scriptQueue(backEnd: ScriptedBackEnd, places: readonly QueuePlace[] = []) {
  let now = answerOf(places);
  const set = (next: QueueAnswer): QueueAnswer => {
    now = next;
    return next;
  };
  const idIn = (body: unknown): unknown => (body as { id?: unknown }).id;
  const without = (body: unknown) => answerOf(now.places.filter(({ id }) => id !== idIn(body)));
  backEnd.script("GET /v1/player/queue", () => ok(now));
  backEnd.script("POST /v1/player/queue/outlook", ({ body }) =>
    ok({ outlooks: (body as { wishes: QueuePlace["wish"][] }).wishes.map(outlookOf) }),
  );
  backEnd.script("POST /v1/player/queue/move", ({ body }) =>
    ok(
      set(
        answerOf(
          now.places.map((place) => (place.id === idIn(body) ? moved(place, (body as { to?: string }).to) : place)),
        ),
      ),
    ),
  );
  backEnd.script("POST /v1/player/queue/leave", ({ body }) => ok(set(without(body))));
  backEnd.script("POST /v1/player/queue/pass", ({ body }) =>
    ok(set(answerOf([...without(body).places, placeOf({ passesLeft: 0 })]))),
  );
  backEnd.script("POST /v1/player/queue/join", ({ body }) =>
    ok(
      set(
        answerOf([
          ...now.places,
          placeOf({ id: `qp_${now.places.length + 1}`, wish: body as QueuePlace["wish"], ahead: 2 }),
        ]),
      ),
    ),
  );
  return {
    /** Changes the places, and pushes them to the page. */
    push: (next: QueueAnswer) => backEnd.push("queue", set(next)),
  };
}
