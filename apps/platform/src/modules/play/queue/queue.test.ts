import type { QueueAnswer } from "@longarm/contract/player-queue";
import { queueCalls } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

const venue = sharePlayVenue({ env: { QUEUE_PLACES: "3", QUEUE_LENGTH: "3" } });

const longarm = longarmOf(venue);

type Who = { readonly id: string; readonly token: string };

async function call(who: Who, name: keyof typeof queueCalls, body?: unknown) {
  const { method, path } = queueCalls[name];
  return await fetch(`${venue.url.replace("ws", "http")}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${who.token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
const answer = async (response: Response) => (await response.json()) as QueueAnswer;
const placesOf = async (who: Who) => (await answer(await call(who, "queue"))).places;
const idOf = async (who: Who) => (await placesOf(who))[0]?.id ?? "";

async function calledTo(who: Who, machineId: string): Promise<void> {
  await eventually(async () =>
    expect((await placesOf(who))[0]).toMatchObject({ state: "called", call: { machineId } }),
  );
}

/** The call of a machine is over, by the database's clock. */
async function letRunOut(machineId: string): Promise<void> {
  await sql`update queue_place set call_until = clock_timestamp() where called_machine = ${machineId}`.execute(
    venue.db,
  );
}

test("three wait for one machine: the first is called when the seat is left, and no other player may sit down", async () => {
  await venue.machine("que-01");
  const [sitter, one, two, three] = await Promise.all(
    ["q1.sits", "q1.one", "q1.two", "q1.three"].map((name) => venue.player(name, 10_000)),
  );
  if (!sitter || !one || !two || !three) throw new Error("no players");
  const seat = await venue.page(sitter.token, "que-01");
  await seat.init();
  for (const who of [one, two, three]) expect((await call(who, "joinQueue", { machine: "que-01" })).status).toBe(200);
  expect((await placesOf(three))[0]).toMatchObject({ ahead: 2, state: "waiting", wait: null, call: null });
  const late = await venue.player("q1.late", 10_000);
  expect(await (await call(late, "joinQueue", { machine: "que-01" })).json()).toMatchObject({ code: 60023 });
  await seat.peer.request("leave", {});
  await calledTo(one, "que-01");
  expect((await placesOf(two))[0]).toMatchObject({ ahead: 1, state: "waiting" });
  expect(await (await venue.page(late.token, "que-01")).init()).toMatchObject({ refusal: { code: 60012 } });
  expect(await (await venue.page(two.token, "que-01")).init()).toMatchObject({ refusal: { code: 60012 } });
  // Declined: the next one.
  expect((await call(one, "passQueue", { id: await idOf(one) })).status).toBe(200);
  await calledTo(two, "que-01");
  expect((await placesOf(one))[0]).toMatchObject({ state: "waiting", ahead: 0, misses: 0, passesLeft: 0 });
  // Vanished: one back. The one who passed let only one go first, and is called before the third.
  await letRunOut("que-01");
  await eventually(async () => expect((await placesOf(two))[0]).toMatchObject({ state: "waiting", misses: 1 }));
  await calledTo(one, "que-01");
  await call(one, "leaveQueue", { id: await idOf(one) });
  await calledTo(three, "que-01");
  expect((await (await venue.page(three.token, "que-01")).init()).is).toBe("done");
  expect(await placesOf(three)).toEqual([]);
  expect((await placesOf(two))[0]).toMatchObject({ state: "waiting", ahead: 0 });
});

test("a second miss ends the place, with the reason", async () => {
  await venue.machine("que-02");
  const ann = await venue.player("q2.ann", 10_000);
  const sitter = await venue.player("q2.sits", 10_000);
  const seat = await venue.page(sitter.token, "que-02");
  await seat.init();
  await call(ann, "joinQueue", { machine: "que-02" });
  await seat.peer.request("leave", {});
  await calledTo(ann, "que-02");
  await letRunOut("que-02");
  await eventually(async () => expect((await placesOf(ann))[0]).toMatchObject({ misses: 1, state: "waiting" }));
  await sql`update queue_place set not_before = null where player_id = ${ann.id}`.execute(venue.db);
  await calledTo(ann, "que-02");
  await letRunOut("que-02");
  await eventually(async () => expect(await placesOf(ann)).toEqual([]));
  expect((await answer(await call(ann, "queue"))).ended).toMatchObject([{ reason: "missed" }]);
});

test("a place is one, counts as one of those that a player may hold, and is left for good", async () => {
  for (const id of ["que-03", "que-04", "que-05", "que-06"]) await venue.machine(id);
  const bea = await venue.player("q3.bea", 10_000);
  await (await venue.page((await venue.player("q3.sits", 10_000)).token, "que-03")).init();
  await call(bea, "joinQueue", { machine: "que-03" });
  const again = await answer(await call(bea, "joinQueue", { machine: "que-03" }));
  expect(again.places).toHaveLength(1);
  await call(bea, "joinQueue", { machines: ["que-03", "que-04"] });
  await call(bea, "joinQueue", { brand: "no such brand" });
  expect((await placesOf(bea)).length).toBe(2);
  await call(bea, "joinQueue", { machines: ["que-05", "que-03"] });
  expect(await (await call(bea, "joinQueue", { machine: "que-06" })).json()).toMatchObject({ code: 60022 });
  const id = await idOf(bea);
  const other = await venue.player("q3.other", 10_000);
  expect((await call(other, "leaveQueue", { id })).status).toBe(200);
  expect((await placesOf(bea)).length).toBe(3);
  await call(bea, "leaveQueue", { id });
  expect((await call(bea, "leaveQueue", { id })).status).toBe(200);
  expect((await placesOf(bea)).length).toBe(2);
});

test("a place for chosen machines moves to their whole brand and back, with its time of joining and its turn", async () => {
  const ids = ["que-20", "que-21", "que-22"];
  for (const [at, id] of ids.entries()) {
    await venue.machine(id, Object.assign(new FakeMachine(id), { brand: "Move" }));
    await (await venue.page((await venue.player(`q20.sits${at}`, 10_000)).token, id)).init();
  }
  const [una, vic] = [await venue.player("q20.una", 10_000), await venue.player("q20.vic", 10_000)];
  await call(una, "joinQueue", { machines: ["que-20", "que-21"] });
  await call(vic, "joinQueue", { brand: "Move" });
  const [chosen] = await placesOf(una);
  const move = async (to: string) => await call(una, "moveQueue", { id: chosen?.id, to });
  // Nothing to go back to, or there already: a repeat.
  for (const to of ["chosen", "brand", "brand"]) expect((await move(to)).status).toBe(200);
  expect((await placesOf(una))[0]).toMatchObject({
    ...{ id: chosen?.id, joinedAt: chosen?.joinedAt, ahead: 0 },
    ...{ wish: { brand: "Move" }, chosen: { machines: ["que-20", "que-21"] } },
  });
  expect((await placesOf(vic))[0]).toMatchObject({ ahead: 1 });
  for (const to of ["chosen", "chosen"]) expect((await move(to)).status).toBe(200);
  const [back] = await placesOf(una);
  expect(back).toMatchObject({ joinedAt: chosen?.joinedAt, ahead: 0, wish: { machines: ["que-20", "que-21"] } });
  expect(back?.chosen).toBeUndefined();
  // One place for a wish, and no move of another player's.
  await call(una, "joinQueue", { brand: "Move" });
  expect(await (await move("brand")).json()).toMatchObject({ code: 60025 });
  expect(await (await call(vic, "moveQueue", { id: chosen?.id, to: "brand" })).json()).toMatchObject({ code: 60025 });
  await sql`delete from queue_place`.execute(venue.db);
});

test("before joining, a player reads how many wait for the machine, its brand and its denomination, and takes no place by it", async () => {
  const zed = await venue.player("q21.zed", 10_000);
  const una = await venue.player("q21.una", 10_000);
  await call(una, "joinQueue", { brand: "Move" });
  const wishes = [{ machine: "que-20" }, { brand: "Move" }, { machine: "none" }];
  const read = async (body: object) => (await (await call(zed, "queueOutlook", body)).json()) as { outlooks: object[] };
  expect((await read({ wishes })).outlooks).toEqual([
    { wish: wishes[0], machines: 1, ahead: 1, wait: null },
    { wish: wishes[1], machines: 3, ahead: 1, wait: null },
    { wish: wishes[2], machines: 0, ahead: 0, wait: null },
  ]);
  expect(await placesOf(zed)).toEqual([]);
  for (const bad of [{}, { wishes: [] }, { wishes: Array.from({ length: 21 }, () => wishes[0]) }, { wishes: ["x"] }])
    expect([400, 413]).toContain((await call(zed, "queueOutlook", bad)).status);
  await sql`delete from queue_place`.execute(venue.db);
});

test("a call passes for a weak connection without a miss, and not twice in a row for nothing", async () => {
  await venue.machine("que-23");
  const seat = await venue.page((await venue.player("q22.sits", 10_000)).token, "que-23");
  await seat.init();
  const yan = await venue.player("q22.yan", 10_000);
  await call(yan, "joinQueue", { machine: "que-23" });
  const id = await idOf(yan);
  const pass = async (why?: string) => await call(yan, "passQueue", { id, ...(why !== undefined && { why }) });
  const again = async () => {
    await sql`update queue_place set not_before = null where player_id = ${yan.id}`.execute(venue.db);
    await calledTo(yan, "que-23");
  };
  await seat.peer.request("leave", {});
  await calledTo(yan, "que-23");
  expect((await pass("slow")).status).toBe(400);
  expect((await pass("link")).status).toBe(200);
  expect((await placesOf(yan))[0]).toMatchObject({ misses: 0, passesLeft: 1, linkPass: false });
  await again();
  // The second in a row is the pass that every place has, and the third none at all.
  expect((await pass("link")).status).toBe(200);
  expect((await placesOf(yan))[0]).toMatchObject({ misses: 0, passesLeft: 0, linkPass: true });
  await again();
  expect((await pass("link")).status).toBe(200);
  await again();
  expect(await (await pass("link")).json()).toMatchObject({ code: 60024 });
  await letRunOut("que-23");
  await eventually(async () => expect((await placesOf(yan))[0]).toMatchObject({ misses: 1, linkPass: true }));
  await sql`delete from queue_place`.execute(venue.db);
});

test("the lobby says of a machine that the next one is called", async () => {
  await venue.machine("que-24");
  const seat = await venue.page((await venue.player("q23.sits", 10_000)).token, "que-24");
  await seat.init();
  const [wes, xia] = [await venue.player("q23.wes", 10_000), await venue.player("q23.xia", 10_000)];
  await call(wes, "joinQueue", { machine: "que-24" });
  const seen = async () => (await venue.platform.play.sessions.machinesFor(xia.id)).find(({ id }) => id === "que-24");
  expect(await seen()).toMatchObject({ waiting: 1, called: false, status: 3, denomination: expect.any(Number) });
  await seat.peer.request("leave", {});
  await calledTo(wes, "que-24");
  expect(await seen()).toMatchObject({ waiting: 1, called: true, status: 4 });
  expect(await venue.platform.play.queues.waitingAt(["que-24"])).toEqual([{ id: "que-24", count: 1, called: true }]);
  await sql`delete from queue_place`.execute(venue.db);
});

test("hostile wishes are refused and change nothing", async () => {
  const eve = await venue.player("q4.eve", 10_000);
  const bad = [
    {},
    { machine: "" },
    { machine: "a", brand: "b" },
    { brand: "x".repeat(65) },
    { denomination: 0 },
    { denomination: 1.5 },
    { machines: ["a"] },
    { machines: Array.from({ length: 21 }, (_, at) => `m-${at}`) },
    { machine: "que-03'; drop table seat; --" },
    [],
    "x".repeat(5_000),
  ];
  for (const wish of bad) expect([400, 413]).toContain((await call(eve, "joinQueue", wish)).status);
  expect(await placesOf(eve)).toEqual([]);
  expect(await (await call(eve, "passQueue", { id: "qp_none" })).json()).toMatchObject({ code: 60024 });
  expect(await (await call(eve, "moveQueue", { id: "qp_none" })).json()).toMatchObject({ code: 60025 });
});

test("many joins of one player at once take no more places than allowed", async () => {
  const fay = await venue.player("q5.fay", 10_000);
  await venue.machine("que-07");
  await (await venue.page((await venue.player("q5.sits", 10_000)).token, "que-07")).init();
  const wishes = ["que-03", "que-04", "que-05", "que-06"].map((other) => ({ machines: [other, "que-07"] }));
  await sql`delete from queue_place`.execute(venue.db);
  await Promise.all([...wishes, ...wishes].map((wish) => call(fay, "joinQueue", wish)));
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from queue_place where player_id = ${fay.id}`.execute(venue.db);
  expect(rows[0]?.n).toBe(3);
});

