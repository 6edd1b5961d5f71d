import { LIMIT_KEYS, PERIOD_HOURS } from "@longarm/contract/player-protection";
import { databaseTime } from "@longarm/database/clock";
import { testDatabase } from "@longarm/database/testing";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { countedNow, freesAt } from "../../play/counted.ts";
import { cashInProblem, depositProblem, sitProblem } from "../../play/limits.ts";
import type { MarketId } from "../markets/index.ts";
import { chooseMarket, rulesOfMarket } from "../markets/index.ts";
import type { LimitName, LimitsTables } from "./index.ts";
import {
  ANSWER_DAYS,
  answerLimit,
  holdsFrom,
  limitNameOf,
  limitPartsOf,
  limitsOf,
  limitsOfAll,
  RELAX_AFTER_MS,
  setLimit,
  standingLimits,
  takeLimitBack,
  waitOf,
} from "./index.ts";

/*
 * Limits against a model: whatever is set by whom and when, the stricter one holds, and nothing becomes looser before the market's wait, nor without
 * the yes that the market demands.
 */

let database: Awaited<ReturnType<typeof testDatabase<LimitsTables>>>;
let players = 0;
beforeAll(async () => {
  database = await testDatabase<LimitsTables>({ migrations: platformMigrations });
});
afterAll(() => database.drop());

const db = () => database.kysely;

async function newPlayer(): Promise<string> {
  players += 1;
  const id = `p_limits${players}`;
  await sql`insert into player (id, username, username_key, password) values (${id}, ${id}, ${id}, 'none')`.execute(
    db(),
  );
  return id;
}

/** The time passes: all that was set was set so much earlier. */
async function pass(playerId: string, ms: number): Promise<void> {
  await db()
    .transaction()
    .execute(async (trx) => {
      await sql`alter table player_limit disable trigger player_limit_stays`.execute(trx);
      const earlier = sql`interval '1 millisecond' * ${ms}`;
      await sql`update player_limit set set_at = set_at - ${earlier}, effective_at = effective_at - ${earlier}
        where player_id = ${playerId}`.execute(trx);
      await sql`alter table player_limit enable trigger player_limit_stays`.execute(trx);
    });
}

async function chooseFor(playerId: string, market: MarketId): Promise<void> {
  await chooseMarket(db(), { scope: "player", subject: playerId, market, by: "eva", reason: "a test" });
}

const owner = fc.constantFrom("player" as const, "house" as const);
const step = fc.oneof(
  fc.record({ is: fc.constant("set" as const), owner, value: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 4 }) }),
  // Tenths of a day: sums of floats would be beside the boundaries that they hit.
  fc.record({ is: fc.constant("pass" as const), tenths: fc.constantFrom(4, 7, 15, 53) }),
  fc.record({
    is: fc.constant("answer" as const),
    said: fc.constantFrom("yes" as const, "no" as const, "takeBack" as const),
  }),
);

type Waiting = { readonly at: number; readonly value: number | null; readonly asks: boolean };
const LAPSES = ANSWER_DAYS * 10;

/** What holds by the rules alone: for each owner what holds now, and what waits. Null: no limit. Times in tenths of a day. */
class Model {
  now = { player: null as number | null, house: null as number | null };
  later = { player: null as Waiting | null, house: null as Waiting | null };
  time = 0;
  readonly #wait: number;
  readonly #asks: boolean;

  constructor(wait: number, asks: boolean) {
    this.#wait = wait;
    this.#asks = asks;
  }

