import type { QueueAnswer, QueuePlace } from "@longarm/contract/player-queue";
import { expect, test, vi } from "vitest";
import { createApiClient } from "../../shared/api/client.ts";
import { createOutlooks } from "./outlooks.ts";
import { callEnd, calledIn, createQueues, isWeak, placeFor, placesIn } from "./queues.ts";

const place = (more: Partial<QueuePlace> = {}): QueuePlace => ({
  id: "qp_1",
  wish: { machine: "m1" },
  machines: [{ id: "m1", name: "Nar 01", brand: "Nar" }],
  state: "waiting",
  ahead: 1,
  wait: { lowS: 360, highS: 840, sittings: 50 },
  joinedAt: "2026-11-29T10:00:00Z",
  misses: 0,
  passesLeft: 1,
  linkPass: true,
  call: null,
  ...more,
});
const called = (leftMs: number, more: Partial<QueuePlace> = {}): QueuePlace =>
  place({
    state: "called",
    ahead: 0,
    call: { machineId: "m1", machine: "Nar 01", leftMs, ofMs: 30_000, elsewhere: false },
    ...more,
  });
const answer = (places: QueuePlace[], ended: QueueAnswer["ended"] = []): QueueAnswer => ({
  places,
  placesMax: 3,
  any: { brand: true, denomination: true },
  ended,
});

type Answered = { readonly status?: number; readonly json?: unknown };

/** Places of a page whose platform answers a path so; a path without an answer fails like a lost network. */
function queuesOf(answers: Readonly<Record<string, Answered | (() => Answered)>> = {}, clock = () => 1_000) {
  const bodies: unknown[] = [];
  const answering: typeof fetch = async (input, init) => {
    if (init?.body) bodies.push(JSON.parse(String(init.body)));
    const found = answers[new URL(String(input)).pathname];
    if (found === undefined) throw new TypeError("Failed to fetch");
    const { status = 200, json } = typeof found === "function" ? found() : found;
    return new Response(JSON.stringify(json), { status });
  };
  const base = new URL("http://api.test/v1/");
  const api = createApiClient({ base, token: () => "t", fetch: answering, onUnauthorised() {} });
  return { queues: createQueues(api, clock), bodies };
}

test("a push shows the places; one that cannot be read changes nothing", () => {
  const { queues } = queuesOf();
  expect(queues.now.getState().answer).toBeUndefined();
  queues.pushed(answer([place()]), 1_000);
  queues.pushed({ places: "many" }, 1_000);
  expect(placesIn(queues.now.getState())).toEqual([place()]);
});

test("reading: a platform without queues is absent, a failure keeps what is known, and a push meanwhile is newer", async () => {
  const none = queuesOf({ "/v1/player/queue": { status: 404, json: { code: 40000 } } });
  await none.queues.load();
  expect(none.queues.now.getState().answer).toBe("absent");

  const away = queuesOf();
  away.queues.pushed(answer([place()]), 1_000);
  await away.queues.load();
  expect(away.queues.now.getState()).toMatchObject({ failure: { is: "network" } });
  expect(placesIn(away.queues.now.getState())).toHaveLength(1);

  const slow = queuesOf({
    "/v1/player/queue": () => {
      slow.queues.pushed(answer([]), 1_000);
      return { json: answer([place()]) };
    },
  });
  await slow.queues.load();
  expect(placesIn(slow.queues.now.getState())).toEqual([]);
});

test("a call ends by the page's clock and what the platform said was left; later answers can only bring the end nearer", () => {
  const { queues } = queuesOf();
  queues.pushed(answer([called(20_000)]), 5_000);
  expect(calledIn(queues.now.getState())?.endsAt).toBe(25_000);
  // Two seconds on the way: it seems to end later, and does not.
  queues.pushed(answer([called(12_000)]), 15_000);
  expect(calledIn(queues.now.getState())?.endsAt).toBe(25_000);
  queues.pushed(answer([called(9_000)]), 15_500);
  expect(calledIn(queues.now.getState())?.endsAt).toBe(24_500);
  // Another machine is another call.
  const other = { machineId: "m2", machine: "Nar 02", leftMs: 30_000, ofMs: 30_000, elsewhere: false };
  queues.pushed(answer([called(0, { call: other })]), 20_000);
  expect(calledIn(queues.now.getState())?.endsAt).toBe(50_000);
});

test("of several calls the one that ends first is shown; of several places for a machine the nearest", () => {
  const { queues } = queuesOf();
  queues.pushed(answer([called(30_000), called(9_000, { id: "qp_2" })]), 0);
  expect(calledIn(queues.now.getState())?.place.id).toBe("qp_2");
  queues.pushed(answer([place({ ahead: 4 }), place({ id: "qp_2", wish: { brand: "Nar" }, ahead: 2 })]), 0);
  expect(placeFor(queues.now.getState(), "m1")?.id).toBe("qp_2");
  expect(placeFor(queues.now.getState(), "m9")).toBeUndefined();
});

