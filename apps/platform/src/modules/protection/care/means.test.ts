import { sql } from "kysely";
import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { chooseMarket } from "../markets/index.ts";
import { declaredNow, declareMeans } from "./index.ts";

/* What a player can afford to lose in a month (SRCP 3.4.3): the player says it, and a higher amount hides no loss. */

const venue = sharePlayVenue();
let players = 0;

async function newPlayer() {
  players += 1;
  const player = await venue.player(`means${players}`);
  const call = (method: "GET" | "POST", payload?: object) =>
    venue.app.inject({
      method,
      url: "/v1/player/means",
      headers: { authorization: `Bearer ${player.token}` },
      ...(payload !== undefined && { payload }),
    });
  return {
    ...player,
    read: async () => (await call("GET")).json(),
    say: async (payload: object) => await call("POST", payload),
  };
}
/** The time passes: what a player said was said so many days earlier. */
async function pass(playerId: string, days: number): Promise<void> {
  await sql`alter table care_means disable trigger user`.execute(venue.db);
  await sql`update care_means set declared_at = declared_at - make_interval(days => ${days}) where player_id = ${playerId}`.execute(
    venue.db,
  );
  await sql`alter table care_means enable trigger user`.execute(venue.db);
}

test("it is wanted where a market looks at it, and a lower amount counts at once, a higher one after 30 days", async () => {
  const player = await newPlayer();
  expect(await player.read()).toEqual({ wanted: false, declared: null, counts: null });
  const market = { scope: "player", subject: player.id, market: "gb", by: "eva", reason: "lives there" } as const;
  await chooseMarket(venue.db.withTables(), market);
  expect((await player.say({ amount: 40_000 })).json()).toEqual({ wanted: true, declared: 40_000, counts: 40_000 });
  expect((await player.say({ amount: 10_000 })).json()).toMatchObject({ declared: 10_000, counts: 10_000 });
  expect((await player.say({ amount: 90_000 })).json()).toMatchObject({ declared: 90_000, counts: 10_000 });
  await pass(player.id, 29);
  expect(await player.read()).toMatchObject({ counts: 10_000 });
  await pass(player.id, 1);
  expect(await player.read()).toMatchObject({ declared: 90_000, counts: 90_000 });
});

test("what staff notes counts at once, and what the player says lower after it too", async () => {
  const { id, say } = await newPlayer();
  await say({ amount: 10_000 });
  const by = await sql<{
    id: string;
  }>`insert into staff (id, username, username_key, name, added_by) values ('st_means', 'okan', 'okan', 'Okan', 'test') returning id`
    .execute(venue.db)
    .then(({ rows }) => rows[0]?.id ?? "");
  await declareMeans(venue.db, { playerId: id, amount: 50_000, by, reason: "a payslip" });
  expect(await declaredNow(venue.db, id)).toBe(50_000);
  await say({ amount: 20_000 });
  expect(await declaredNow(venue.db, id)).toBe(20_000);
});

test.each([
  {},
  { amount: 0 },
  { amount: -1 },
  { amount: 1.5 },
  { amount: "100" },
  { amount: 1e12 },
  { amount: 5, more: 1 },
])("%j is refused", async (body) => {
  const player = await newPlayer();
  expect((await player.say(body)).statusCode).toBe(400);
  expect(await player.read()).toMatchObject({ declared: null });
});

test("twenty amounts a day are kept; the same again is none", async () => {
  const player = await newPlayer();
  for (let amount = 1; amount <= 20; amount += 1) expect((await player.say({ amount })).statusCode).toBe(200);
  expect((await player.say({ amount: 20 })).statusCode).toBe(200);
  expect((await player.say({ amount: 21 })).statusCode).toBe(429);
  expect(await player.read()).toMatchObject({ declared: 20, counts: 1 });
});