  set(whose: "player" | "house", value: number | null): void {
    const before = this.now[whose];
    const relaxes = before !== null && (value === null || value > before);
    this.later[whose] = relaxes ? { at: this.time + this.#wait, value, asks: this.#asks && whose === "player" } : null;
    if (!relaxes) this.now[whose] = value;
  }

  pass(tenths: number): void {
    this.time += tenths;
    for (const whose of ["player", "house"] as const) {
      const later = this.later[whose];
      if (later === null || later.at > this.time) continue;
      if (!later.asks) this.now[whose] = later.value;
      if (!later.asks || later.at + LAPSES <= this.time) this.later[whose] = null;
    }
  }

  /** Whether the answer is taken. */
  answer(said: "yes" | "no" | "takeBack"): boolean {
    const later = this.later.player;
    if (later === null) return false;
    if (said !== "takeBack" && (!later.asks || later.at > this.time)) return false;
    if (said === "yes") this.now.player = later.value;
    this.later.player = null;
    return true;
  }

  holds(ofMarket: number | undefined): number | null {
    const values = [this.now.player, this.now.house, ofMarket ?? null].filter((value) => value !== null);
    return values.length === 0 ? null : Math.min(...values);
  }
}

/** What the player says about the limit of theirs that waits; false: none does, or not for that. */
async function say(playerId: string, name: LimitName, said: "yes" | "no" | "takeBack"): Promise<boolean> {
  const standing = await standingLimits(db(), playerId);
  const waits = standing.find((one) => !one.holds && one.owner === "player" && limitNameOf(one) === name);
  if (waits === undefined) return false;
  const order = { playerId, id: waits.id, by: `player:${playerId}` };
  return said === "takeBack" ? await takeLimitBack(db(), order) : await answerLimit(db(), order, said === "yes");
}

test("of player, operator and market the strictest limit holds, a stricter one at once and a looser one after the wait and the yes of the market (RTS 12A, AGCO 2.24)", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<LimitName>(...LIMIT_KEYS, "session"),
      // The weeks and months of other markets end by the calendar: they have a test of their own.
      fc.constantFrom<MarketId>("none", "gb", "de", "ca-on", "mt"),
      fc.array(step, { maxLength: 14 }),
      async (name, market, steps) => {
        const playerId = await newPlayer();
        await chooseFor(playerId, market);
        const { looserAfterHours, looserAskAgain, limitsOfAll: ofAll } = rulesOfMarket(market);
        const model = new Model((looserAfterHours * 10) / 24, looserAskAgain);
        for (const one of steps) {
          if (one.is === "pass") {
            await pass(playerId, (one.tenths * RELAX_AFTER_MS) / 10);
            model.pass(one.tenths);
          } else if (one.is === "answer") {
            expect(await say(playerId, name, one.said)).toBe(model.answer(one.said));
          } else {
            await setLimit(db(), { playerId, ...limitPartsOf(name), owner: one.owner, value: one.value, by: "model" });
            model.set(one.owner, one.value);
          }
          const holding = await limitsOf(db(), { playerId });
          if (name === "session") expect(holding.session).toBe(model.holds(undefined));
          else if (name !== "exclusion") expect(holding.counted[name]?.value ?? null).toBe(model.holds(ofAll[name]));
          const waits = (await standingLimits(db(), playerId)).filter(({ holds }) => !holds);
          const expected = [model.later.house, model.later.player].flatMap(
            (later) => later?.value ?? (later && [null]) ?? [],
          );
          expect(waits.map(({ value }) => value)).toEqual(expected);
        }
      },
    ),
    { numRuns: 60 },
  );
});

test("a looser limit of a week or month waits for the end of the calendar week or month of the venue, in summer and in winter (Spelförordningen 11:4)", async () => {
  const playerId = await newPlayer();
  await chooseFor(playerId, "se");
  for (const timeZone of ["UTC", "Europe/Stockholm", "America/New_York"])
    for (const period of ["day", "week", "month"] as const) {
      const { from, asksAgain } = await waitOf(db(), { playerId, kind: "deposit", period, owner: "player", timeZone });
      expect(asksAgain).toBe(false);
      const { rows } = await sql<{ now: Date; ends: Date }>`select clock_timestamp() as now,
        (date_trunc(${period}, clock_timestamp() at time zone ${timeZone}) + ${`1 ${period}`}::interval) at time zone ${timeZone} as ends`.execute(
        db(),
      );
      const [{ now, ends } = { now: new Date(), ends: new Date() }] = rows;
      const threeDays = now.getTime() + 72 * 3_600_000;
      const earliest = period === "day" ? threeDays : Math.max(threeDays, ends.getTime());
      expect(Math.abs(from.getTime() - earliest)).toBeLessThan(60_000);
    }
});

