import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemRandom } from "../../../random.ts";
import { openSocket } from "../../../testing/open-socket.ts";
import type { PlayVenue } from "../../../testing/play-venue.ts";
import { playVenue } from "../../../testing/play-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { BonusGrant, PromotionsTables } from "./index.ts";
import { grantBonus, grantProblem, listGrants } from "./index.ts";

let venue: PlayVenue;
let id: string;
let token: string;
let players = 0;
let sessions = 0;

beforeAll(async () => {
  venue = await playVenue({ env: { LOGINS_PER_MINUTE_ADDRESS: "10000" } });
  await venue.machine("nar-01");
});
afterAll(() => venue.end());
beforeEach(async () => {
  players += 1;
  ({ id, token } = await venue.player(`claimer${players}`, 10_000));
});

const grants = () => venue.database.kysely.withTables<PromotionsTables>();
const claim = (kind: "discount" | "bonus", withToken = token) => venue.get(`/v1/player/${kind}`, withToken);
const claimed = (amount: number) => ({ status: true, code: 20000, Params: { amount } });

/** A settled play session with this result. */
async function settled(net: number, playerId = id): Promise<void> {
  sessions += 1;
  await sql`insert into play_session (id, machine_id, player_id, net, ended_at, end_reason)
    values (${`ps_${sessions}`}, 'nar-01', ${playerId}, ${net}, now(), 'left')`.execute(venue.database.kysely);
}

async function periodIsOver(playerId = id): Promise<void> {
  await sql`update discount_claim set claimed_at = claimed_at - interval '1 day' where player_id = ${playerId}`.execute(
    venue.database.kysely,
  );
}

async function grant(amountMinor: number, more: Partial<BonusGrant> = {}, playerId = id): Promise<string> {
  const asked = { playerId, amountMinor, reason: "welcome", grantedBy: "ayse", ...more };
  const granted = await grantBonus(grants(), systemRandom, asked);
  if (granted.is === "refused") throw new Error(granted.sentence);
  return granted.id;
}

const newest = async () => (await venue.ledger.statement(`player:${id}`, { limit: 1 })).rows[0];

describe("R-7-08: the discount", () => {
  test("R-7-08: gives back a tenth of the net loss, from the promotions account, into wallet and history", async () => {
    await settled(-30_000);
    await settled(5_009);
    const before = await venue.ledger.account("promotions");
    const reply = await claim("discount");
    expect(reply.statusCode).toBe(200);
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.json()).toEqual(claimed(2_499));
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 12_499 });
    expect((await venue.ledger.account("promotions")).balanceMinor).toBe(before.balanceMinor - 2_499);
    expect(await newest()).toMatchObject({ kind: "discount", amountMinor: 2_499, counterparty: "promotions" });
  });

  test("counts what was really lost on a machine, once the play session is settled", async () => {
    const { machine, agent } = await venue.machine(`ege-${players}`);
    const page = await venue.page(token, `ege-${players}`);
    await page.init();
    await page.peer.request("cashIn", { id: `cash-in-${players}`, amount: 3_000 });
    for (const win of [0, 0, 40]) machine.play(win);
    await agent.pump();
    expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
    expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
    expect((await claim("discount")).json()).toEqual(claimed(26));
  });

  test("nothing lost, or as much won: 60020, and no money moves", async () => {
    const nothing = await claim("discount");
    expect(nothing.statusCode).toBe(409);
    expect(nothing.json()).toEqual({ code: 60020, ErrorMessage: "There is nothing to claim now" });
    await settled(-500);
    await settled(500);
    await settled(-9);
    expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 10_000 });
  });

  test("an open play session does not count", async () => {
    await venue.database.kysely.transaction().execute(async (trx) => {
      // The sweep closes a play session that no seat belongs to: it waits for the machine's seat meanwhile.
      await sql`select from seat where machine_id = 'nar-01' for update`.execute(trx);
      const open = `ps_open${players}`;
      await sql`insert into play_session (id, machine_id, player_id, net) values (${open}, 'nar-01', ${id}, -5000)`.execute(
        venue.database.kysely,
      );
      expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
    });
  });

  test("within the period it is claimed already, with the seconds that are left", async () => {
    await settled(-1_000);
    await claim("discount");
    await settled(-1_000);
    const again = await claim("discount");
    expect(again.statusCode).toBe(409);
    const { code, Params } = again.json();
    expect(code).toBe(60021);
    expect(Params.seconds).toBeGreaterThan(86_000);
    expect(Params.seconds).toBeLessThanOrEqual(86_400);
  });

  test("a loss is counted once, and what was won since counts against it", async () => {
    await settled(-1_000);
    expect((await claim("discount")).json()).toEqual(claimed(100));
    await periodIsOver();
    expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
    await settled(400);
    await settled(-900);
    expect((await claim("discount")).json()).toEqual(claimed(50));
    await periodIsOver();
    await settled(200);
    expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
    await settled(-200);
    expect((await claim("discount")).json()).toMatchObject({ code: 60020 });
  });

  test("claimed from twenty browsers at once it is paid once", async () => {
    await settled(-7_000);
    const replies = await Promise.all(Array.from({ length: 20 }, () => claim("discount")));
    expect(replies.filter((reply) => reply.statusCode === 200).map((reply) => reply.json())).toEqual([claimed(700)]);
    expect(replies.filter((reply) => reply.json().code === 60021)).toHaveLength(19);
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 10_700 });
  });

  test("the largest loss is shared exactly", async () => {
    await settled(-8_999_999_999_999);
    expect((await claim("discount")).json()).toEqual(claimed(899_999_999_999));
  });
});

