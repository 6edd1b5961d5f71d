import type { LimitPreview, OwnLimit, OwnLimits } from "@longarm/contract/player-limits";
import { OwnLimits as Answer } from "@longarm/contract/player-limits";
import type { LimitSubject } from "@longarm/contract/player-protection";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { longarmOf } from "../../../testing/longarm.ts";
import { eventually, sharePlayVenue } from "../../../testing/play-venue.ts";
import type { LimitsTables } from "../limits/index.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket } from "../markets/index.ts";
import { LOOSER_WISHES_MAX } from "./index.ts";

/* A player's limits over HTTP, and what they do to a play session that runs. */

const venue = sharePlayVenue();
const longarm = longarmOf(venue);

type Player = { readonly id: string; readonly token: string };

const call = (player: Player, method: "GET" | "POST", path = "", body?: unknown) =>
  venue.app.inject({
    method,
    url: `/v1/player/limits${path}`,
    headers: {
      authorization: `Bearer ${player.token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });

async function limits(player: Player): Promise<OwnLimits> {
  const reply = await call(player, "GET");
  expect(reply.headers["cache-control"]).toBe("no-store");
  return z.parse(Answer, reply.json());
}

async function limitOf(player: Player, key: LimitSubject): Promise<OwnLimit> {
  const found = (await limits(player)).limits.find((one) => one.key === key);
  if (found === undefined) throw new Error(`${key} is no limit`);
  return found;
}

async function set(player: Player, key: LimitSubject, value: number | null): Promise<OwnLimit> {
  const reply = await call(player, "POST", "", { key, value });
  expect({ status: reply.statusCode, body: reply.body }).toMatchObject({ status: 200 });
  const found = z.parse(Answer, reply.json()).limits.find((one) => one.key === key);
  if (found === undefined) throw new Error(`${key} is no limit`);
  return found;
}

const chooseFor = (player: Player, market: MarketId) =>
  chooseMarket(venue.db.withTables<LimitsTables>(), {
    ...{ scope: "player", subject: player.id, market, by: "eva", reason: "a test" },
  });

/** The time of a player's limits passes. */
async function pass(player: Player, days: number): Promise<void> {
  await venue.db.transaction().execute(async (trx) => {
    await sql`alter table player_limit disable trigger player_limit_stays`.execute(trx);
    await sql`update player_limit set set_at = set_at - make_interval(days => ${days}::int), effective_at = effective_at - make_interval(days => ${days}::int)
      where player_id = ${player.id}`.execute(trx);
    await sql`alter table player_limit enable trigger player_limit_stays`.execute(trx);
  });
}

async function seated(machineId: string, username: string) {
  const { machine, agent } = await venue.machine(machineId);
  const player = await venue.player(username, 5_000);
  const page = await venue.page(player.token, machineId);
  await page.init();
  expect(await page.peer.request("cashIn", { id: `${username}-in`, amount: 2_000 })).toMatchObject({ is: "done" });
  await venue.inState(machineId, "playing");
  return { machine, agent, player, page };
}

async function endReasonAt(machineId: string): Promise<string | null> {
  const { rows } = await sql<{
    end_reason: string;
  }>`select end_reason from play_session where machine_id = ${machineId}`.execute(venue.db);
  return rows[0]?.end_reason ?? null;
}

describe("a player's own limits", () => {
  test("are there from the beginning, without values, in the order of the page", async () => {
    const player = await venue.player("ol.first", 2_500);
    const { limits: all, rules } = await limits(player);
    expect(all.map(({ key }) => key)).toEqual([
      ...["deposit", "cashIn", "loss", "wager", "time"].flatMap((kind) =>
        ["day", "week", "month"].map((period) => `${kind}.${period}`),
      ),
      "session",
    ]);
    expect(
      all.every(
        ({ value, left, waiting, required }) => value === null && left === null && waiting === null && !required,
      ),
    ).toBe(true);
    expect(rules).toMatchObject({ asksAgain: false, autoplay: true, minCycleMs: 0, maxStake: null });
    // Gross, and what was deposited before any limit counts too.
    await longarm("wallets", "withdraw", "ol.first", "5.00", "--reason", "desk");
    expect(await limitOf(player, "deposit.week")).toMatchObject({ used: 2_500, left: null });
  });

  test("the interval of reality checks is chosen here too, as far as the market lets", async () => {
    const player = await venue.player("ol.checks", 1_000);
    expect((await limits(player)).rules.check).toEqual({ everyMin: null, longestMin: null, mayBeOff: true });
    const chosen = await call(player, "POST", "/check", { minutes: 30 });
    expect(z.parse(Answer, chosen.json()).rules.check).toMatchObject({ everyMin: 30 });
    expect((await call(player, "POST", "/check", { minutes: 31 })).statusCode).toBe(400);
    await longarm("markets", "choose", "lab", "--player", "ol.checks", "--reason", "a test");
    expect((await limits(player)).rules.check).toEqual({ everyMin: 15, longestMin: 15, mayBeOff: false });
    for (const minutes of [30, null])
      expect((await call(player, "POST", "/check", { minutes })).statusCode).toBeGreaterThanOrEqual(400);
    expect((await limits(player)).rules.check?.everyMin).toBe(15);
  });

  test("become stricter at once and looser after the wait, which can be taken back", async () => {
    const player = await venue.player("ol.changes", 1_000);
    expect(await set(player, "loss.week", 20_000)).toMatchObject({
      value: 20_000,
      owner: "player",
      mine: 20_000,
      used: 0,
      left: 20_000,
      waiting: null,
    });
    const looser = await set(player, "loss.week", 40_000);
    expect(looser).toMatchObject({ value: 20_000, waiting: { value: 40_000, answerUntil: null } });
    expect(Math.abs(Date.parse(looser.waiting?.from ?? "") - Date.parse(looser.looserFrom))).toBeLessThan(60_000);
    const back = await call(player, "POST", "/take-back", { id: looser.waiting?.id });
    expect(z.parse(Answer, back.json()).limits.find(({ key }) => key === "loss.week")).toMatchObject({ waiting: null });
    // A repeat of it is the same act; a yes to it is none.
    expect((await call(player, "POST", "/take-back", { id: looser.waiting?.id })).statusCode).toBe(200);
    const yes = await call(player, "POST", "/answer", { id: looser.waiting?.id, wanted: true });
    expect({ status: yes.statusCode, body: yes.json() }).toMatchObject({ status: 409, body: { code: 60067 } });
    await set(player, "loss.week", null);
    await pass(player, 2);
    expect(await limitOf(player, "loss.week")).toMatchObject({ value: null, waiting: null });
  });

  test("hold again only with the player's yes where the market says so, and the audit log has who said it (RTS 12A)", async () => {
    const player = await venue.player("ol.again", 1_000);
    await chooseFor(player, "gb");
    await set(player, "time.day", 60);
    const waits = await set(player, "time.day", 120);
    const { id } = waits.waiting ?? { id: "" };
    expect(Date.parse(waits.waiting?.answerUntil ?? "") - Date.parse(waits.waiting?.from ?? "")).toBe(7 * 86_400_000);
    expect((await call(player, "POST", "/answer", { id, wanted: true })).json()).toMatchObject({ code: 60067 });
    await pass(player, 2);
    expect(await limitOf(player, "time.day")).toMatchObject({ value: 60, waiting: { id } });
    const other = await venue.player("ol.other");
    expect((await call(other, "POST", "/answer", { id, wanted: true })).json()).toMatchObject({ code: 60067 });
    expect((await call(player, "POST", "/answer", { id, wanted: true })).statusCode).toBe(200);
    expect(await limitOf(player, "time.day")).toMatchObject({ value: 120, waiting: null });
    const { rows } =
      await sql<object>`select type, actor, after from audit.entries where subject = ${`player:${player.id}`}
      and type like 'player.limit%' order by id`.execute(venue.db);
    const actor = `player:${player.id}`;
    expect(rows).toEqual([
      { type: "player.limitsOffer", actor, after: { answer: "set", markets: "gb" } },
      { type: "player.limit", actor, after: { "time.day": 60 } },
      { type: "player.limit", actor, after: { "time.day": 120 } },
      { type: "player.limitAnswered", actor, after: { "time.day": 120 } },
    ]);
  });

  test("show whose limit holds: the operator's and the market's beside the own one", async () => {
    const player = await venue.player("ol.owners", 1_000);
    await chooseFor(player, "de");
    await set(player, "wager.day", 900);
    expect(await longarm("players", "limits", "ol.owners", "--limit", "wager.day=5.00 session=90")).toMatchObject({
      code: 0,
    });
    expect(await limitOf(player, "wager.day")).toMatchObject({ value: 500, owner: "operator", mine: 900 });
    expect(await limitOf(player, "session")).toMatchObject({ value: 90, owner: "operator", mine: null, left: null });
    expect(await limitOf(player, "deposit.month")).toMatchObject({
      value: 100_000,
      owner: "market",
      required: true,
      left: 99_000,
    });
    expect((await limits(player)).rules).toMatchObject({
      asksAgain: false,
      autoplay: false,
      minCycleMs: 5_000,
      maxStake: 100,
    });
  });

  test("count what is at risk at a machine, and say from when on something is left again", async () => {
    const { player, machine, agent } = await seated("ol-01", "ol.risk");
    expect(await set(player, "loss.day", 3_000)).toMatchObject({ used: 2_000, left: 1_000 });
    machine.play(0);
    await agent.pump();
    await eventually(async () => expect(await limitOf(player, "wager.day")).toMatchObject({ used: machine.bet }));
    expect(await limitOf(player, "loss.day")).toMatchObject({ used: 2_000, left: 1_000 });
    expect(await limitOf(player, "cashIn.day")).toMatchObject({ used: 2_000 });
    await set(player, "cashIn.day", 2_000);
    const { frees } = await limitOf(player, "cashIn.day");
    expect(Math.abs(Date.parse(frees ?? "") - venue.clock.now() - 86_400_000)).toBeLessThan(180_000);
  });

  test("can be looked at before they are set, and nothing is set by that", async () => {
    const { player, machine, agent } = await seated("ol-02", "ol.preview");
    machine.play(0);
    await agent.pump();
    await eventually(async () => expect(await limitOf(player, "wager.week")).toMatchObject({ used: machine.bet }));
    const preview = async (key: LimitSubject, value: number | null) =>
      (await call(player, "POST", "/preview", { key, value })).json<LimitPreview>();
    expect(await preview("wager.week", machine.bet + 1)).toMatchObject({
      isLooser: false,
      asksAgain: false,
      frees: null,
    });
    const { frees } = await preview("wager.week", machine.bet);
    expect(Math.abs(Date.parse(frees ?? "") - venue.clock.now() - 7 * 86_400_000)).toBeLessThan(180_000);
    expect((await limitOf(player, "wager.week")).value).toBeNull();
    await chooseFor(player, "gb");
    await set(player, "session", 60);
    const looser = await preview("session", null);
    expect(looser).toMatchObject({ isLooser: true, asksAgain: true, frees: null });
    expect(Math.abs(Date.parse(looser.from) - venue.clock.now() - 86_400_000)).toBeLessThan(60_000);
  });

  test("a body that is none is refused and sets nothing", async () => {
    const player = await venue.player("ol.hostile", 1_000);
    const bad: unknown[] = [
      ...[null, 7, "loss.day", [], {}, { key: "loss.day" }, { value: 5 }],
      ...[-1, 1.5, 1e308, 2 ** 53, "5", true, [5], {}, Number.MAX_SAFE_INTEGER].map((value) => ({
        key: "loss.day",
        value,
      })),
      ...["exclusion", "loss", "loss.year", "LOSS.DAY", "loss.day ", "__proto__", "", 7].map((key) => ({
        key,
        value: 5,
      })),
      ...[
        { key: "time.day", value: 43_201 },
        { key: "session", value: 0 },
        { key: "session", value: 50_000 },
      ],
      ...[
        { key: "loss.day", value: 5, owner: "house" },
        { key: "loss.day", value: 5, playerId: "p_other" },
      ],
    ];
    for (const body of bad)
      expect((await call(player, "POST", "", body)).json(), JSON.stringify(body)).toMatchObject({ code: 40000 });
    for (const path of ["/take-back", "/answer"])
      for (const id of ["", "0", "-1", "1.5", "1e3", "99999999999999999999", "x", 7, null, [], {}])
        expect((await call(player, "POST", path, { id, wanted: true })).statusCode, `${path} ${String(id)}`).toBe(400);
    expect((await call(player, "POST", "/take-back", { id: "999999999" })).json()).toMatchObject({ code: 60067 });
    const { rows } = await sql<object>`select from player_limit where player_id = ${player.id}`.execute(venue.db);
    expect(rows).toHaveLength(0);
  });

  test("looser wishes are counted, stricter ones never, and the same wish again makes no row", async () => {
    const player = await venue.player("ol.flood", 1_000);
    await set(player, "loss.day", 1_000);
    for (let wish = 0; wish < LOOSER_WISHES_MAX; wish += 1) await set(player, "loss.day", 2_000 + wish);
    expect((await call(player, "POST", "", { key: "loss.day", value: 9_000 })).json()).toMatchObject({ code: 60030 });
    for (let step = 1; step <= 30; step += 1) await set(player, "loss.day", 1_000 - step);
    for (let repeat = 0; repeat < 5; repeat += 1) await set(player, "loss.day", 970);
    const { rows } = await sql<object>`select from player_limit where player_id = ${player.id}`.execute(venue.db);
    expect(rows).toHaveLength(1 + LOOSER_WISHES_MAX + 30);
  });
});

describe("a reached limit", () => {
  test("of stakes ends the play session after the running game, and the credits come home", async () => {
    const { player, machine, agent, page } = await seated("ol-11", "ol.wager");
    await set(player, "wager.day", machine.bet);
    machine.startGame();
    await agent.pump();
    machine.endGame(300);
    machine.startGame();
    await agent.pump();
    await venue.inState("ol-11", "draining");
    // The page shows the running game to its end, and says only then why it was the last one.
    expect(page.ofMethod("ended")).toEqual([]);
    machine.endGame(50);
    await agent.pump();
    await venue.inState("ol-11", "free");
    expect(await endReasonAt("ol-11")).toBe("limit");
    await eventually(() => expect(page.ofMethod("ended")).toEqual([{ code: "CODE_18801", why: "limit" }]));
    expect(await venue.balanceOf(player.id)).toEqual({ balance: 5_000 - 2 * machine.bet + 350 });
    const again = await venue.page(player.token, "ol-11");
    expect(await again.init()).toMatchObject({
      refusal: { code: 60064, params: { left: 0, until: expect.any(String) } },
    });
  });

  test("of loss that is lowered below what is lost ends it", async () => {
    const { player, machine, agent } = await seated("ol-12", "ol.loss");
    machine.play(0);
    await agent.pump();
    await eventually(async () => expect(await limitOf(player, "loss.month")).toMatchObject({ used: 2_000 }));
    await set(player, "loss.month", machine.bet);
    await venue.inState("ol-12", "free");
    expect(await endReasonAt("ol-12")).toBe("limit");
    expect(await venue.balanceOf(player.id)).toEqual({ balance: 5_000 - machine.bet });
    expect(await (await venue.page(player.token, "ol-12")).init()).toMatchObject({ refusal: { code: 60061 } });
  });

  test("of time ends it, over all machines of the period", async () => {
    const { player } = await seated("ol-13", "ol.time");
    await set(player, "time.week", 90);
    await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason) values ('ps_ol_before', 'ol-13', ${player.id},
      clock_timestamp() - interval '3 days', clock_timestamp() - interval '3 days' + interval '60 minutes', 'left')`.execute(
      venue.db,
    );
    expect((await venue.seat("ol-13")).state).toBe("playing");
    await sql`update play_session set started_at = started_at - interval '31 minutes' where player_id = ${player.id} and ended_at is null`.execute(
      venue.db,
    );
    await venue.inState("ol-13", "free");
    expect(await (await venue.page(player.token, "ol-13")).init()).toMatchObject({
      refusal: { code: 60065, params: { left: 0, until: expect.any(String) } },
    });
  });

  test("of one session is not passed by sitting down again, and is over after a pause of 15 minutes", async () => {
    const { player, page } = await seated("ol-15", "ol.session");
    await set(player, "session", 60);
    const stay = (from: number, to: number | null) =>
      sql`update play_session set started_at = clock_timestamp() - make_interval(mins => ${from}),
        ended_at = clock_timestamp() - make_interval(mins => ${to}) where player_id = ${player.id}`.execute(venue.db);
    expect(await page.peer.request("leave", {})).toMatchObject({ is: "done" });
    await venue.inState("ol-15", "free");
    await stay(70, 14);
    const again = await venue.page(player.token, "ol-15");
    expect((await again.init()).is).toBe("done");
    // 56 minutes before, and five now.
    await sql`update play_session set started_at = started_at - interval '5 minutes' where player_id = ${player.id} and ended_at is null`.execute(
      venue.db,
    );
    await venue.inState("ol-15", "free");
    expect(await (await venue.page(player.token, "ol-15")).init()).toMatchObject({
      refusal: { code: 60065, params: { left: 0, until: expect.any(String) } },
    });
    await sql`update play_session set started_at = started_at - interval '15 minutes', ended_at = ended_at - interval '15 minutes'
      where player_id = ${player.id}`.execute(venue.db);
    expect((await (await venue.page(player.token, "ol-15")).init()).is).toBe("done");
  });

  test("of deposits is refused at the desk and by the command line, once for each id, and money can be withdrawn", async () => {
    const player = await venue.player("ol.deposit", 1_000);
    await set(player, "deposit.day", 1_500);
    const deposit = (amount: string, ...more: string[]) =>
      longarm("wallets", "deposit", "ol.deposit", amount, "--reason", "desk", ...more);
    const over = await deposit("5.01");
    expect(over).toMatchObject({ code: 3, complained: expect.stringContaining("leaves 5.00") });
    expect(await deposit("5.00", "--id", "ol-deposit-1")).toMatchObject({ code: 0 });
    expect(await deposit("5.00", "--id", "ol-deposit-1")).toMatchObject({
      code: 0,
      said: expect.stringContaining("moved before"),
    });
    const full = await deposit("0.01");
    expect(full.complained).toMatch(/reached the deposit limit (.+): no deposits, until \d{4}-/);
    expect(await longarm("wallets", "withdraw", "ol.deposit", "15.00", "--reason", "desk")).toMatchObject({ code: 0 });
    expect((await deposit("0.01")).code).toBe(3);
  });

  test("deposits at the same moment count each other", async () => {
    const player = await venue.player("ol.race");
    await set(player, "deposit.month", 1_000);
    const tries = await Promise.all(
      [1, 2, 3, 4].map((at) =>
        longarm("wallets", "deposit", "ol.race", "4.00", "--reason", "desk", "--id", `ol-race-${at}`),
      ),
    );
    expect(tries.map(({ code }) => code).toSorted()).toEqual([0, 0, 3, 3]);
    expect(await venue.ledgerOf(`player:${player.id}`)).toBe(800);
  });
});
