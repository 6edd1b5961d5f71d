import { sql } from "kysely";
import { expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { PASSWORD } from "../../../testing/test-venue.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket } from "../markets/index.ts";

/* News of looser limits: one waits for the player's yes (RTS 12A, AGCO 2.24), or has begun by itself. Said until it is answered or read. */

const venue = sharePlayVenue();
let players = 0;

async function newPlayer(market: MarketId | null) {
  players += 1;
  const username = `news${players}`;
  const player = await venue.player(username);
  const lives = { scope: "player", subject: player.id, market, by: "eva", reason: "lives there" } as const;
  if (market !== null) await chooseMarket(venue.db.withTables(), lives);
  return { ...player, username };
}
type Player = Awaited<ReturnType<typeof newPlayer>>;

async function call({ token }: Player, path = "", payload?: object) {
  const headers = { authorization: `Bearer ${token}` };
  const url = `/v1/player/limits${path}`;
  const answer = await venue.app.inject({
    method: payload ? "POST" : "GET",
    url,
    headers,
    ...(payload && { payload }),
  });
  return answer.json();
}
const waitingIn = (limits: { limits: { key: string; waiting: { id: string } | null }[] }) =>
  limits.limits.find(({ key }) => key === "loss.day")?.waiting ?? null;

/** What a sign-in says of the time of news. */
async function newsAt({ username }: Player): Promise<number | undefined> {
  const payload = { username, password: PASSWORD, site_id: 2011 };
  const said = (await venue.app.inject({ method: "POST", url: "/v1/login", payload })).json();
  return said.limits_news_at === undefined ? undefined : Date.parse(said.limits_news_at);
}

/** So many hours pass for what the player has set. */
async function pass({ id }: Player, hours: number): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    await sql`alter table player_limit disable trigger player_limit_stays`.execute(trx);
    const by = sql`make_interval(hours => ${hours})`;
    await sql`update player_limit set set_at = set_at - ${by}, effective_at = effective_at - ${by} where player_id = ${id}`.execute(
      trx,
    );
    await sql`alter table player_limit enable trigger player_limit_stays`.execute(trx);
  });
}

/** A player who had a limit of 50 and has requested 90. */
async function wishing(market: MarketId | null) {
  const player = await newPlayer(market);
  await call(player, "", { key: "loss.day", value: 5_000 });
  expect(await newsAt(player), "a stricter limit is no news").toBeUndefined();
  await call(player, "", { key: "loss.day", value: 9_000 });
  return player;
}

test("a looser limit that begins by itself is news from its time on, over a restart, until it was read", async () => {
  const player = await wishing(null);
  expect((await newsAt(player)) ?? 0).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  expect((await call(player)).begun).toEqual([]);
  await pass(player, 24);
  expect((await newsAt(player)) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(Date.now());
  const [news] = (await call(player)).begun;
  expect(news).toMatchObject({ key: "loss.day", value: 9_000 });
  await venue.startAgain(async () => undefined);
  expect((await call(player)).begun).toEqual([news]);
  const other = await newPlayer(null);
  expect((await call(other, "/read", { id: news.id })).begun).toEqual([]);
  expect((await call(player)).begun, "another player reads nothing for them").toEqual([news]);
  for (let again = 0; again < 2; again += 1) expect((await call(player, "/read", { id: news.id })).begun).toEqual([]);
  expect(await newsAt(player)).toBeUndefined();
});

test("a stricter limit, or one taken back, ends the news of the one before", async () => {
  const player = await wishing(null);
  await pass(player, 24);
  await call(player, "", { key: "loss.day", value: 1_000 });
  expect((await call(player)).begun).toEqual([]);
  const back = await wishing(null);
  await call(back, "/take-back", { id: waitingIn(await call(back))?.id });
  expect(await newsAt(back)).toBeUndefined();
});

test("one that waits for the player's yes is news until the answer, and never begun by itself", async () => {
  const player = await wishing("gb");
  await pass(player, 24);
  expect((await newsAt(player)) ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(Date.now());
  const limits = await call(player);
  expect(limits.begun).toEqual([]);
  await call(player, "/answer", { id: waitingIn(limits)?.id, wanted: true });
  expect(await newsAt(player)).toBeUndefined();
  expect((await call(player)).begun).toEqual([]);
  const late = await wishing("gb");
  await pass(late, 24 * 9);
  expect(await newsAt(late), "the time for the yes is over").toBeUndefined();
});

test.each([{}, { id: "0" }, { id: 7 }, { id: "7; drop table limit_news_read" }, { id: "7", more: 1 }])(
  "reading %j is refused",
  async (payload) => expect(await call(await newPlayer(null), "/read", payload)).toMatchObject({ code: 40_000 }),
);
