import { sql } from "kysely";
import { expect, test } from "vitest";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import { prove } from "../reconciliation/index.ts";

/* A held seat that has a price (record 0227): ₺10.00 for five minutes. */

const PRICE = 1_000;
const venue = sharePlayVenue({
  env: { WAITING_MS: "2000", IDLE_MS: "3600000", SEAT_HOLD_MIN: "5", SEAT_HOLDS_PER_DAY: "3", SEAT_HOLD_PRICE: "1000" },
});

/** A player with ₺500.00 at a machine, and so much in the wallet. */
async function seated(machineId: string, wallet = 50_000) {
  await venue.machine(machineId);
  const player = await venue.player(`${machineId}.sits`, 50_000 + wallet);
  const page = await venue.page(player.token, machineId);
  const answer = await page.init();
  await page.peer.request("cashIn", { id: `${machineId}-in`, amount: 50_000 });
  await venue.inState(machineId, "playing");
  const hold = (id: string, price: number | undefined = PRICE) =>
    page.peer.request("hold", { id, ...(price !== undefined && { price }) });
  return { player, page, answer, hold, wallet: async () => (await venue.balanceOf(player.id)).balance };
}

type Paid = { readonly amount: number; readonly about: { readonly reason: string } };
async function paidBy(playerId: string): Promise<readonly Paid[]> {
  const { rows } = await sql<Paid>`select t.amount_minor as amount, t.about from ledger.transfers t
    join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
    where t.kind = 'fee' and f.address = ${`player:${playerId}`} and o.address = 'fees'`.execute(venue.db);
  return rows;
}
const firstHoldOf = async (playerId: string) =>
  (
    await sql<{ id: string }>`select id from seat_hold where player_id = ${playerId} order by begun_at limit 1`.execute(
      venue.db,
    )
  ).rows[0]?.id ?? "";
const holdsOf = async (playerId: string) =>
  (await sql<{ n: number }>`select count(*)::int as n from seat_hold where player_id = ${playerId}`.execute(venue.db))
    .rows[0]?.n;
async function breaches(): Promise<readonly unknown[]> {
  return (await prove(venue.database.kysely, { is: "all" })).checks.filter(({ count }) => count > 0);
}

test("the price is said first, taken once with the hold, and in history, statement and report; the proof of the books holds", async () => {
  const it = await seated("price-01");
  expect(it.answer).toMatchObject({ data: { hold: { minutes: 5, left: 3, price: PRICE } } });
  expect(await it.hold("price-01-a")).toMatchObject({ is: "done", data: { leftMs: 300_000, price: PRICE } });
  expect(await it.wallet()).toBe(50_000 - PRICE);
  expect(await paidBy(it.player.id)).toMatchObject([
    { amount: PRICE, about: { reason: "held seat", machineId: "price-01" } },
  ]);
  const { rows } = await sql`select type, source, amount from wallet_entry
    where player_id = ${it.player.id} order by entry_number desc limit 1`.execute(venue.db);
  expect(rows).toEqual([{ type: 2, source: "Fee", amount: -PRICE }]);
  const report = await sql`select amount from report_money where machine_id = 'price-01' and kind = 'fee'`.execute(
    venue.db,
  );
  expect(report.rows).toEqual([{ amount: PRICE }]);
  const audit = await sql`select actor from audit.entries where facts ->> 'kind' = 'fee'
    and actor = ${`player:${it.player.id}`}`.execute(venue.db);
  expect(audit.rows).toHaveLength(1);
  // It is no loss: what the games have cost is as before.
  const session = await sql`select net, cashed_in from play_session where machine_id = 'price-01'`.execute(venue.db);
  expect(session.rows).toEqual([{ net: 0, cashed_in: 50_000 }]);
  expect(await breaches()).toEqual([]);
});