test("a stricter wish takes the place of a looser one that waits, and the same wish is answered once", async () => {
  const playerId = await newPlayer();
  await chooseFor(playerId, "gb");
  const mine = { playerId, kind: "loss", period: "week", owner: "player", by: `player:${playerId}` } as const;
  await setLimit(db(), { ...mine, value: 500 });
  expect(await setLimit(db(), { ...mine, value: 900 })).toMatchObject({ asksAgain: true });
  await setLimit(db(), { ...mine, value: 300 });
  await pass(playerId, 2 * RELAX_AFTER_MS);
  expect(await say(playerId, "loss.week", "yes")).toBe(false);
  expect((await limitsOf(db(), { playerId })).counted["loss.week"]).toEqual({ value: 300, owner: "player" });
  await setLimit(db(), { ...mine, value: null });
  const [waits] = (await standingLimits(db(), playerId)).filter(({ holds }) => !holds);
  const order = { playerId, id: waits?.id ?? 0, by: `player:${playerId}` };
  expect(await answerLimit(db(), order, true)).toBe(false);
  await pass(playerId, 1.5 * RELAX_AFTER_MS);
  const other = await newPlayer();
  expect(await answerLimit(db(), { ...order, playerId: other }, true)).toBe(false);
  expect(await answerLimit(db(), order, true)).toBe(true);
  expect(await answerLimit(db(), order, true)).toBe(true);
  expect(await answerLimit(db(), order, false)).toBe(false);
  expect(await takeLimitBack(db(), order)).toBe(false);
  expect((await limitsOf(db(), { playerId })).counted).toEqual({});
  await expect(sql`delete from player_limit_answer`.execute(db())).rejects.toThrow(/never changed/);
});

test("of changes at the same moment none passes the other: what is looser than any of them waits", async () => {
  const playerId = await newPlayer();
  const mine = { playerId, kind: "wager", owner: "player", by: "many" } as const;
  await setLimit(db(), { ...mine, value: 500 });
  await Promise.all([300, 100, 400, 200].map((value) => setLimit(db(), { ...mine, value })));
  expect((await limitsOf(db(), { playerId })).counted["wager.day"]).toEqual({ value: 100, owner: "player" });
  expect(await holdsFrom(db(), { ...mine, value: 101 })).toBe("later");
});

test("an exclusion is lengthened at once and shortened a day later; one that is over keeps no player out", async () => {
  const playerId = await newPlayer();
  const hour = 3_600_000;
  const now = (await databaseTime(db())).getTime();
  const exclude = (hours: number | null) =>
    setLimit(db(), {
      playerId,
      kind: "exclusion",
      owner: "player",
      value: hours === null ? null : now + hours * hour,
      by: "me",
    });
  const until = async () => (await limitsOf(db(), { playerId })).exclusion;
  await exclude(48);
  expect(await until()).toBe(now + 48 * hour);
  await exclude(72);
  expect(await until()).toBe(now + 72 * hour);
  await exclude(null);
  await exclude(1);
  expect(await until()).toBe(now + 72 * hour);
  expect((await standingLimits(db(), playerId)).map(({ holds }) => holds)).toEqual([true, false, false]);
  const other = await newPlayer();
  await setLimit(db(), { playerId: other, kind: "exclusion", owner: "house", value: now - hour, by: "me" });
  expect((await limitsOf(db(), { playerId: other })).exclusion).toBeNull();
  // What is over is not relaxed by another one.
  await setLimit(db(), { playerId: other, kind: "exclusion", owner: "house", value: null, by: "me" });
  expect((await standingLimits(db(), other)).filter(({ holds }) => !holds)).toEqual([]);
});

test("a limit is never changed or removed, and the audit log has who set it, with what held before", async () => {
  const playerId = await newPlayer();
  await setLimit(db(), { playerId, kind: "loss", owner: "house", value: 500, by: "eva" });
  await setLimit(db(), { playerId, kind: "loss", owner: "house", value: 100, by: "eva" });
  for (const change of [
    sql`update player_limit set value = 9 where player_id = ${playerId}`,
    sql`delete from player_limit where player_id = ${playerId}`,
    sql`truncate player_limit cascade`,
  ])
    await expect(change.execute(db())).rejects.toThrow(/never changed/);
  const { rows } = await sql<object>`select actor, before, after, facts ->> 'owner' as owner from audit.entries
    where type = 'player.limit' and subject = ${`player:${playerId}`} order by id`.execute(db());
  expect(rows).toEqual([
    { actor: "staff:eva", before: { "loss.day": null }, after: { "loss.day": 500 }, owner: "house" },
    { actor: "staff:eva", before: { "loss.day": 500 }, after: { "loss.day": 100 }, owner: "house" },
  ]);
});

