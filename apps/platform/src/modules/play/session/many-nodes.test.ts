import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inProcessBus } from "../../../bus/index.ts";
import { systemClock } from "../../../clock.ts";
import { FakeMachine } from "../../../testing/fake-machine.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { eventually, playVenue } from "../../../testing/play-venue.ts";

/**
 * Two nodes on one database and one bus: the agent's link is on the first, the player's page on the second. Their leases are renewed each third,
 * and a busy computer may stand still for a second or two.
 */
let one: PlayVenue;
let two: PlayVenue;
beforeAll(async () => {
  const sharedBus = inProcessBus({ clock: systemClock, onError: () => {} });
  one = await playVenue({ sharedBus, env: { NODE_ID: "one", NODE_LEASE_MS: "9000" } });
  two = await playVenue({ sharedBus, env: { NODE_ID: "two", NODE_LEASE_MS: "9000" }, database: one.database });
});
afterAll(async () => {
  await two.end(true);
  await one.end();
});

test("a page on one node plays a machine whose agent is on another", async () => {
  const { machine, agent } = await one.machine("kuzey-01");
  const player = await one.player("nora.nodes", 5_000);
  const page = await two.page(player.token, "kuzey-01");
  expect(await page.init({ offer: "v=0" })).toMatchObject({ is: "done", data: { answer: "answer to v=0" } });
  expect(await page.peer.request("cashIn", { id: "nodes-cash-in", amount: 2_000 })).toMatchObject({
    data: { amount: 2_000 },
  });
  machine.play(60);
  await agent.pump();
  agent.tellMeters(machine);
  await eventually(() => expect(page.ofMethod("meters").at(-1)).toMatchObject({ credit: 1_960 }));
  expect(await page.peer.request("press", { epoch: 1, seq: 1, button: "spin", at: 1 })).toMatchObject({
    data: { outcome: "started" },
  });
  expect(await page.peer.request("leave", {})).toEqual({ is: "done", data: { outcome: "done", amount: 1_960 } });
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
});

test("a page on the other node takes the seat over from this one", async () => {
  await one.machine("kuzey-02");
  const player = await one.player("olaf.nodes");
  const here = await one.page(player.token, "kuzey-02");
  await here.init();
  const there = await two.page(player.token, "kuzey-02");
  expect(await there.init()).toMatchObject({ data: { epoch: 2 } });
  expect(await here.closed).toEqual({ code: 4000, reason: "taken over" });
});

test("a machine that an agent of another node holds is refused here", async () => {
  await one.machine("kuzey-03");
  const rival = await two.agent([new FakeMachine("kuzey-03")], "rival");
  expect(await rival.hello()).toMatchObject({
    refusal: { reason: expect.stringContaining("held by another live link") },
  });
});

test("what a node that has ended left is released at once", async () => {
  const { machine } = await one.machine("kuzey-04");
  const player = await one.player("paul.nodes", 5_000);
  const page = await two.page(player.token, "kuzey-04");
  await page.init();
  await page.peer.request("cashIn", { id: "gone-cash-in", amount: 1_000 });
  // A page that lives would take its seat back.
  page.drop();
  await two.inState("kuzey-04", "waiting");
  // Rows as a killed node leaves them: its name, leases that go on for an hour, a spectator, a transfer in flight that the machine never heard of.
  await sql`insert into watcher values ('gs_eyes', 'kuzey-04', 'p_eyes', 'gone')`.execute(two.db);
  await sql`update seat set state = 'playing', holder_socket = 'gs_gone', holder_node = 'gone', holder_until = clock_timestamp() + interval '1 hour'
    where machine_id = 'kuzey-04'`.execute(two.db);
  await sql`insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, node_id)
    select 'tr_left_by_gone', machine_id, play_session_id, player_id, epoch, 'cashOut', 'gone' from seat
    where machine_id = 'kuzey-04'`.execute(two.db);
  await eventually(async () => {
    const left = await sql`select state from machine_transfer where id = 'tr_left_by_gone'`.execute(two.db);
    expect(left.rows).toEqual([{ state: "refused" }]);
    expect((await sql`select from watcher where node_id = 'gone'`.execute(two.db)).rows).toEqual([]);
    expect(await two.seat("kuzey-04")).toMatchObject({ state: "waiting", holder_socket: null });
  });
  expect(machine.credit).toBe(1_000);
});

test("a lease that ran out only because its node stood still: the seat is where it was, the link never ended", async () => {
  const { agent } = await one.machine("kuzey-05");
  const player = await one.player("quinn.nodes", 5_000);
  const page = await one.page(player.token, "kuzey-05");
  await page.init();
  await page.peer.request("cashIn", { id: "still-cash-in", amount: 1_000 });
  await eventually(async () => {
    await one.db
      .updateTable("agent_link")
      .set({ lease_until: new Date(0) })
      .where("machine_id", "=", "kuzey-05")
      .execute();
    // Whatever happens to the seat just then looks for its agent.
    await page.peer.request("continue", {});
    expect((await one.seat("kuzey-05")).state).toBe("agentAway");
  });
  await one.inState("kuzey-05", "playing");
  expect(agent.peer.closed).toBe(false);
});

