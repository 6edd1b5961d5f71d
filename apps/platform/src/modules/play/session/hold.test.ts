import { queueCalls } from "@longarm/contract/player-queue";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";

/* A player leaves a seat and keeps it (record 0218). Lost links keep it for two seconds here. */

const venue = sharePlayVenue({
  env: { WAITING_MS: "2000", IDLE_MS: "3600000", QUEUE_PLACES: "3", SEAT_HOLD_MIN: "5", SEAT_HOLDS_PER_DAY: "2" },
});

/** A player with credit at a machine. */
async function seated(machineId: string) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(`${machineId}.sits`, 100_000);
  const page = await venue.page(player.token, machineId);
  const answer = await page.init();
  await page.peer.request("cashIn", { id: `${machineId}-in`, amount: 50_000 });
  await venue.inState(machineId, "playing");
  return { machine, agent, player, page, answer, hold: (id: string) => page.peer.request("hold", { id }) };
}

/** The time of every hold of these ids is over, its player away or not. */
const over = async (ids: string) =>
  await sql`update seat_hold set until_at = clock_timestamp() where id like ${ids}`.execute(venue.db);

const dueInS = async (machineId: string) =>
  (
    await sql<{ s: number | null }>`select extract(epoch from due_at - clock_timestamp())::double precision as s
      from seat where machine_id = ${machineId}`.execute(venue.db)
  ).rows[0]?.s ?? 0;

test("the seat waits with its credits for the minutes of the venue, no player is called meanwhile, and the player who is back plays on", async () => {
  const it = await seated("hold-01");
  expect(it.answer).toMatchObject({ data: { hold: { minutes: 5, left: 2 } } });
  const waiter = await venue.player("hold-01.waits", 10_000);
  await fetch(`${venue.url.replace("ws", "http")}/v1/${queueCalls.joinQueue.path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${waiter.token}`, "content-type": "application/json" },
    body: JSON.stringify({ machine: "hold-01" }),
  });
  expect(await it.hold("hold-01-a")).toMatchObject({ is: "done", data: { leftMs: 300_000 } });
  it.page.drop();
  await venue.inState("hold-01", "waiting");
  expect(await dueInS("hold-01")).toBeGreaterThan(290);
  expect(await venue.ledgerOf("machine:hold-01")).toBe(50_000);
  expect(await (await venue.page(waiter.token, "hold-01")).init()).toMatchObject({ is: "refused" });
  const back = await venue.page(it.player.token, "hold-01");
  expect(await back.init()).toMatchObject({ is: "done", data: { hold: { minutes: 5, left: 1 } } });
  await venue.inState("hold-01", "playing");
  // A link that is lost after that keeps the seat as short as ever.
  back.drop();
  await venue.inState("hold-01", "free");
  expect(await venue.ledgerOf("machine:hold-01")).toBe(0);
});

test("it ends by its time, and the credits go home", async () => {
  const it = await seated("hold-02");
  await it.hold("hold-02-a");
  it.page.drop();
  await venue.inState("hold-02", "waiting");
  await sql`update seat set due_at = clock_timestamp(), hold_until = clock_timestamp() where machine_id = 'hold-02'`.execute(
    venue.db,
  );
  await venue.inState("hold-02", "free");
  expect(await venue.ledgerOf("machine:hold-02")).toBe(0);
  expect((await venue.balanceOf(it.player.id)).balance).toBe(100_000);
});

test("a repeat of an id, and another id meanwhile, hold once; more often than the venue's number in 24 hours is refused", async () => {
  const it = await seated("hold-03");
  const before = await Promise.all([it.hold("hold-03-a"), it.hold("hold-03-a"), it.hold("hold-03-a")]);
  expect(before.map(({ is }) => is)).toEqual(["done", "done", "done"]);
  expect((await it.hold("hold-03-x")).is).toBe("done");
  await over("hold-03%");
  expect((await it.hold("hold-03-b")).is).toBe("done");
  await over("hold-03%");
  expect(await it.hold("hold-03-c")).toMatchObject({ is: "refused", refusal: { code: 40000 } });
  expect(await it.hold("hold-03-a")).toMatchObject({ is: "refused", refusal: { code: 40000 } });
  await sql`update seat_hold set begun_at = begun_at - interval '25 hours' where id = 'hold-03-a'`.execute(venue.db);
  expect((await it.hold("hold-03-c")).is).toBe("done");
});

test("hostile: another player's id, a game that runs, and a machine without credit are refused", async () => {
  const [one, two] = [await seated("hold-04"), await seated("hold-05")];
  expect((await one.hold("hold-04-a")).is).toBe("done");
  expect(await two.hold("hold-04-a")).toMatchObject({ is: "refused", refusal: { code: 40000 } });
  two.machine.startGame();
  await two.agent.pump();
  await venue.inState("hold-05", "inGame");
  expect(await two.hold("hold-05-a")).toMatchObject({ is: "refused" });
  two.machine.endGame(0);
  await two.agent.pump();
  await venue.inState("hold-05", "playing");
  await two.page.peer.request("cashOut", { id: "hold-05-out" });
  await venue.inState("hold-05", "seated");
  expect(await two.hold("hold-05-b")).toMatchObject({ is: "refused", refusal: { code: 40000 } });
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from seat_hold where id like 'hold-05%'`.execute(
    venue.db,
  );
  expect(rows[0]?.n).toBe(0);
});

test("a limit of time ends it sooner, and one that is nearly reached allows none", async () => {
  const it = await seated("hold-06");
  const limit = async (minutes: number) =>
    await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
      values (${it.player.id}, 'session', 'player', ${minutes}, clock_timestamp(), 'test')
      on conflict do nothing`.execute(venue.db);
  await limit(3);
  const held = await it.hold("hold-06-a");
  expect(held).toMatchObject({ is: "done" });
  expect(held.is === "done" && held.data.leftMs).toBeLessThanOrEqual(180_000);
  await sql`update play_session set started_at = started_at - interval '130 seconds' where machine_id = 'hold-06'`.execute(
    venue.db,
  );
  await over("hold-06%");
  expect(await it.hold("hold-06-b")).toMatchObject({ is: "refused", refusal: { code: 40000 } });
});

test("a break that begins meanwhile ends it at once", async () => {
  const it = await seated("hold-07");
  await it.hold("hold-07-a");
  it.page.drop();
  await venue.inState("hold-07", "waiting");
  await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values (${it.player.id}, 'exclusion', 'player', ${Date.now() + 3_600_000}, clock_timestamp(), 'test')`.execute(
    venue.db,
  );
  await venue.inState("hold-07", "free");
  await eventually(async () => expect(await venue.ledgerOf("machine:hold-07")).toBe(0));
});