test("of many players each has its own limits, and who has none has none", async () => {
  const [one, two, free] = [await newPlayer(), await newPlayer(), await newPlayer()];
  const until = Date.now() + 3_600_000;
  await setLimit(db(), { playerId: one, kind: "session", owner: "house", value: 30, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "session", owner: "house", value: 90, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "session", owner: "player", value: 60, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "exclusion", owner: "player", value: until, by: "eva" });
  const limitsOfOne = await limitsOfAll(
    db(),
    [one, two, free].map((playerId) => ({ playerId })),
  );
  const none = { counted: {}, session: null, exclusion: null, missing: [], removed: [] };
  expect([one, two, free].map(limitsOfOne)).toEqual([
    { ...none, session: 30 },
    { ...none, session: 60, exclusion: until },
    none,
  ]);
});

/** Puts onto a machine and loses as told, so many minutes ago. */
async function played(playerId: string, moves: readonly Move[]): Promise<void> {
  const trx = db();
  const machineId = `m_${playerId}`;
  await sql`insert into agent (id, name) values (${machineId}, ${machineId})`.execute(trx);
  await sql`insert into machine (id, agent_id, facts, meters, meters_at) values (${machineId}, ${machineId}, '{}', '{}', now())`.execute(
    trx,
  );
  await sql`insert into play_session (id, machine_id, player_id) values (${machineId}, ${machineId}, ${playerId})`.execute(
    trx,
  );
  for (const [at, { minutes, cashIn, loss }] of moves.entries()) {
    const then = sql`clock_timestamp() - make_interval(mins => ${minutes})`;
    await sql`insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, amount, state, node_id, created_at, decided_at)
      values (${`${machineId}.${at}`}, ${machineId}, ${machineId}, ${playerId}, 1, 'cashIn', ${cashIn}, ${cashIn}, 'done', 'a', ${then}, ${then})`.execute(
      trx,
    );
    await sql`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, free_spins, bonus, started_at, ended_at, taken_at)
      values (${machineId}, ${at + 1}, ${machineId}, ${Math.max(0, loss)}, ${Math.max(0, -loss)}, 0, 0, 0, 0, false, ${then}, ${then}, ${then})`.execute(
      trx,
    );
  }
}

type Move = { readonly minutes: number; readonly cashIn: number; readonly loss: number };

const DAY_MINUTES = 24 * 60;

/** In how many minutes the moves that still count come to less than the limit, without another one; undefined: never, or they do now. */
function freesIn(moves: readonly { readonly minutes: number; readonly amount: number }[], limit: number) {
  const counted = (after: number) =>
    moves.filter(({ minutes }) => minutes + after < DAY_MINUTES).reduce((sum, { amount }) => sum + amount, 0);
  const times = moves.map(({ minutes }) => DAY_MINUTES - minutes).sort((one, other) => one - other);
  return times.find((after) => after > 0 && counted(after) < limit);
}