describe("R-7-09: the bonus", () => {
  test("R-7-09: a claim takes the oldest open grant, once each", async () => {
    await grant(5_000);
    await grant(300, { reason: "sorry for the wait" });
    const reply = await claim("bonus");
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.json()).toEqual(claimed(5_000));
    expect((await claim("bonus")).json()).toEqual(claimed(300));
    expect(await newest()).toMatchObject({ kind: "bonus", amountMinor: 300, about: { reason: "sorry for the wait" } });
    expect((await claim("bonus")).json()).toEqual({ code: 60020, ErrorMessage: "There is nothing to claim now" });
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 15_300 });
  });

  test("claimed from twenty browsers at once it is paid once", async () => {
    await grant(1_000);
    const replies = await Promise.all(Array.from({ length: 20 }, () => claim("bonus")));
    expect(replies.filter((reply) => reply.statusCode === 200)).toHaveLength(1);
    expect(replies.filter((reply) => reply.json().code === 60020)).toHaveLength(19);
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 11_000 });
  });

  test("somebody else's grant is not the caller's, and one that ran out is nobody's", async () => {
    const other = await venue.player(`other${players}`);
    await grant(1_000, {}, other.id);
    const old = await grant(2_000, { days: 1 });
    await sql`update bonus_grant set granted_at = granted_at - interval '2 days', expires_at = expires_at - interval '2 days'
      where id = ${old}`.execute(venue.database.kysely);
    expect((await claim("bonus")).json()).toMatchObject({ code: 60020 });
    await grant(10, { days: 1 });
    expect((await claim("bonus")).json()).toEqual(claimed(10));
    expect((await claim("bonus", other.token)).json()).toEqual(claimed(1_000));
  });

  test("a grant that the ledger cannot pay stays open", async () => {
    const open = await grant(50);
    await venue.ledger.transfer({
      id: `bonus:${open}`,
      kind: "deposit",
      from: "cage",
      to: `player:${id}`,
      amountMinor: 1,
    });
    expect((await claim("bonus")).statusCode).toBe(500);
    expect(await listGrants(grants(), { playerId: id, openOnly: true, limit: 10 })).toHaveLength(1);
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 10_001 });
  });
});

test("discount and bonus do not block each other", async () => {
  await settled(-1_000);
  await grant(70);
  const [discount, bonus] = await Promise.all([claim("discount"), claim("bonus")]);
  expect([discount.json(), bonus.json()]).toEqual([claimed(100), claimed(70)]);
});

