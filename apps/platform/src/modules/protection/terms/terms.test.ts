import { sql } from "kysely";
import { expect, test } from "vitest";
import { longarmOf } from "../../../testing/longarm.ts";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { checkMayMove } from "../../staff/desk/index.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { addTerms, termsDue } from "./index.ts";

/* Terms of use: a version is accepted by each player, and until then the market says what is closed. */

const venue = sharePlayVenue();
let players = 0;

async function newPlayer(market?: MarketId) {
  players += 1;
  const player = await venue.player(`terms${players}`, 10_000);
  const choice = { scope: "player", subject: player.id, by: "eva", reason: "lives there" } as const;
  if (market !== undefined) await chooseMarket(venue.db.withTables(), { ...choice, market });
  return player;
}

const words = (body: string) => ({ title: `Terms ${body}`, changes: [`${body} is new`], body: `# One\n\n${body}` });

/** Adds the next version; it holds at once where no time is said. */
async function next(body: string, validFrom: string | null = null): Promise<number> {
  const { rows } = await sql<{ newest: number }>`
    select coalesce(max(number), 0) as newest from terms_version`.execute(venue.db);
  const expected = rows[0]?.newest ?? 0;
  const order = { expected, validFrom, texts: { en: words(body), tr: words(`${body} tr`) }, by: "eva", reason: "new" };
  const added = await venue.db.transaction().execute((trx) => addTerms(trx, order));
  return added?.number ?? 0;
}

const call = (method: "GET" | "POST", path: string, token: string, payload?: object) =>
  venue.app.inject({
    method,
    url: `/v1/player/terms${path}`,
    headers: { authorization: `Bearer ${token}` },
    ...(payload !== undefined && { payload }),
  });
const validated = async (token: string) =>
  (
    await venue.app.inject({ method: "GET", url: "/v1/validate", headers: { authorization: `Bearer ${token}` } })
  ).json() as { terms_due?: number };

const mayDeposit = (playerId: string) =>
  checkMayMove(venue.db.withTables() as never, { kind: "deposit", playerId }).then(
    () => true,
    () => false,
  );

test("without terms none wait, and nothing is closed", async () => {
  const { id, token } = await newPlayer("lab");
  expect(await termsDue(venue.db, id)).toBeNull();
  expect((await call("GET", "", token)).json()).toMatchObject({ due: null, versions: [] });
  expect((await validated(token)).terms_due).toBeUndefined();
});

test("a version waits for each player, closes play until it is accepted, and stays readable behind the next one", async () => {
  const { id, token } = await newPlayer();
  const number = await next("first");
  expect(await validated(token)).toMatchObject({ terms_due: number });
  await venue.machine("terms-01");
  const sit = async () => {
    const page = await venue.page(token, "terms-01");
    const answer = await page.peer.request("init", { machineID: "terms-01" });
    return answer.is === "refused" ? answer.refusal.name : answer.is;
  };
  expect(await sit()).toBe("terms.pending");
  // Without a market deposits stay open.
  expect(await mayDeposit(id)).toBe(true);
  const accepted = await call("POST", "/accept", token, { number });
  expect(accepted.json()).toMatchObject({ due: null, versions: [{ number, title: "Terms first" }] });
  expect((await call("POST", "/accept", token, { number })).statusCode).toBe(200);
  expect(await sit()).toBe("done");
  const second = await next("second");
  expect(await termsDue(venue.db, id)).toBe(second);
  expect((await call("POST", "/accept", token, { number })).json()).toMatchObject({ code: 60091 });
  expect((await call("GET", "?language=tr", token)).json()).toMatchObject({
    due: second,
    versions: [
      { number: second, acceptedAt: null, title: "Terms second tr" },
      { number, acceptedAt: expect.any(String) },
    ],
  });
  expect((await call("GET", `/${number}?language=ar`, token)).json()).toMatchObject({
    number,
    language: "en",
    body: "# One\n\nfirst",
    acceptedAt: expect.any(String),
  });
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from terms_acceptance where player_id = ${id}`.execute(venue.db);
  expect(rows).toEqual([{ count: 1 }]);
});

test("a market may close deposits too, never withdrawals", async () => {
  await next("strict");
  const { id } = await newPlayer("lab");
  // The market also wants an identity: what the terms alone close shows in the sentence.
  await expect(checkMayMove(venue.db.withTables() as never, { kind: "withdraw", playerId: id })).rejects.not.toThrow(
    /terms/,
  );
  const choice = { scope: "player", subject: id, by: "eva", reason: "moved" } as const;
  await chooseMarket(venue.db.withTables(), { ...choice, market: null });
  expect(await mayDeposit(id)).toBe(true);
});

test("a version whose time has not come is neither shown nor accepted, and the next one takes its place", async () => {
  const { id, token } = await newPlayer();
  const due = await termsDue(venue.db, id);
  const number = await next("later", "2099-01-01T00:00:00Z");
  expect(await termsDue(venue.db, id)).toBe(due);
  expect((await call("GET", `/${number}`, token)).statusCode).toBe(404);
  expect((await call("POST", "/accept", token, { number })).json()).toMatchObject({ code: 60091 });
  const corrected = await next("corrected");
  expect(await termsDue(venue.db, id)).toBe(corrected);
});

test("of two people who add a version at once one is refused", async () => {
  const order = { expected: 0, validFrom: null, texts: { en: words("two") }, by: "eva", reason: "both" };
  expect(await venue.db.transaction().execute((trx) => addTerms(trx, order))).toBeUndefined();
});

test.each([
  ["accept", { number: 0 }],
  ["accept", { number: "1" }],
  ["accept", { number: 1, more: true }],
  ["accept", { number: 1e9 }],
  ["accept", {}],
  ["0", undefined],
  ["1e3", undefined],
  ["-1", undefined],
  ["x'; drop table terms_version", undefined],
  ["1?language=xx", undefined],
] as const)("%s with %j is refused", async (path, body) => {
  const { token } = await newPlayer();
  const answer = await call(body === undefined ? "GET" : "POST", `/${encodeURI(path)}`, token, body);
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  expect(answer.statusCode).toBeLessThan(500);
});

test("terms and acceptances are never changed, and the audit log has both with the hash of the text", async () => {
  for (const change of [
    sql`update terms_version set texts = '{"en":{}}'`,
    sql`delete from terms_version`,
    sql`update terms_acceptance set accepted_at = now()`,
    sql`truncate terms_acceptance`,
  ])
    await expect(change.execute(venue.db)).rejects.toThrow(/never changed/);
  const { rows } = await sql<{ type: string }>`
    select distinct type from audit.entries where type in ('terms.version', 'player.terms') order by type`.execute(
    venue.db,
  );
  expect(rows.map(({ type }) => type)).toEqual(["player.terms", "terms.version"]);
  expect((await longarmOf(venue)("audit", "verify")).code).toBe(0);
});
