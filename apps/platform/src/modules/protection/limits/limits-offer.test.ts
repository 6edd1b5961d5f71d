import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { sharePlayVenue } from "../../../testing/play-venue.ts";
import { PASSWORD } from "../../../testing/test-venue.ts";
import { checkMayMove } from "../../staff/desk/index.ts";
import { decideIdentity, keepRecord } from "../identity/index.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { limitsOfferDue } from "./index.ts";

/* Limits offered at registration (RTS 12A, AGCO 2.23, GlüStV § 6c, Spellagen 14:7) and at the first deposit (PPD 13, 13:69O-1.2(i)): no play before the answer. */

const folder = mkdtempSync(join(tmpdir(), "longarm-offer-"));
const settingsFile = join(folder, "Settings.json");
writeFileSync(settingsFile, JSON.stringify({ helpList: [{ name: "ConnexOntario", phone: "1-866-531-2600" }] }));
afterAll(() => rmSync(folder, { recursive: true }));

const venue = sharePlayVenue({ env: { SETTINGS_FILE: settingsFile } });
let players = 0;

/** A player of a market who has proved who they are. */
async function newPlayer(market: MarketId | null) {
  players += 1;
  const username = `offered${players}`;
  const player = await venue.player(username, 10_000);
  const lives = { scope: "player", subject: player.id, market, by: "eva", reason: "lives there" } as const;
  if (market !== null) await chooseMarket(venue.db.withTables(), lives);
  await keepRecord(venue.db, player.id, { birthDate: "1990-05-31" });
  await decideIdentity(venue.db, {
    ...{ playerId: player.id, state: "verified", validUntil: null, by: "eva", reason: "seen" },
  });
  return { ...player, username };
}
type Player = Awaited<ReturnType<typeof newPlayer>>;

const call = async ({ token }: Player, method: "GET" | "POST", path: string, payload?: object) => {
  const headers = { authorization: `Bearer ${token}` };
  return await venue.app.inject({ method, url: `/v1/player/limits${path}`, headers, ...(payload && { payload }) });
};
const notNow = (player: Player) => call(player, "POST", "/not-now", { answer: "notNow" });

async function sit({ token }: Player) {
  const machineId = `offer-${players}`;
  if ((await sql`select from machine where id = ${machineId}`.execute(venue.db)).rows.length === 0)
    await venue.machine(machineId);
  const page = await venue.page(token, machineId);
  const answer = await page.peer.request("init", { machineID: machineId });
  return { page, said: answer.is === "refused" ? answer.refusal.name : answer.is };
}

const mayMove = (kind: "deposit" | "withdraw", playerId: string) =>
  checkMayMove(venue.db.withTables() as never, { kind, playerId }).then(
    () => "may",
    (refused) => refused.problem.params.sentence,
  );

const rows = async (playerId: string) =>
  (
    await sql<{ answer: string; markets: string; is_now: boolean }>`
      select answer, markets, answered_at > clock_timestamp() - interval '1 minute' as is_now from limits_offer_answer where player_id = ${playerId}`.execute(
      venue.db,
    )
  ).rows;

describe("offered at registration", () => {
  test("no seat and no deposit before the answer; withdrawing works, and the answer opens both", async () => {
    const player = await newPlayer("ca-on");
    expect((await sit(player)).said).toBe("limits.unanswered");
    expect(await mayMove("deposit", player.id)).toContain("whether limits are wanted: the page asks");
    expect(await mayMove("withdraw", player.id)).toBe("may");
    expect((await call(player, "GET", "")).json()).toMatchObject({ offered: true });
    const answered = await notNow(player);
    expect(answered.json()).toMatchObject({ offered: false });
    expect(await rows(player.id)).toEqual([{ answer: "notNow", markets: "ca-on", is_now: true }]);
    expect((await sit(player)).said).toBe("done");
    expect(await mayMove("deposit", player.id)).toBe("may");
  });

  test("setting a limit is the other answer; a repeat, or another one afterwards, changes nothing", async () => {
    const player = await newPlayer("ca-on");
    expect((await call(player, "POST", "", { key: "loss.day", value: 5_000 })).json()).toMatchObject({
      offered: false,
    });
    await notNow(player);
    await notNow(player);
    expect(await rows(player.id)).toEqual([{ answer: "set", markets: "ca-on", is_now: true }]);
  });

  test("the sign-in says so until there is an answer", async () => {
    const player = await newPlayer("ca-on");
    const signIn = async () => {
      const payload = { username: player.username, password: PASSWORD, site_id: 2011 };
      return (await venue.app.inject({ method: "POST", url: "/v1/login", payload })).json();
    };
    expect(await signIn()).toMatchObject({ limits_offered: true });
    await notNow(player);
    expect(await signIn()).not.toHaveProperty("limits_offered");
  });
});

test("offered at the first deposit: the seat is open, money waits for the answer", async () => {
  const player = await newPlayer("mt");
  const { page, said } = await sit(player);
  expect(said).toBe("done");
  const cashIn = (id: string) => page.peer.request("cashIn", { id, amount: 1_000 });
  expect(await cashIn("t-offer-1")).toMatchObject({ is: "refused", refusal: { code: 60092 } });
  expect(await mayMove("deposit", player.id)).toContain("limits are wanted");
  await notNow(player);
  expect(await cashIn("t-offer-2")).toMatchObject({ is: "done" });
});

test("without a market nothing is offered, and a machine's market offers to who may sit down there", async () => {
  const player = await newPlayer(null);
  expect(await limitsOfferDue(venue.db, player.id)).toBe(false);
  expect((await notNow(player)).json()).toMatchObject({ offered: false });
  expect(await rows(player.id)).toEqual([]);
  const machineId = `offer-${players}`;
  await venue.machine(machineId);
  const strict = { scope: "machine", subject: machineId, by: "eva", reason: "hall of Ontario" } as const;
  await chooseMarket(venue.db.withTables(), { ...strict, market: "ca-on" });
  expect(await limitsOfferDue(venue.db, player.id)).toBe(true);
  expect((await sit(player)).said).toBe("limits.unanswered");
  await notNow(player);
  expect((await sit(player)).said).toBe("done");
  await chooseMarket(venue.db.withTables(), { ...strict, market: null });
});

test("a limit of before the market's choice is an answer", async () => {
  const player = await newPlayer(null);
  await call(player, "POST", "", { key: "loss.day", value: 5_000 });
  await chooseMarket(venue.db.withTables(), {
    ...{ scope: "player", subject: player.id, market: "ca-on", by: "eva", reason: "moved" },
  });
  expect(await limitsOfferDue(venue.db, player.id)).toBe(false);
});

test.each([{}, { answer: "set" }, { answer: null }, { answer: "notNow", more: 1 }])(
  "the answer %j is refused, and nothing is kept",
  async (payload) => {
    const player = await newPlayer("ca-on");
    expect((await call(player, "POST", "/not-now", payload)).statusCode).toBe(400);
    expect(await rows(player.id)).toEqual([]);
  },
);

test("an answer is never changed or removed", async () => {
  const player = await newPlayer("ca-on");
  await notNow(player);
  for (const change of [
    sql`update limits_offer_answer set answer = 'set' where player_id = ${player.id}`,
    sql`delete from limits_offer_answer where player_id = ${player.id}`,
    sql`truncate limits_offer_answer`,
  ])
    await expect(change.execute(venue.db)).rejects.toThrow(/never changed/);
});