test("after a claim the new balance is pushed", async () => {
  await grant(2_500);
  const page = openSocket(`${venue.url}/notifications?token=${token}`);
  await page.opened;
  page.send({ request: true, id: 1, method: "init", data: { id } });
  const pushed = (balance: number) => expect.objectContaining({ method: "balance", data: { balance } });
  await expect.poll(() => page.frames).toContainEqual(pushed(10_000));
  await claim("bonus");
  await expect.poll(() => page.frames).toContainEqual(pushed(12_500));
  page.socket.terminate();
});

describe("nobody claims by accident or without being signed in", () => {
  test.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"] as const)("%s claims nothing", async (method) => {
    await grant(1_000);
    for (const path of ["discount", "bonus"]) {
      const headers = { authorization: `Bearer ${token}` };
      const reply = await venue.app.inject({ method, url: `/v1/player/${path}`, headers });
      expect(reply.statusCode).toBeGreaterThanOrEqual(400);
    }
    expect(await venue.balanceOf(id)).toMatchObject({ balance: 10_000 });
  });

  test.each(["", "garbage", "a.b.c"])("the token %j claims nothing", async (bad) => {
    for (const kind of ["discount", "bonus"] as const) expect((await claim(kind, bad)).statusCode).toBe(401);
  });

  test("what stands in the query or in a body changes nothing", async () => {
    await grant(1_000);
    const reply = await venue.get(`/v1/player/bonus?amount=999999&player=p_other&id[]=1&__proto__[x]=1`, token);
    expect(reply.json()).toEqual(claimed(1_000));
  });
});

describe("the operator's rules", () => {
  test("a share of zero is no discount; a balance at the limit gets none, one below it does", async () => {
    const env = { LOGINS_PER_MINUTE_ADDRESS: "10000" };
    await settled(-1_000);
    const none = await testVenue({ database: venue.database, env: { ...env, DISCOUNT_PERCENT: "0" } });
    expect((await none.get("/v1/player/discount", token)).json()).toMatchObject({ code: 60020 });
    await none.close(true);
    for (const [below, code] of [
      ["10000", 60020],
      ["10001", 20000],
    ] as const) {
      const limited = await testVenue({ database: venue.database, env: { ...env, DISCOUNT_BALANCE_BELOW: below } });
      expect((await limited.get("/v1/player/discount", token)).json()).toMatchObject({ code });
      await limited.close(true);
    }
  });
});

describe("a grant", () => {
  const good = { playerId: "p_x", amountMinor: 100, reason: "welcome", grantedBy: "ayse" };
  test.each<[string, object]>([
    ["amountMinor", { amountMinor: 0 }],
    ["amountMinor", { amountMinor: -1 }],
    ["amountMinor", { amountMinor: 0.5 }],
    ["amountMinor", { amountMinor: Number.NaN }],
    ["amountMinor", { amountMinor: 9_000_000_000_001 }],
    ["reason", { reason: "" }],
    ["reason", { reason: " spaced" }],
    ["reason", { reason: "two\nlines" }],
    ["reason", { reason: "\u001b[31mred" }],
    ["reason", { reason: "zero\0" }],
    ["reason", { reason: "half \ud800" }],
    ["reason", { reason: "x".repeat(201) }],
    ["grantedBy", { grantedBy: "" }],
    ["days", { days: 0 }],
    ["days", { days: 1.5 }],
    ["days", { days: 4_000 }],
  ])("is refused with a sentence about %s: %j", (named, over) => {
    expect(grantProblem({ ...good, ...over })).toContain(named);
  });

  test("is listed with what became of it, newest first", async () => {
    const first = await grant(100);
    const second = await grant(200, { reason: "'; drop table player; --" });
    await claim("bonus");
    expect(await listGrants(grants(), { playerId: id, limit: 10 })).toMatchObject([
      { id: second, state: "open", reason: "'; drop table player; --", granted_by: "ayse" },
      { id: first, state: "claimed", claimed_at: expect.any(Date) },
    ]);
    expect(await listGrants(grants(), { playerId: id, limit: 1 })).toHaveLength(1);
  });
});
