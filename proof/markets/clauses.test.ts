import { openJournal } from "@longarm/agent/journal/journal";
import { createMachineQueue } from "@longarm/agent/machine/machine-queue";
import type { EgmPress } from "@longarm/agent/ports/egm";
import { createGrants } from "@longarm/agent/seat/grants";
import type { WirePress } from "@longarm/agent/seat/press-guard";
import { createPressGuard } from "@longarm/agent/seat/press-guard";
import { fakeClock } from "@longarm/agent/testing/fake-clock";
import { fakeMachine } from "@longarm/agent/testing/fake-machine";
import { memoryFiles } from "@longarm/agent/testing/memory-files";
import { CARE_MEASURES } from "@longarm/contract/player-care";
import { IDENTITY_GATES } from "@longarm/contract/player-identity";
import type { PlayRules } from "@longarm/contract/player-protection";

import { TERMS_GATES } from "@longarm/contract/player-terms";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import { playerAccount } from "@longarm/ledger/rules/address";
import { platformMigrations } from "@longarm/platform/migration-sets";
import { addPayment } from "@longarm/platform/modules/payments/book/index";
import { cancelOwn } from "@longarm/platform/modules/payments/player/requests";
import { enrolAgent } from "@longarm/platform/modules/play/agents/index";
import { depositProblem, sitProblem } from "@longarm/platform/modules/play/limits";
import type { ProtectedSeat } from "@longarm/platform/modules/play/session/seat-rules";
import { gameRulesOf, playRulesOf, protectedSeats } from "@longarm/platform/modules/play/session/seat-rules";
import { beginBreak, forceBreaks, lengthsBy, reopen } from "@longarm/platform/modules/protection/breaks/breaks";
import { breakOf } from "@longarm/platform/modules/protection/breaks/index";
import { signsIn } from "@longarm/platform/modules/protection/care/measures";
import { checkEvery, mayChoose } from "@longarm/platform/modules/protection/checks/checks";
import { moneyProblem, playProblem } from "@longarm/platform/modules/protection/gates/index";
import {
  decideIdentity,
  identityOf,
  identityProblem,
  keepRecord,
} from "@longarm/platform/modules/protection/identity/index";
import type { LimitsTables } from "@longarm/platform/modules/protection/limits/index";
import {
  answerLimit,
  answerOffer,
  limitPartsOf,
  limitsOf,
  offerProblem,
  setLimit,
  standingLimits,
} from "@longarm/platform/modules/protection/limits/index";
import type { MarketId, RuleName, Rules } from "@longarm/platform/modules/protection/markets/index";
import { chooseMarket, rulesOfMarket } from "@longarm/platform/modules/protection/markets/index";
import { registerProblem } from "@longarm/platform/modules/protection/registers/keeper";
import { acceptTerms, addTerms, termsProblem } from "@longarm/platform/modules/protection/terms/terms";
import { dueDaysOf } from "@longarm/platform/modules/records/disputes/index";
import { dueRecords } from "@longarm/platform/modules/staff/desk/index";
import { systemRandom } from "@longarm/platform/random";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CLAUSES } from "../../tooling/rules/docs/markets.ts";

/*
 * Each clause of each market, driven with the market's own value up to its boundary and over it. The agent gets a clock of the test; what the database's
 * clock judges is moved in the rows. Long stories of each rule are in the tests of its module (docs/markets.md names them).
 */

let database: Awaited<ReturnType<typeof testDatabase<LimitsTables>>>;
let agentId: string;
beforeAll(async () => {
  database = await testDatabase<LimitsTables>({ migrations: platformMigrations });
  agentId = (await enrolAgent(db().withTables(), systemRandom, "floor")).agentId;
});
afterAll(() => database.drop());

const db = () => database.kysely;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
let count = 0;

/** A player of this market who was not here before. */
async function playerOf(market: MarketId): Promise<string> {
  count += 1;
  const id = `p_clause${count}`;
  await sql`insert into player (id, username, username_key, password) values (${id}, ${id}, ${id}, 'none')`.execute(
    db(),
  );
  await chooseMarket(db(), { scope: "player", subject: id, market, by: "eva", reason: "lives there" });
  return id;
}