test("a platform that ends between call and answer loses neither the call nor the order", async () => {
  const { agent } = await venue.machine("que-08");
  const [sitter, gus, hal] = [
    await venue.player("q6.sits", 10_000),
    await venue.player("q6.gus", 10_000),
    await venue.player("q6.hal", 10_000),
  ];
  const seat = await venue.page(sitter.token, "que-08");
  await seat.init();
  await call(gus, "joinQueue", { machine: "que-08" });
  await call(hal, "joinQueue", { machine: "que-08" });
  await seat.peer.request("leave", {});
  await calledTo(gus, "que-08");
  await agent.kill();
  await venue.startAgain(async () => {});
  await venue.machine("que-08");
  expect((await placesOf(gus))[0]).toMatchObject({ state: "called" });
  expect((await placesOf(hal))[0]).toMatchObject({ ahead: 1 });
  expect((await (await venue.page(gus.token, "que-08")).init()).is).toBe("done");
  expect((await placesOf(hal))[0]).toMatchObject({ ahead: 0 });
});

test("a fault holds the places, and a player may wait for the brand with the time of joining", async () => {
  const { machine, agent } = await venue.machine("que-09");
  await venue.machine("que-10");
  const ivy = await venue.player("q7.ivy", 10_000);
  const seat = await venue.page((await venue.player("q7.sits", 10_000)).token, "que-09");
  await seat.init();
  await (await venue.page((await venue.player("q7.sits2", 10_000)).token, "que-10")).init();
  await call(ivy, "joinQueue", { machine: "que-09" });
  const [before] = await placesOf(ivy);
  machine.lockup = "door";
  machine.happen("doorOpened");
  await agent.pump();
  await eventually(async () => expect((await placesOf(ivy))[0]).toMatchObject({ state: "fault" }));
  expect((await call(ivy, "moveQueue", { id: before?.id })).status).toBe(200);
  const [after] = await placesOf(ivy);
  expect(after).toMatchObject({ id: before?.id, joinedAt: before?.joinedAt, wish: { brand: expect.any(String) } });
});