test("a machine whose link is dead on another node is taken over: that node is asked, and its agent is silent", async () => {
  const { machine } = await one.machine("kuzey-06");
  const stuck = Promise.withResolvers<void>();
  machine.waits.meters = stuck.promise;
  const again = await two.agent([new FakeMachine("kuzey-06")], "agent of kuzey-06");
  expect(await again.hello()).toMatchObject({ is: "done" });
  await eventually(async () => expect(await linkOf("kuzey-06")).toMatchObject({ node_id: "two" }));
  stuck.resolve();
});

test("the link of a node that has ended is anybody's, however long its lease goes", async () => {
  await one.machine("kuzey-07");
  await sql`update agent_link set node_id = 'gone', lease_until = clock_timestamp() + interval '1 hour'
    where machine_id = 'kuzey-07'`.execute(one.db);
  const again = await two.agent([new FakeMachine("kuzey-07")], "agent of kuzey-07");
  expect(await again.hello()).toMatchObject({ is: "done" });
  // The first node's link is nobody's any more, and it finds that out.
  await eventually(async () => expect(await linkOf("kuzey-07")).toMatchObject({ node_id: "two" }));
});

test("a node that was taken for dead takes back what it held: link, seat and spectator", async () => {
  const { agent } = await one.machine("kuzey-08");
  const player = await one.player("rosa.nodes", 5_000);
  const page = await one.page(player.token, "kuzey-08");
  await page.init();
  await page.peer.request("cashIn", { id: "back-cash-in", amount: 1_000 });
  const eyes = await one.page((await one.player("sara.nodes")).token, "kuzey-08");
  expect(await eyes.init({ role: "spectator" })).toMatchObject({ is: "done" });
  const { epoch } = await one.seat("kuzey-08");
  // As another node does it: everything of this one is forgotten.
  await sql`delete from agent_link where machine_id = 'kuzey-08'`.execute(two.db);
  await sql`delete from watcher where machine_id = 'kuzey-08'`.execute(two.db);
  await sql`update seat set holder_socket = null, holder_node = null, holder_until = null, state = 'agentAway'
    where machine_id = 'kuzey-08'`.execute(two.db);
  await one.inState("kuzey-08", "playing");
  expect(await one.seat("kuzey-08")).toMatchObject({ epoch, holder_node: "one" });
  await eventually(async () =>
    expect((await sql`select from watcher where machine_id = 'kuzey-08'`.execute(two.db)).rows).toHaveLength(1),
  );
  expect(agent.peer.closed).toBe(false);
  // A busy computer answers a press after its deadline; the next one has its own.
  let seq = 0;
  await eventually(async () => {
    seq += 1;
    expect(await page.peer.request("press", { epoch, seq, button: "spin", at: 1 })).toMatchObject({ is: "done" });
  });
});

test("spectators are counted and limited over both nodes", async () => {
  await one.machine("kuzey-09");
  const player = await one.player("tom.nodes");
  const page = await one.page(player.token, "kuzey-09");
  await page.init();
  const eyes = (await one.player("uma.nodes")).token;
  for (const venue of [one, two]) {
    const spectator = await venue.page(eyes, "kuzey-09");
    expect(await spectator.init({ role: "spectator" })).toMatchObject({ is: "done" });
  }
  await eventually(() => expect(page.ofMethod("spectators").at(-1)).toEqual({ count: 2 }));
  const third = await one.page(eyes, "kuzey-09");
  expect(await third.init({ role: "spectator" })).toMatchObject({ is: "refused", refusal: { code: 60018 } });
});

const linkOf = (machineId: string) =>
  one.db.selectFrom("agent_link").selectAll().where("machine_id", "=", machineId).executeTakeFirst();

test("a limit that is set over one node ends the play session whose page is on the other, and a yes is taken by either", async () => {
  const { machine, agent } = await one.machine("kuzey-18");
  const player = await one.player("lena.limits", 5_000);
  const page = await two.page(player.token, "kuzey-18");
  await page.init();
  await page.peer.request("cashIn", { id: "nodes-limit-in", amount: 1_000 });
  machine.play(0);
  await agent.pump();
  await eventually(async () =>
    expect(await two.balanceOf(player.id)).toMatchObject({ onMachine: 1_000 - machine.bet }),
  );
  const set = (venue: PlayVenue, value: number) =>
    venue.app.inject({
      method: "POST",
      url: "/v1/player/limits",
      headers: { authorization: `Bearer ${player.token}` },
      payload: { key: "loss.week", value },
    });
  expect((await set(one, machine.bet)).statusCode).toBe(200);
  await two.inState("kuzey-18", "free");
  expect(await page.closed).toEqual({ code: 4000, reason: "ended" });
  expect(await two.balanceOf(player.id)).toEqual({ balance: 5_000 - machine.bet });
  // Two looser wishes at the same moment leave one that waits.
  await Promise.all([set(one, 9_000), set(two, 8_000)]);
  const { rows } =
    await sql<object>`select from player_limit l where player_id = ${player.id} and effective_at > clock_timestamp()
    and not exists (select from player_limit_answer a where a.limit_id = l.id)`.execute(one.db);
  expect(rows).toHaveLength(1);
});