/** The time passes for a row: each of these columns is so much earlier. */
async function earlier(table: string, columns: readonly string[], playerId: string, ms: number): Promise<void> {
  await db()
    .transaction()
    .execute(async (trx) => {
      await sql`alter table ${sql.table(table)} disable trigger user`.execute(trx);
      for (const column of columns)
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - interval '1 millisecond' * ${ms}
          where player_id = ${playerId}`.execute(trx);
      await sql`alter table ${sql.table(table)} enable trigger user`.execute(trx);
    });
}
const breakPasses = (playerId: string, ms: number) => earlier("player_break", ["from_at", "until"], playerId, ms);
const limitsPass = (playerId: string, ms: number) => earlier("player_limit", ["set_at", "effective_at"], playerId, ms);

/** A player of this market who has sat at a machine for so long. */
async function seatOf(market: MarketId, minutes: number): Promise<ProtectedSeat> {
  const playerId = await playerOf(market);
  const id = `clause-${count}`;
  await sql`insert into machine (id, agent_id, facts, meters, meters_at) values (${id}, ${agentId}, '{}', '{}', now())`.execute(
    db(),
  );
  await sql`insert into play_session (id, machine_id, player_id, started_at)
    values (${id}, ${id}, ${playerId}, clock_timestamp() - interval '1 minute' * ${minutes})`.execute(db());
  await sql`insert into seat (machine_id, state, player_id, play_session_id) values (${id}, 'playing', ${playerId}, ${id})`.execute(
    db(),
  );
  return await seatNow(id);
}
async function seatNow(machineId: string): Promise<ProtectedSeat> {
  const [seat] = await protectedSeats(db().withTables(), [machineId]);
  if (seat === undefined) throw new Error("there is no seat");
  return seat;
}

/** What the page and the agent of a player get who has neither limits nor checks. */
const granted = (market: MarketId) =>
  ({
    rules: rulesOfMarket(market),
    maxStake: null,
    left: { timeMs: null, wager: null, loss: null, stakesLeft: null },
    turn: { limitMin: null, leftMs: null },
    countedTo: 0,
    check: { everyMin: null, dueInMs: null, open: null, played: undefined },
  }) as const;

/** An agent with these rules in its grant, on a clock of the test, and what its driver was ordered. */
async function agentWith(rules: PlayRules) {
  const clock = fakeClock();
  const machine = fakeMachine();
  const real = machine.connect();
  const orders: EgmPress[] = [];
  const egm = {
    ...real,
    press: (order: EgmPress) => {
      orders.push(order);
      return real.press(order);
    },
  };
  const journal = await openJournal({ files: memoryFiles(), folder: "/j" });
  const grants = createGrants({ machineId: "nar-01", journal, clock });
  await grants.grant({ epoch: 2, playSessionId: "ps_1", leaseMs: 600_000, rules });
  const picture = { at: undefined as number | undefined };
  const record = { isOn: true };
  const guard = createPressGuard({
    memory: { waiting: [], lastSeq: 0 },
    ...{ egm, grants, queue: createMachineQueue(), clock, wagerObstacle: () => undefined },
    picturedAt: () => picture.at ?? clock.now(),
    isRecorded: () => record.isOn,
    metrics: { pressed: () => {} },
  });
  let seq = 0;
  const press = async (more: Partial<WirePress> = {}) => {
    seq += 1;
    const answer = await guard.press({ epoch: 2, seq, button: "spin", at: clock.now(), stake: 100, ...more });
    return answer?.outcome === "refused" ? answer.reason : answer?.outcome;
  };
  // The opening of the driver counts as a start.
  clock.advance(60_000);
  return { clock, press, orders, picture, record, machine };
}
const agentOf = (market: MarketId) => agentWith(playRulesOf(granted(market)));

/** A break of this kind and length, as it was begun. */
async function broken(market: MarketId, wanted: Parameters<typeof beginBreak>[2]["wanted"]) {
  const playerId = await playerOf(market);
  const begun = await beginBreak(db(), rulesOfMarket(market), { playerId, wanted, by: `player:${playerId}` });
  return { playerId, begun, lasts: begun === undefined ? 0 : begun.until.getTime() - begun.from.getTime() };
}

type Proofs = { readonly [K in RuleName]: (market: MarketId, value: Rules[K]) => Promise<void> };

const PROOFS: Proofs = {
  async minCycleMs(market, value) {
    const { clock, press } = await agentOf(market);
    expect(await press()).toBe("started");
    clock.advance(value - 1);
    expect(await press()).toBe("too soon");
    clock.advance(1);
    expect(await press()).toBe("started");
  },
  async releaseToPress(market, value) {
    expect(gameRulesOf(granted(market)).releaseToPress).toBe(value);
  },
  async autoplay(market, value) {
    const { press } = await agentOf(market);
    expect(await press({ auto: true })).toBe(value ? "started" : "no autoplay");
  },
  async stopReels(market, value) {
    const { press, orders } = await agentOf(market);
    await press({ button: "betUp" });
    expect(orders).toEqual([{ button: "betUp", ...(!value && { keepsReels: true }) }]);
  },
  async stakeCaps(market, { under25, from25 }) {
    const seat = await seatOf(market, 1);
    expect(seat.maxStake, "of unknown age").toBe(under25);
    for (const [years, days, cap] of [
      [25, 1, under25],
      [25, 0, from25],
    ] as const) {
      const { rows } = await sql<{ born: string }>`
        select (venue_day(clock_timestamp()) - make_interval(years => ${years}) + make_interval(days => ${days}))::date::text as born`.execute(
        db(),
      );
      await keepRecord(db(), seat.playerId, { birthDate: rows[0]?.born ?? "" });
      const { maxStake } = await seatNow(seat.machineId);
      expect(maxStake).toBe(cap);
      const { press, machine } = await agentWith(playRulesOf({ ...granted(market), maxStake }));
      machine.bet = (cap ?? 0) + 1;
      expect(await press({ stake: machine.bet })).toBe("stakeAboveLimit");
      machine.bet = cap ?? 0;
      expect(await press({ stake: cap ?? 0 })).toBe("started");
    }
  },
  async winBelowStakePlain(market, value) {
    expect(gameRulesOf(granted(market)).winBelowStakePlain).toBe(value);
  },
  async pictureMsMax(market, value) {
    const { clock, press, picture } = await agentOf(market);
    picture.at = clock.now() - (value ?? 0) - 1;
    expect(await press()).toBe("picture too old");
    picture.at = clock.now() - (value ?? 0);
    expect(await press()).toBe("started");
  },
  async recorded(market, value) {
    const { press, record } = await agentOf(market);
    record.isOn = false;
    expect(await press()).toBe(value ? "play not recorded" : "started");
  },
  async realityCheckMin(market, value) {
    const before = await seatOf(market, (value ?? 0) - 1);
    expect(before.check.dueInMs).toBeGreaterThan(0);
    expect(before.check.dueInMs).toBeLessThanOrEqual(MINUTE_MS);
    const due = await seatOf(market, value ?? 0);
    expect(due.check.dueInMs).toBe(0);
    const { press } = await agentWith(playRulesOf({ ...granted(market), check: due.check }));
    expect(await press()).toBe("reality check");
  },
  async realityCheckMayBeOff(market, value) {
    const rules = rulesOfMarket(market);
    expect(mayChoose(rules, null)).toBe(value);
    expect(checkEvery(rules, null), "one that was chosen before").toBe(value ? null : rules.realityCheckMin);
  },
  async limitsOffered(market, value) {
    const playerId = await playerOf(market);
    const problems = async () => [
      (await offerProblem(db(), playerId, "sit", { limitsOffered: value }))?.name,
      (await offerProblem(db(), playerId, "money", { limitsOffered: value }))?.name,
    ];
    const unanswered = "limits.unanswered";
    expect(await problems()).toEqual([
      value === "registration" ? unanswered : undefined,
      value === "onPage" ? undefined : unanswered,
    ]);
    await answerOffer(db(), playerId, "notNow");
    expect(await problems()).toEqual([undefined, undefined]);
  },
  async limitsRequired(market, value) {
    const playerId = await playerOf(market);
    for (const [at, key] of value.entries()) {
      expect(await sitProblem(db(), { playerId })).toEqual({
        name: "limit.required",
        params: { keys: value.slice(at).join(" ") },
      });
      await setLimit(db(), { playerId, ...limitPartsOf(key), owner: "player", value: 1_000, by: "deniz" });
    }
    expect(await sitProblem(db(), { playerId })).toBeNull();
  },
  async limitsOfAll(market, value) {
    const playerId = await playerOf(market);
    const most = value["deposit.month"] ?? 0;
    expect(Object.keys(value), "another key needs its own proof").toEqual(["deposit.month"]);
    expect(await depositProblem(db(), playerId, most)).toBeNull();
    expect(await depositProblem(db(), playerId, most + 1)).toMatchObject({ name: "limit.deposit" });
  },
  async looserAfterHours(market, value) {
    const playerId = await playerOf(market);
    const loss = async () => (await limitsOf(db(), { playerId })).counted["loss.day"]?.value;
    const order = { playerId, kind: "loss", owner: "player", by: "deniz" } as const;
    await setLimit(db(), { ...order, value: 100 });
    await setLimit(db(), { ...order, value: 200 });
    await limitsPass(playerId, value * HOUR_MS - MINUTE_MS);
    const waiting = (await standingLimits(db(), playerId)).find(({ holds }) => !holds);
    if (waiting?.asksAgain === true)
      expect(await answerLimit(db(), { playerId, id: waiting.id, by: "deniz" }, true)).toBe(false);
    expect(await loss()).toBe(100);
    await limitsPass(playerId, MINUTE_MS);
    if (waiting?.asksAgain === true)
      expect(await answerLimit(db(), { playerId, id: waiting.id, by: "deniz" }, true)).toBe(true);
    expect(await loss()).toBe(200);
    await setLimit(db(), { ...order, value: 50 });
    expect(await loss(), "stricter at once").toBe(50);
  },
  async looserAskAgain(market, value) {
    const playerId = await playerOf(market);
    const order = { playerId, kind: "loss", owner: "player", by: "deniz" } as const;
    await setLimit(db(), { ...order, value: 100 });
    await setLimit(db(), { ...order, value: 200 });
    await limitsPass(playerId, rulesOfMarket(market).looserAfterHours * HOUR_MS);
    expect((await limitsOf(db(), { playerId })).counted["loss.day"]?.value).toBe(value ? 100 : 200);
  },
  async looserAfterPeriod(market, value) {
    expect(value).toBe(true);
    const playerId = await playerOf(market);
    for (const period of ["week", "month"] as const) {
      const order = {
        playerId,
        kind: "deposit",
        period,
        owner: "player",
        by: "deniz",
        timeZone: "Europe/Stockholm",
      } as const;
      await setLimit(db(), { ...order, value: 100 });
      const { from } = await setLimit(db(), { ...order, value: 200 });
      const { rows } = await sql<{ ends: Date }>`
        select greatest(clock_timestamp() + make_interval(hours => ${rulesOfMarket(market).looserAfterHours}), (date_trunc(${period}, clock_timestamp()
          at time zone 'Europe/Stockholm') + ${`1 ${period}`}::interval) at time zone 'Europe/Stockholm') as ends`.execute(
        db(),
      );
      expect(Math.abs(from.getTime() - (rows[0]?.ends.getTime() ?? 0))).toBeLessThan(MINUTE_MS);
    }
  },
  async timeOutHours(market, { least, most }) {
    const { timeOutHours } = lengthsBy(rulesOfMarket(market));
    expect([timeOutHours.at(0), timeOutHours.at(-1)], "both ends are offered").toEqual([least, most]);
    for (const hours of [least - 1, most + 1])
      expect((await broken(market, { kind: "timeOut", hours })).begun).toBeUndefined();
    for (const hours of [least, most]) {
      const { playerId, lasts } = await broken(market, { kind: "timeOut", hours });
      expect(Math.abs(lasts - hours * HOUR_MS), "but for a change of clocks").toBeLessThanOrEqual(HOUR_MS);
      await breakPasses(playerId, lasts - MINUTE_MS);
      expect(await breakOf(db(), playerId)).toMatchObject({ kind: "timeOut" });
      await breakPasses(playerId, MINUTE_MS);
      expect(await breakOf(db(), playerId), "it ends by itself").toBeUndefined();
    }
  },
  async withdrawalTakeBack(market, value) {
    const playerId = await playerOf(market);
    const ledger = openLedger(db());
    const [id, wallet] = [`clause-${playerId}`, playerAccount(playerId)];
    await ledger.transfer({ id, kind: "deposit", from: "cage", to: wallet, amountMinor: 100 });
    const isTaken = await db()
      .transaction()
      .execute(async (trx) => {
        const wish = { playerId, requestId: id, kind: "withdrawal", way: "desk", amount: 100, forMs: null } as const;
        const added = await addPayment(trx, { random: systemRandom, ledger }, wish);
        return await cancelOwn({ ledger }, trx, playerId, added ?? "");
      });
    expect(isTaken, "taken back by its player").toBe(value);
    expect((await ledger.account(wallet)).availableMinor, "in the wallet again").toBe(value ? 100 : 0);
  },
  async exclusionMonthsMin(market, value) {
    expect(lengthsBy(rulesOfMarket(market)).exclusionMonths.at(0), "the shortest is offered").toBe(value);
    expect((await broken(market, { kind: "exclusion", months: value - 1 })).begun).toBeUndefined();
    const { playerId, begun, lasts } = await broken(market, { kind: "exclusion", months: value });
    const end = new Date(begun?.from ?? 0);
    end.setMonth(end.getMonth() + value);
    expect(Math.abs(end.getTime() - (begun?.until.getTime() ?? 0)), "but for the last day of a month").toBeLessThan(
      4 * 24 * HOUR_MS,
    );
    await breakPasses(playerId, lasts - MINUTE_MS);
    expect(await reopen(db(), playerId), "before its end").toBeUndefined();
    await breakPasses(playerId, 2 * MINUTE_MS);
    expect(await breakOf(db(), playerId), "nothing opens by itself").toMatchObject({ isOver: true, opensAt: null });
    expect((await reopen(db(), playerId))?.opensAt).not.toBeNull();
  },
  async panicHours(market, value) {
    const { playerId, lasts } = await broken(market, { kind: "panic" });
    expect(Math.round(lasts / HOUR_MS)).toBe(value);
    await breakPasses(playerId, lasts - MINUTE_MS);
    expect(await breakOf(db(), playerId)).toMatchObject({ kind: "panic" });
    await breakPasses(playerId, MINUTE_MS);
    expect(await breakOf(db(), playerId)).toBeUndefined();
  },
  async forcedBreak(market, value) {
    if (value === null) throw new Error("this market has none");
    const { playerId: early } = await seatOf(market, value.afterMin - 1);
    const { playerId } = await seatOf(market, value.afterMin);
    const forced = await forceBreaks(
      db(),
      [early, playerId].map((one) => ({ playerId: one, ...value })),
    );
    expect(forced).toEqual([playerId]);
    const now = await breakOf(db(), playerId);
    expect(now).toMatchObject({ kind: "forced" });
    expect((now?.until.getTime() ?? 0) - (now?.from.getTime() ?? 0)).toBeLessThanOrEqual(
      value.forMin * MINUTE_MS + 1_000,
    );
    await breakPasses(playerId, value.forMin * MINUTE_MS);
    expect(await breakOf(db(), playerId)).toBeUndefined();
  },
  async identityBefore(market, value) {
    const playerId = await playerOf(market);
    await answerOffer(db(), playerId, "notNow");
    const closed = async (gate: (typeof IDENTITY_GATES)[number]) =>
      identityProblem(await identityOf(db(), playerId), gate, rulesOfMarket(market))?.name;
    for (const gate of IDENTITY_GATES)
      expect(await closed(gate)).toBe(value.includes(gate) ? "identity.required" : undefined);
    const withdrawal = await moneyProblem(db(), playerId, "withdrawal");
    expect(withdrawal?.name).toBe(value.includes("withdrawal") ? "identity.required" : undefined);
    await decideIdentity(db(), { playerId, state: "verified", validUntil: null, by: "eva", reason: "seen" });
    for (const gate of IDENTITY_GATES) expect(await closed(gate)).toBeUndefined();
    expect(await moneyProblem(db(), playerId, "withdrawal")).toBeNull();
  },
  async ageMin(market, value) {
    const playerId = await playerOf(market);
    const born = async (days: number) => {
      const { rows } = await sql<{ on: string }>`
        select (venue_day(clock_timestamp()) - make_interval(years => ${value}) + make_interval(days => ${days}))::date::text as on`.execute(
        db(),
      );
      await keepRecord(db(), playerId, { birthDate: rows[0]?.on ?? "" });
      const identity = { ...(await identityOf(db(), playerId)), state: "verified" as const };
      return identityProblem(identity, "play", rulesOfMarket(market));
    };
    expect(await born(1), "a day too young").toEqual({ name: "player.too_young", params: { age: value } });
    expect(await born(0)).toBeNull();
  },
  async identityKeepYears(market, value) {
    const playerId = await playerOf(market);
    await keepRecord(db(), playerId, { birthDate: "1980-01-01" });
    const isDue = async () => (await dueRecords(db() as never, 100)).some((one) => one.playerId === playerId);
    const touched = (days: number) =>
      sql`update identity_record set changed_at = clock_timestamp() - make_interval(years => ${value}, days => ${days}) where player_id = ${playerId}`.execute(
        db(),
      );
    await touched(-2);
    expect(await isDue()).toBe(false);
    await touched(2);
    expect(await isDue()).toBe(true);
  },
  async termsBefore(market, value) {
    const playerId = await playerOf(market);
    const words = { title: "Terms", text: "Play fair.", changes: "" };
    const { rows } = await sql<{
      newest: number;
    }>`select coalesce(max(number), 0) as newest from terms_version`.execute(db());
    const texts = { en: words, tr: words, ar: words } as never;
    const added = await addTerms(db(), {
      expected: rows[0]?.newest ?? 0,
      validFrom: null,
      texts,
      by: "eva",
      reason: "new",
    });
    const problem = async (gate: (typeof TERMS_GATES)[number]) =>
      (await termsProblem(db(), playerId, gate, { termsBefore: value }))?.name;
    for (const gate of TERMS_GATES)
      expect(await problem(gate)).toBe(value.includes(gate) ? "terms.pending" : undefined);
    await acceptTerms(db(), playerId, added?.number ?? 0);
    for (const gate of TERMS_GATES) expect(await problem(gate)).toBeUndefined();
  },
  async registers(market, value) {
    const playerId = await playerOf(market);
    const problem = async () => (await registerProblem(db(), playerId, { registers: value }))?.name;
    const said = async (answer: string) => {
      for (const register of value)
        await sql`insert into register_answer (player_id, register, answer, request_id, cause)
          values (${playerId}, ${register}, ${answer}, 'rq', ${answer === "error" ? "away" : null})`.execute(db());
    };
    expect(await problem(), "an answer opens, nothing else").toBe("register.unanswered");
    await said("clear");
    expect(await problem()).toBeUndefined();
    await earlier("register_answer", ["answered_at"], playerId, 12 * HOUR_MS);
    expect(await problem(), "it has grown old").toBe("register.unanswered");
    await said("excluded");
    await said("error");
    expect(await problem(), "an error lifts nothing").toBe("register.excluded");
  },
  async questionDays(market, value) {
    const game = { playerId: await playerOf(market), game: "1.clause-none" };
    const days = value ?? 60;
    expect(await dueDaysOf(db(), 60, game)).toBe(days);
    expect(await dueDaysOf(db(), days - 1, game), "the venue may promise less").toBe(days - 1);
  },
  async helpBeforePlay(market, value) {
    const playerId = await playerOf(market);
    const wanted = { playerId, machineId: "clause-none", gate: "sit", helpListed: false } as const;
    expect((await playProblem(db(), wanted))?.name === "help.missing").toBe(value);
    expect((await playProblem(db(), { ...wanted, helpListed: true }))?.name).not.toBe("help.missing");
  },
  async careMeasures(market, value) {
    const { careAt } = rulesOfMarket(market);
    const strong = Object.fromEntries(CARE_MEASURES.map((measure) => [measure, careAt[measure].strong])) as never;
    expect(signsIn(strong, rulesOfMarket(market)).map(({ measure }) => measure)).toEqual([...value]);
  },
  async careAt(market, value) {
    for (const measure of CARE_MEASURES)
      for (const [level, found] of [
        [value[measure].watch - 1, undefined],
        [value[measure].watch, "watch"],
        [value[measure].strong, "strong"],
      ] as const) {
        const nothing = Object.fromEntries(CARE_MEASURES.map((one) => [one, one === measure ? level : null])) as never;
        expect(signsIn(nothing, rulesOfMarket(market))[0]?.level).toBe(found);
      }
  },
};

test.each(CLAUSES)("$title", async ({ market, rule }) => {
  const prove = PROOFS[rule] as (market: MarketId, value: unknown) => Promise<void>;
  await prove(market, rulesOfMarket(market)[rule]);
});