test("two clicks at once, of one id and of two, pay once and hold once; a player who was back pays again", async () => {
  const it = await seated("price-02");
  const [one, two] = ["price-02-a", "price-02-b"];
  const answers = await Promise.all([it.hold(one), it.hold(two), it.hold(one), it.hold(two)]);
  expect(answers.map(({ is }) => is)).toEqual(["done", "done", "done", "done"]);
  expect(await paidBy(it.player.id)).toHaveLength(1);
  expect(await holdsOf(it.player.id)).toBe(1);
  it.page.drop();
  await venue.inState("price-02", "waiting");
  const back = await venue.page(it.player.token, "price-02");
  await back.init();
  await venue.inState("price-02", "playing");
  // The page did not get the answer, its link came back, and it repeats: the same hold, not paid again, and the seat waits for it.
  const held = await firstHoldOf(it.player.id);
  expect(await back.peer.request("hold", { id: held, price: PRICE })).toMatchObject({
    is: "done",
    data: { price: PRICE },
  });
  expect(await paidBy(it.player.id)).toHaveLength(1);
  back.drop();
  await venue.inState("price-02", "waiting");
  const due = await sql<{ s: number }>`select extract(epoch from due_at - clock_timestamp())::float8 as s from seat
    where machine_id = 'price-02'`.execute(venue.db);
  expect(due.rows[0]?.s).toBeGreaterThan(250);
  const again = await venue.page(it.player.token, "price-02");
  await again.init();
  await venue.inState("price-02", "playing");
  expect(await again.peer.request("hold", { id: "price-02-c", price: PRICE })).toMatchObject({ is: "done" });
  expect(await paidBy(it.player.id)).toHaveLength(2);
  expect(await breaches()).toEqual([]);
});

test("no payment without a hold, no hold without a payment: a small wallet, a price that was not shown, a page that knows no price", async () => {
  const poor = await seated("price-03", PRICE - 1);
  expect(await poor.hold("price-03-a")).toMatchObject({ is: "refused", refusal: { code: 60001 } });
  const it = await seated("price-04");
  for (const shown of [PRICE - 1, 0])
    expect(await it.hold("price-04-a", shown)).toMatchObject({ is: "refused", refusal: { code: 40000 } });
  expect(await it.page.peer.request("hold", { id: "price-04-a" })).toMatchObject({
    is: "refused",
    refusal: { code: 40000 },
  });
  for (const { player } of [poor, it]) {
    expect(await paidBy(player.id)).toEqual([]);
    expect(await holdsOf(player.id)).toBe(0);
  }
  // A higher price than the one that holds is not taken.
  expect(await it.hold("price-04-a", 2 * PRICE)).toMatchObject({ is: "done", data: { price: PRICE } });
});

test("a fault between the payment and the hold leaves neither; the repeat pays once", async () => {
  const it = await seated("price-05");
  await sql`create function break_hold() returns trigger language plpgsql as
    $$ begin if new.id like 'price-05%' then raise exception 'broken on purpose'; end if; return new; end $$`.execute(
    venue.db,
  );
  await sql`create trigger break_hold before insert on seat_hold for each row execute function break_hold()`.execute(
    venue.db,
  );
  expect((await it.hold("price-05-a")).is).not.toBe("done");
  expect(await paidBy(it.player.id)).toEqual([]);
  await sql`drop trigger break_hold on seat_hold`.execute(venue.db);
  expect(await it.hold("price-05-a")).toMatchObject({ is: "done", data: { price: PRICE } });
  expect(await it.hold("price-05-a")).toMatchObject({ is: "done", data: { price: PRICE } });
  expect(await paidBy(it.player.id)).toHaveLength(1);
  expect(await it.wallet()).toBe(50_000 - PRICE);
});

test("a hold that a limit makes shorter costs less, and a player on a break is not charged", async () => {
  const it = await seated("price-06");
  await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
    values (${it.player.id}, 'session', 'player', 3, clock_timestamp(), 'test')`.execute(venue.db);
  const shorter = await it.hold("price-06-a");
  // Two or three whole minutes of five.
  expect(shorter.is === "done" && [400, 600].includes(shorter.data.price)).toBe(true);
  const gone = await seated("price-07");
  await sql`insert into player_break (player_id, kind, from_at, until, set_by)
    values (${gone.player.id}, 'timeOut', clock_timestamp(), clock_timestamp() + interval '1 day', 'test')`.execute(
    venue.db,
  );
  expect(await gone.hold("price-07-a")).toMatchObject({ is: "refused" });
  expect(await paidBy(gone.player.id)).toEqual([]);
});

test("staff ends the play session before its time: the price comes back, once", async () => {
  const it = await seated("price-08");
  await it.hold("price-08-a");
  it.page.drop();
  await venue.inState("price-08", "waiting");
  await Promise.all([1, 2].map(() => venue.sessions.endSessionsOf(it.player.id, "house")));
  await venue.inState("price-08", "free");
  await eventually(async () => expect(await it.wallet()).toBe(100_000));
  const own = await seated("price-09");
  await own.hold("price-09-a");
  await own.page.peer.request("leave", {});
  await venue.inState("price-09", "free");
  expect(await own.wallet()).toBe(100_000 - PRICE);
  expect(await breaches()).toEqual([]);
});