test("a limit of which nothing is left says from when on there is something again, by the moves that grow old", async () => {
  const move = fc.record({
    minutes: fc.integer({ min: 1, max: DAY_MINUTES + 60 }),
    cashIn: fc.integer({ min: 1, max: 50 }),
    loss: fc.integer({ min: -20, max: 50 }),
  });
  const asked = { refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(move, { minLength: 1, maxLength: 6, selector: ({ minutes }) => minutes }),
      fc.integer({ min: 0, max: 100 }),
      fc.integer({ min: 0, max: 30 }),
      async (moves, limit, credit) => {
        const playerId = await newPlayer();
        await played(playerId, moves);
        const check = async (kind: "cashIn" | "loss") => {
          await setLimit(db(), { playerId, kind, owner: "house", value: limit, by: "staff" });
          const problem = await cashInProblem(db(), { playerId }, { amount: 1_000, credit });
          const mine = moves.map((one) => ({ minutes: one.minutes, amount: one[kind] }));
          const room = kind === "loss" ? limit - credit : limit;
          const counts = mine
            .filter(({ minutes }) => minutes < DAY_MINUTES)
            .reduce((sum, { amount }) => sum + amount, 0);
          const left = Math.max(0, room - counts);
          expect(problem).toMatchObject({ params: { left } });
          const until = problem?.params?.["until"];
          const minutes = left === 0 ? freesIn(mine, room) : undefined;
          if (minutes === undefined) return expect(until).toBeUndefined();
          asked.refused += 1;
          const at = Date.parse(String(until));
          const now = (await databaseTime(db())).getTime();
          const late = at - (now + minutes * 60_000);
          // The page names no seconds, so it is a full minute: never before the time, and at most a minute after it.
          expect(at % 60_000).toBe(0);
          expect(late).toBeLessThanOrEqual(60_000);
          expect(late).toBeGreaterThan(-30_000);
        };
        await check("cashIn");
        await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
          values (${playerId}, 'cashIn', 'house', null, clock_timestamp(), 'staff')`.execute(db());
        await check("loss");
      },
    ),
    { seed: 60060, numRuns: 40 },
  );
  expect(asked.refused).toBeGreaterThan(10);
});

/** A player's stay at a machine, minutes before now: from, to. */
type Stay = { readonly from: number; readonly to: number };

async function stayed(playerId: string, stays: readonly Stay[]): Promise<void> {
  const machineId = `m_${playerId}`;
  await sql`insert into agent (id, name) values (${machineId}, ${machineId})`.execute(db());
  await sql`insert into machine (id, agent_id, facts, meters, meters_at) values (${machineId}, ${machineId}, '{}', '{}', now())`.execute(
    db(),
  );
  for (const [at, { from, to }] of stays.entries())
    await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
      values (${`${machineId}.${at}`}, ${machineId}, ${playerId}, clock_timestamp() - make_interval(mins => ${from}),
        clock_timestamp() - make_interval(mins => ${to}), 'left')`.execute(db());
}

test("time at machines counts by the minute in each period, and frees when enough of it is older", async () => {
  const stays = fc
    .uniqueArray(fc.integer({ min: 1, max: 3 * DAY_MINUTES }), { minLength: 2, maxLength: 8 })
    .map((minutes) => minutes.sort((one, other) => other - one))
    .map((minutes) =>
      minutes.flatMap((from, at) =>
        at % 2 === 0 && minutes[at + 1] !== undefined ? [{ from, to: minutes[at + 1] ?? 0 }] : [],
      ),
    );
  await fc.assert(
    fc.asyncProperty(stays, fc.integer({ min: 1, max: 2 * DAY_MINUTES }), async (all, limit) => {
      const playerId = await newPlayer();
      await stayed(playerId, all);
      const countedIn = (after: number, hours: number) =>
        all.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(from, hours * 60 - after) - to), 0);
      const counted = (await countedNow(db(), "time", [playerId]))(playerId);
      for (const [period, hours] of [
        ["day", 24],
        ["week", 168],
      ] as const)
        expect(Math.abs(counted[period] - countedIn(0, hours))).toBeLessThan(1);
      if (countedIn(0, 24) <= limit) return;
      const at = await freesAt(db(), "time", { playerId, period: "day", limit });
      let minutes = 0;
      while (countedIn(minutes, 24) > limit) minutes += 1;
      const now = (await databaseTime(db())).getTime();
      const late = (at?.getTime() ?? 0) - (now + minutes * 60_000);
      expect(late).toBeGreaterThan(-60_000);
      expect(late).toBeLessThanOrEqual(60_000);
    }),
    { seed: 60065, numRuns: 40 },
  );
});

test("each kind of limit is refused under its own name, in each period, with what is left and when it frees", async () => {
  const playerId = await newPlayer();
  const limit = (name: LimitName, value: number | null) =>
    sql`insert into player_limit (player_id, kind, period, owner, value, effective_at, set_by)
      values (${playerId}, ${limitPartsOf(name).kind}, ${limitPartsOf(name).period}, 'house', ${value}, clock_timestamp(), 'eva')`.execute(
      db(),
    );
  // Two games and cash-ins, 12 hours, 5 and 20 days ago.
  const hours = [12, 5 * 24, 20 * 24];
  await played(
    playerId,
    hours.map((one) => ({ minutes: one * 60, cashIn: 10, loss: 100 })),
  );
  await sql`update play_session set started_at = clock_timestamp() - make_interval(hours => ${20 * 24})
    where player_id = ${playerId}`.execute(db());
  const sit = () => sitProblem(db(), { playerId });
  const frees = (ago: number, period: "day" | "week" | "month") => (PERIOD_HOURS[period] - ago) * 3_600_000;
  for (const [period, index] of [
    ["day", 0],
    ["week", 1],
    ["month", 2],
  ] as const) {
    const counts = (index + 1) * 100;
    for (const kind of ["loss", "wager"] as const) {
      await limit(`${kind}.${period}`, counts + 1);
      expect(await sit()).toBeNull();
      await limit(`${kind}.${period}`, counts);
      const problem = await sit();
      expect(problem).toMatchObject({ name: `limit.${kind}`, params: { left: 0 } });
      const now = (await databaseTime(db())).getTime();
      const late = Date.parse(String(problem?.params?.["until"])) - now - frees(hours[index] ?? 0, period);
      expect(Math.abs(late)).toBeLessThan(61_000);
      await limit(`${kind}.${period}`, null);
    }
    await limit(`cashIn.${period}`, counts / 10 + 4);
    expect(await cashInProblem(db(), { playerId }, { amount: 4, credit: 0 })).toBeNull();
    expect(await cashInProblem(db(), { playerId }, { amount: 5, credit: 0 })).toMatchObject({
      name: "limit.cash_in",
      params: { left: 4 },
    });
    await limit(`cashIn.${period}`, null);
  }
  await limit("time.month", 60 * 20 * 24 + 5);
  expect(await sit()).toBeNull();
  await limit("time.month", 60 * 20 * 24);
  expect(await sit()).toMatchObject({ name: "limit.time", params: { left: 0 } });
  expect(await cashInProblem(db(), { playerId }, { amount: 1, credit: 0 })).toMatchObject({ name: "limit.time" });
});

test("who has not set the limits that the market demands may neither sit nor cash in (Spellagen 14:7)", async () => {
  const playerId = await newPlayer();
  await chooseFor(playerId, "se");
  const keys = ["deposit.day", "deposit.week", "deposit.month"] as const;
  const refused = (missing: readonly string[]) => ({ name: "limit.required", params: { keys: missing.join(" ") } });
  expect(await sitProblem(db(), { playerId })).toEqual(refused(keys));
  expect(await cashInProblem(db(), { playerId }, { amount: 1, credit: 0 })).toEqual(refused(keys));
  // The operator's limit is none that the player has set.
  await setLimit(db(), { playerId, kind: "deposit", owner: "house", value: 500, by: "eva" });
  expect(await sitProblem(db(), { playerId })).toEqual(refused(keys));
  for (const [at, key] of keys.entries()) {
    await setLimit(db(), { playerId, ...limitPartsOf(key), owner: "player", value: 900, by: `player:${playerId}` });
    expect(await sitProblem(db(), { playerId })).toEqual(at === 2 ? null : refused(keys.slice(at + 1)));
  }
  expect(await depositProblem(db(), playerId, 501)).toEqual({
    name: "limit.deposit",
    params: { left: 500, owner: "operator", period: "day" },
  });
});

test("the market's own limit holds for a player without any (GlüStV § 6c)", async () => {
  const playerId = await newPlayer();
  await chooseFor(playerId, "de");
  const { counted } = await limitsOf(db(), { playerId });
  expect(counted).toEqual({ "deposit.month": { value: 100_000, owner: "market" } });
  expect(await depositProblem(db(), playerId, 100_001)).toEqual({
    name: "limit.deposit",
    params: { left: 100_000, owner: "market", period: "month" },
  });
  expect(await depositProblem(db(), playerId, 100_000)).toBeNull();
});
