import { testDatabase } from "@longarm/database/testing";
import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { cashInProblem } from "../../play/limits.ts";
import type { LimitKind, LimitsTables } from "./index.ts";
import { LIMIT_KINDS, limitsOf, limitsOfAll, RELAX_AFTER_MS, setLimit, standingLimits } from "./index.ts";

/* Limits against a model: whatever is set by whom and when, the stricter one holds, and nothing is relaxed within a day. */

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

const owner = fc.constantFrom("player" as const, "house" as const);
const step = fc.oneof(
  fc.record({ is: fc.constant("set" as const), owner, value: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 4 }) }),
  fc.record({ is: fc.constant("pass" as const), days: fc.constantFrom(0.4, 0.7, 1.5) }),
);

/** What holds by the rules alone: for each owner what holds now, and what will. Null: no limit. */
class Model {
  now = { player: null as number | null, house: null as number | null };
  later = { player: [] as { at: number; value: number | null }[], house: [] as { at: number; value: number | null }[] };
  time = 0;

  set(whose: "player" | "house", value: number | null): void {
    const before = this.now[whose];
    const relaxes = before !== null && (value === null || value > before);
    if (relaxes) this.later[whose].push({ at: this.time + 1, value });
    else {
      this.now[whose] = value;
      this.later[whose] = [];
    }
  }

  pass(days: number): void {
    this.time += days;
    for (const whose of ["player", "house"] as const) {
      const due = this.later[whose].filter(({ at }) => at <= this.time);
      const last = due.at(-1);
      if (last) this.now[whose] = last.value;
      this.later[whose] = this.later[whose].filter(({ at }) => at > this.time);
    }
  }

  get holds(): number | null {
    const values = [this.now.player, this.now.house].filter((value) => value !== null);
    return values.length === 0 ? null : Math.min(...values);
  }
}

test("of player and house the stricter limit holds, a stricter one at once and a relaxed one a day later", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LIMIT_KINDS.filter((kind) => kind !== "exclusion")),
      fc.array(step, { maxLength: 12 }),
      async (kind, steps) => {
        const playerId = await newPlayer();
        const model = new Model();
        for (const one of steps) {
          if (one.is === "pass") {
            await pass(playerId, one.days * RELAX_AFTER_MS);
            model.pass(one.days);
          } else {
            await setLimit(db(), { playerId, kind, owner: one.owner, value: one.value, by: "model" });
            model.set(one.owner, one.value);
          }
          expect((await limitsOf(db(), playerId))[kind as Exclude<LimitKind, "exclusion">]).toBe(model.holds);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test("an exclusion is lengthened at once and shortened a day later; one that is over keeps nobody out", async () => {
  const playerId = await newPlayer();
  const hour = 3_600_000;
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db());
  const now = rows[0]?.now.getTime() ?? 0;
  const exclude = (hours: number | null) =>
    setLimit(db(), {
      playerId,
      kind: "exclusion",
      owner: "player",
      value: hours === null ? null : now + hours * hour,
      by: "me",
    });
  const until = async () => (await limitsOf(db(), playerId)).exclusion;
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
  expect((await limitsOf(db(), other)).exclusion).toBeNull();
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
    sql`truncate player_limit`,
  ])
    await expect(change.execute(db())).rejects.toThrow(/never changed/);
  const { rows } = await sql<object>`select actor, before, after, facts ->> 'owner' as owner from audit.entries
    where type = 'player.limit' and subject = ${`player:${playerId}`} order by id`.execute(db());
  expect(rows).toEqual([
    { actor: "staff:eva", before: { loss: null }, after: { loss: 500 }, owner: "house" },
    { actor: "staff:eva", before: { loss: 500 }, after: { loss: 100 }, owner: "house" },
  ]);
});

test("of many players each has its own limits, and who has none has none", async () => {
  const [one, two, free] = [await newPlayer(), await newPlayer(), await newPlayer()];
  const until = Date.now() + 3_600_000;
  await setLimit(db(), { playerId: one, kind: "session", owner: "house", value: 30, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "session", owner: "house", value: 90, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "session", owner: "player", value: 60, by: "eva" });
  await setLimit(db(), { playerId: two, kind: "exclusion", owner: "player", value: until, by: "eva" });
  const limitsOfOne = await limitsOfAll(db(), [one, two, free]);
  const none = { cashIn: null, loss: null, session: null, exclusion: null };
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
          const problem = await cashInProblem(db(), playerId, { amount: 1_000, credit });
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
          const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db());
          const late = at - ((rows[0]?.now.getTime() ?? 0) + minutes * 60_000);
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