test("how a call ended: missed, its place ended, answered on another device, or here", async () => {
  const json = answer([place({ passesLeft: 0 })]);
  const { queues } = queuesOf({ "/v1/player/queue/pass": { json } });
  const begin = () => {
    queues.pushed(answer([]), 0);
    queues.pushed(answer([called(30_000)]), 0);
    const found = calledIn(queues.now.getState());
    if (found === undefined) throw new Error("no place is called");
    return found;
  };
  const end = (was: ReturnType<typeof begin>) =>
    callEnd(was, queues.now.getState(), queues.isAnsweredHere(was.place.id));

  let was = begin();
  expect(end(was)).toBeUndefined();
  queues.pushed(answer([place({ misses: 1 })]), 0);
  expect(end(was)).toBe("missed");

  was = begin();
  const over = { id: "qp_1", machine: "Nar 01", wish: was.place.wish, reason: "missed", at: "2026-11-29T10:01:00Z" };
  queues.pushed(answer([], [over]), 0);
  expect(end(was)).toBe("ended");

  was = begin();
  queues.pushed(answer([]), 0);
  expect(end(was)).toBe("elsewhere");

  was = begin();
  expect(await queues.pass("qp_1")).toBeUndefined();
  expect(end(was)).toBeUndefined();
  // A later call of the same place is another one.
  was = begin();
  queues.pushed(answer([place({ misses: 1 })]), 0);
  expect(end(was)).toBe("missed");

  was = begin();
  queues.sitting("qp_1");
  queues.pushed(answer([]), 0);
  expect(end(was)).toBeUndefined();
});

test("an act sends its id, takes the answer, and reports a refusal", async () => {
  const { queues, bodies } = queuesOf({
    "/v1/player/queue/join": { json: answer([place()]) },
    "/v1/player/queue/leave": { json: answer([]) },
    "/v1/player/queue/move": { status: 409, json: { code: 60025 } },
  });
  expect(await queues.join({ machine: "m1" })).toBeUndefined();
  expect(placesIn(queues.now.getState())).toHaveLength(1);
  expect(await queues.move("qp_1", "brand")).toMatchObject({ code: 60025 });
  expect(placesIn(queues.now.getState())).toHaveLength(1);
  expect(await queues.leave("qp_1")).toBeUndefined();
  expect(placesIn(queues.now.getState())).toEqual([]);
  expect(bodies).toEqual([{ machine: "m1" }, { id: "qp_1", to: "brand" }, { id: "qp_1" }]);
});

test("the connection is as good as the shortest of three ways there and back; a failure measures nothing", async () => {
  let now = 0;
  let ways = [5_000, 900, 2_000];
  const { queues } = queuesOf(
    {
      "/v1/player/queue": () => {
        now += ways.shift() ?? 1_000;
        return { json: answer([place()]) };
      },
    },
    () => now,
  );
  await queues.measure();
  expect(queues.now.getState().roundTripMs).toBe(900);
  expect(isWeak(queues.now.getState())).toBe(false);
  ways = [1_500, 1_200, 3_000];
  await queues.measure();
  expect(isWeak(queues.now.getState())).toBe(true);
  queues.pushed(answer([]), now);
  expect(queues.now.getState().roundTripMs).toBe(1_200);

  const away = queuesOf();
  await away.queues.measure();
  expect(away.queues.now.getState().roundTripMs).toBeUndefined();
});

test("what places would be is read together, once for what several show, and again while it is shown", async () => {
  const read: unknown[] = [];
  const api = createApiClient({
    base: new URL("http://api.test/v1/"),
    token: () => "t",
    onUnauthorised() {},
    fetch: async (_, init) => {
      const { wishes } = JSON.parse(String(init?.body)) as { wishes: object[] };
      read.push(wishes);
      return new Response(
        JSON.stringify({ outlooks: wishes.map((wish) => ({ wish, machines: 1, ahead: read.length, wait: null })) }),
      );
    },
  });
  const waits: (() => void)[] = [];
  const timers = {
    after(_: number, run: () => void) {
      waits.push(run);
      return () => {};
    },
  };
  const outlooks = createOutlooks(api, timers);
  const stops = [{ machine: "m1" }, { brand: "Nar" }, { machine: "m1" }].map((wish) => outlooks.watch(wish));
  const tick = async () => {
    waits.shift()?.();
    await vi.waitFor(() => expect(outlooks.now.getState().values().next().value?.ahead).toBe(read.length));
  };
  await tick();
  expect(read).toEqual([[{ machine: "m1" }, { brand: "Nar" }]]);
  stops[1]?.();
  stops[2]?.();
  await tick();
  expect(read[1]).toEqual([{ machine: "m1" }]);
  expect(outlooks.now.getState().get(JSON.stringify({ brand: "Nar" }))?.ahead).toBe(1);
  // Nothing is shown any more: nothing is read.
  stops[0]?.();
  waits.shift()?.();
  expect(read).toHaveLength(2);
  expect(waits).toEqual([]);
});