test("places of players without an open page end after their time, and those of players on a break at once", async () => {
  const [jo, kim] = [await venue.player("q8.jo", 10_000), await venue.player("q8.kim", 10_000)];
  for (const who of [jo, kim]) expect((await call(who, "joinQueue", { machine: "que-09" })).status).toBe(200);
  await sql`update queue_place set seen_at = clock_timestamp() - interval '1 hour' where player_id = ${jo.id}`.execute(
    venue.db,
  );
  await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values (${kim.id}, 'exclusion', 'player', ${Date.now() + 3_600_000}, clock_timestamp(), 'test')`.execute(venue.db);
  await eventually(async () =>
    expect((await answer(await call(jo, "queue"))).ended).toMatchObject([{ reason: "away" }]),
  );
  expect((await placesOf(kim))[0]).toMatchObject({ state: "fault" });
});

test("staff sees a queue, moves a place to the front and ends one, with a reason in the audit log", async () => {
  await sql`delete from queue_place`.execute(venue.db);
  await venue.machine("que-11");
  const seat = await venue.page((await venue.player("q9.sits", 10_000)).token, "que-11");
  await seat.init();
  const [lea, max] = [await venue.player("q9.lea", 10_000), await venue.player("q9.max", 10_000)];
  for (const who of [lea, max]) await call(who, "joinQueue", { machine: "que-11" });
  const listed = await longarm("machines", "queue", "que-11");
  expect(listed.said).toMatch(/q9\.lea[\s\S]*q9\.max[\s\S]*2 players waiting for que-11/);
  const move = (place: string, to: string, ...more: string[]) =>
    longarm("machines", "queue-move", "que-11", place, "--to", to, "--reason", "the machine failed", ...more);
  expect((await move(await idOf(max), "first", "--dry-run")).said).toContain("Nothing was changed");
  expect((await placesOf(max))[0]).toMatchObject({ ahead: 1 });
  expect((await move(await idOf(max), "first")).code).toBe(0);
  expect((await placesOf(max))[0]).toMatchObject({ ahead: 0 });
  expect((await placesOf(lea))[0]).toMatchObject({ ahead: 1 });
  expect((await move("qp_none", "last")).code).not.toBe(0);
  expect((await move(await idOf(lea), "out")).code).toBe(0);
  expect((await answer(await call(lea, "queue"))).ended).toMatchObject([{ reason: "staff" }]);
  const { rows } = await sql<{
    facts: object;
  }>`select facts from audit.entries where type = 'queue.moved' order by id`.execute(venue.db);
  expect(rows.map(({ facts }) => facts)).toMatchObject([
    { to: "first", reason: "the machine failed", playerId: max.id },
    { to: "out", playerId: lea.id },
  ]);
});

test("a machine that staff takes out of play says so to those who wait, and offers its brand too", async () => {
  await venue.machine("que-12");
  await venue.machine("que-13");
  for (const [at, id] of ["que-12", "que-13"].entries())
    await (await venue.page((await venue.player(`q10.sits${at}`, 10_000)).token, id)).init();
  const noa = await venue.player("q10.noa", 10_000);
  await call(noa, "joinQueue", { machine: "que-12" });
  const [before] = await placesOf(noa);
  expect((await longarm("machines", "drain", "que-12", "--reason", "a repair")).code).toBe(0);
  await eventually(async () => expect((await placesOf(noa))[0]).toMatchObject({ state: "closed", call: null }));
  expect((await call(noa, "moveQueue", { id: before?.id })).status).toBe(200);
  const [after] = await placesOf(noa);
  expect(after).toMatchObject({ id: before?.id, joinedAt: before?.joinedAt, wish: { brand: expect.any(String) } });
  expect(after?.state).not.toBe("closed");
});
