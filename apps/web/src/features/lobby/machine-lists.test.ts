import type { LobbyMachine } from "@longarm/contract/lobby-lists";
import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { createApiClient } from "../../shared/api/client.ts";
import { createNotificationEvents } from "../../shared/sockets/notification-events.ts";
import { scriptedFetch } from "../../shared/testing/fakes.ts";
import type { LobbySource } from "./machine-lists.ts";
import { liveList, machinesQuery, PUSHED_MAX, StatusPushes } from "./machine-lists.ts";

const list = [
  { id: 1, name: "Nar 1", brand: "Nar", status: 1 },
  { id: "m2", name: "Nar 2", brand: "Nar", status: 1 },
];

function sourceOf(answers: Parameters<typeof scriptedFetch>[0]) {
  const { fetch, asked } = scriptedFetch(answers);
  const api = createApiClient({ base: new URL("http://api.test/v1/"), token: () => "t", fetch, onUnauthorised() {} });
  const seen: LobbyMachine[] = [];
  const source: LobbySource = {
    api,
    refreshMs: false,
    onSeen: (machines) => void seen.push(...machines),
    pushes: new StatusPushes(),
  };
  const cache = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const { emit, ...events } = createNotificationEvents();
  const stopPushes = source.pushes.follow(events, cache);
  const push = (id: string, status: number) => emit("machine", { id, status });
  const wait = (id: string, count: number) => emit("waiting", { id, count });
  return { source, asked, seen, cache, push, wait, stopPushes };
}

test("R-7-14: a list or { brand, machines }, ids as text; what was seen is reported", async () => {
  const { source, seen, asked, cache } = sourceOf({
    "/v1/machine/all": { json: list },
    "/v1/machine/nar": { json: { brand: "Nar", machines: list } },
  });
  const all = await cache.fetchQuery(machinesQuery(source, undefined));
  const ofBrand = await cache.fetchQuery(machinesQuery(source, "nar"));
  expect(all).toEqual(ofBrand);
  expect(seen.map(({ id }) => id)).toEqual(["1", "m2", "1", "m2"]);
  expect(asked).toHaveLength(2);
});

test("a push changes one machine in every list; all others stay the same objects", async () => {
  const { source, cache, push, stopPushes } = sourceOf({ "/v1/machine/all": { json: list } });
  const query = machinesQuery(source, undefined);
  const before = await cache.fetchQuery(query);
  push("m2", 3);
  await expect.poll(() => cache.getQueryData(query.queryKey)?.map(({ status }) => status)).toEqual([1, 3]);
  const after = cache.getQueryData(query.queryKey);
  expect(after?.[0]).toBe(before[0]);
  push("m2", 3);
  push("unknown", 3);
  stopPushes();
  expect(cache.getQueryData(query.queryKey)).toBe(after);
});

test("who waits is pushed beside the status, and neither undoes what a newer list says of the other", async () => {
  const answered = { list: list.map((machine) => ({ ...machine, waiting: 0 })) };
  const { source, cache, push, wait } = sourceOf({ "/v1/machine/all": () => ({ json: answered.list }) });
  const query = machinesQuery(source, undefined);
  await cache.fetchQuery(query);
  const second = () => cache.getQueryData(query.queryKey)?.[1];
  push("m2", 3);
  wait("m2", 2);
  await expect.poll(second).toMatchObject({ status: 3, waiting: 2 });
  answered.list = answered.list.map((machine) => ({ ...machine, status: 4, waiting: 1 }));
  const fetched = cache.fetchQuery({ ...query, staleTime: 0 });
  wait("m2", 5);
  await fetched;
  expect(second()).toMatchObject({ status: 4, waiting: 5 });
});

test("a list that was requested before a push does not undo it", async () => {
  const made = sourceOf({
    "/v1/machine/all": () => {
      made.push("m2", 3);
      return { json: list };
    },
  });
  const machines = await made.cache.fetchQuery(machinesQuery(made.source, undefined));
  expect(machines.map(({ status }) => status)).toEqual([1, 3]);
});

test("of more pushed ids than any venue has, the oldest are forgotten", () => {
  const { source, push } = sourceOf({});
  const apply = source.pushes.begin();
  for (const id of ["old", "kept"]) push(id, 3);
  for (let n = 0; n < PUSHED_MAX - 2; n += 1) push(`m${n}`, 3);
  push("kept", 4);
  push("one more", 3);
  const machines = ["old", "kept", "m0"].map((id) => ({ id, name: id, brand: "Nar", status: 1 }));
  expect(apply(machines).map(({ status }) => status)).toEqual([1, 4, 3]);
});

test("an id that comes twice is one machine", async () => {
  const { source, cache } = sourceOf({ "/v1/machine/all": { json: [...list, { id: "1", status: 3 }] } });
  expect((await cache.fetchQuery(machinesQuery(source, undefined))).map(({ id }) => id)).toEqual(["1", "m2"]);
});

test("a list as live state reports its own changes and no others", async () => {
  const { source, cache, push, stopPushes } = sourceOf({
    "/v1/machine/all": { json: list },
    "/v1/machine/nar": { json: [] },
  });
  const live = liveList(cache, machinesQuery(source, undefined).queryKey);
  const changes: unknown[] = [];
  const end = live.subscribe((now, before) => changes.push([before?.length, now?.length]));
  expect(live.getState()).toBeUndefined();
  await cache.fetchQuery(machinesQuery(source, undefined));
  await cache.fetchQuery(machinesQuery(source, "nar"));
  push("m2", 3);
  await expect.poll(() => live.getState()?.[1]?.status).toBe(3);
  end();
  push("m2", 1);
  stopPushes();
  expect(live.getState()?.[1]?.status).toBe(1);
  expect(changes).toEqual([
    [undefined, 2],
    [2, 2],
  ]);
});

test("pushes are drawn together, of each machine the newest, and the rest at the end", async () => {
  const { source, cache, push, stopPushes } = sourceOf({ "/v1/machine/all": { json: list } });
  const query = machinesQuery(source, undefined);
  await cache.fetchQuery(query);
  const drawn: (number | undefined)[][] = [];
  liveList(cache, query.queryKey).subscribe((machines) => drawn.push((machines ?? []).map(({ status }) => status)));
  for (let n = 0; n < 200; n += 1) push(n % 2 === 0 ? "1" : "m2", n);
  expect(drawn).toEqual([]);
  await expect.poll(() => drawn.length).toBe(1);
  push("m2", 1);
  stopPushes();
  push("m2", 5);
  expect(drawn).toEqual([
    [198, 199],
    [198, 1],
  ]);
});

test("a failure reaches the cache as one", async () => {
  const { source, cache } = sourceOf({ "/v1/machine/all": { status: 503, json: { code: 60040 } } });
  await expect(cache.fetchQuery(machinesQuery(source, undefined))).rejects.toMatchObject({ failure: { code: 60040 } });
});
