import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyDb } from "../../../deps.ts";
import { systemRandom } from "../../../random.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import type { TestVenue } from "../../../testing/test-venue.ts";
import { testVenue } from "../../../testing/test-venue.ts";
import type { PromotionsTables } from "../../players/promotions/index.ts";
import { reachOf } from "../../players/promotions/index.ts";
import { keepSigns } from "../cases/index.ts";
import { createCareKeeper, figuresOfAll } from "./keeper.ts";
import { noteRefusal } from "./notes.ts";
import { factsOf, frameOf } from "./read-facts.ts";

/* The measures over the rows of a venue, and who is looked at when. */

/** A platform that does not run: its own keeper takes no turn away from those of the tests. */
let venue: TestVenue;
beforeAll(async () => {
  venue = await testVenue();
  await sql`insert into agent (id, name) values ('ag_care', 'care')`.execute(db());
  await sql`insert into machine (id, agent_id, facts, meters, meters_at) values ('care-01', 'ag_care', '{}', '{}', now())`.execute(
    db(),
  );
});
afterAll(async () => {
  expect(await venue.ledger.verify()).toEqual([]);
  await venue.close();
});
const db = (): AnyDb => venue.db.kysely;
const player = (name: string) => venue.addPlayer(name);

const quiet = { info() {}, warn() {} };
/** A node's keeper, whose looks the test begins. */
const keeper = (timeZone = "UTC"): RepeatedLook =>
  createCareKeeper({ db: db(), clock: { every: () => () => {} }, random: systemRandom, log: quiet, timeZone });

let made = 0;
/** A play session that ended, so many hours ago. */
async function played(playerId: string, hoursAgo: number, minutes: number, net = 0): Promise<string> {
  made += 1;
  const id = `ps_care_${made}`;
  await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason, net)
    values (${id}, 'care-01', ${playerId}, clock_timestamp() - make_interval(mins => ${hoursAgo * 60 + minutes}::int),
      clock_timestamp() - make_interval(mins => ${hoursAgo * 60}::int), 'left', ${net})`.execute(db());
  return id;
}

async function casesOf(playerId: string) {
  const { rows } = await sql<{ id: string; level: string; open: boolean; signs: string[] }>`
    select c.id, c.level, c.closed_at is null as open, array(select s.measure || ' ' || s.level from care_sign s where s.case_id = c.id order by s.id) as signs
    from care_case c where c.player_id = ${playerId} order by c.opened_at`.execute(db());
  return rows;
}

/** Everybody's turn comes again at once. */
const forgetLooks = () => sql`delete from care_look`.execute(db());
/** Of one player as if the last look were so many minutes ago. */
const lookedAgo = (playerId: string, minutes: number) =>
  sql`update care_look set looked_at = clock_timestamp() - make_interval(mins => ${minutes}::int) where player_id = ${playerId}`.execute(
    db(),
  );
const lookedAt = async (playerId: string) =>
  (await sql<{ at: Date }>`select looked_at as at from care_look where player_id = ${playerId}`.execute(db())).rows[0]
    ?.at;

describe("facts of the rooms", () => {
  test("become figures: stays, cash at the cage, refusals, limits, what was declared", async () => {
    const id = await player("cf.figures");
    await venue.ledger.transfer({
      id: "deposit-cf",
      kind: "deposit",
      from: "cage",
      to: `player:${id}`,
      amountMinor: 10_000,
      about: { actor: "staff:test" },
    });
    const lost = await played(id, 2, 120, -3_000);
    await sql`insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id, state, amount, created_at, decided_at)
      select ${`tr_${lost}_`} || n, 'care-01', ${lost}, ${id}, 1, 'cashIn', 100, 'x', 'done', 100,
        clock_timestamp() - make_interval(mins => 240 - 30 * n), now() from generate_series(1, 3) n`.execute(db());
    await sql`insert into game (machine_id, game_number, play_session_id, stake, win, credit_before, credit_after, hand_paid, started_at, ended_at)
      select 'care-01', 900000 + n, ${lost}, 100, 40, 1000, 940, 0, now(), now() from generate_series(1, 60) n`.execute(
      db(),
    );
    await sql`insert into care_means (player_id, amount, reason) values (${id}, 4000, 'said so')`.execute(db());
    await sql`insert into player_limit (player_id, kind, owner, value, effective_at, set_by)
      values (${id}, 'loss', 'player', 5000, clock_timestamp() + interval '1 day', ${`player:${id}`})`.execute(db());
    for (let times = 0; times < 25; times += 1) await noteRefusal(db(), id, "cashIn");
    const own = (await factsOf(db(), [id])).get(id);
    expect(own).toMatchObject({
      games: 60,
      staked: 6_000,
      gamesBefore: 0,
      lost: 3_600,
      declared: 4_000,
      limitRaises: 1,
    });
    expect(own?.stays).toHaveLength(1);
    expect(own?.deposits).toHaveLength(1);
    const figures = (await figuresOfAll(db(), [id], "UTC")).get(id);
    expect(figures).toMatchObject({ chasing: 2, netLoss: 90, limitRaises: 1, stakes: null, takenBack: 0 });
    // A page that tries again and again fills no table.
    expect(figures?.failedDeposits).toBe(20);
  });

  test.each(["Europe/Istanbul", "America/Toronto", "UTC"])("days and nights are those of %s", async (timeZone) => {
    const { days, nights, now } = await frameOf(db(), timeZone);
    const hour = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    expect(days).toHaveLength(7);
    expect(days.map(({ from }) => hour.format(from))).toEqual(days.map(() => "00:00"));
    expect(nights.map(({ to }) => hour.format(to))).toEqual(nights.map(() => "06:00"));
    expect((days[6]?.from ?? now) <= now && now < (days[6]?.to ?? now)).toBe(true);
  });
});

describe("looking", () => {
  test("opens one case at the end of a play session, extends it once by each new sign, and keeps the figures as they were", async () => {
    const id = await player("cl.extends");
    for (let hour = 0; hour < 10; hour += 1) await played(id, 0, 1);
    await keeper().look();
    const [first] = await casesOf(id);
    expect(first).toMatchObject({ level: "watch", open: true, signs: ["sessions watch"] });
    for (let hour = 0; hour < 10; hour += 1) await played(id, 0, 1);
    // Not again within a minute, whatever the player does.
    await keeper().look();
    expect((await casesOf(id))[0]?.signs).toEqual(["sessions watch"]);
    await lookedAgo(id, 2);
    await played(id, 0, 1);
    await keeper().look();
    expect(await casesOf(id)).toEqual([{ ...first, level: "strong", signs: ["sessions watch", "sessions strong"] }]);
    const { rows } = await sql<{ value: number; threshold: number }>`
      select value, threshold from care_sign where case_id = ${first?.id ?? ""} order by id`.execute(db());
    expect(rows).toEqual([
      { value: 10, threshold: 10 },
      { value: 21, threshold: 20 },
    ]);
  });

  test("is done by one node at a time, and what a node that died had not finished is done by another", async () => {
    const id = await player("cl.nodes");
    for (let times = 0; times < 10; times += 1) await played(id, 0, 1);
    let release = () => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    let begun = () => {};
    const holds = new Promise<void>((done) => {
      begun = done;
    });
    const dying = db()
      .transaction()
      .execute(async (trx) => {
        await sql`select pg_advisory_xact_lock(hashtextextended('longarm care', 0))`.execute(trx);
        await keepSigns(trx, systemRandom, id, [{ measure: "sessions", level: "watch", value: 10, limit: 10 }]);
        begun();
        await held;
        throw new Error("killed");
      })
      .catch(() => "killed");
    await holds;
    expect(await keeper().look()).toBe(0);
    release();
    expect(await dying).toBe("killed");
    expect(await casesOf(id)).toEqual([]);
    await Promise.all([keeper().look(), keeper().look(), keeper().look()]);
    expect(await casesOf(id)).toMatchObject([{ open: true, signs: ["sessions watch"] }]);
  });

  test("a flood of play sessions keeps no player waiting: who was looked at longest ago is first", async () => {
    const flood = { id: await player("cl.flood") };
    const quietOne = { id: await player("cl.quiet") };
    for (let from = 1; from < 3_000; from += 200)
      await sql`insert into play_session (id, machine_id, player_id, started_at, ended_at, end_reason)
        select 'ps_flood_' || n, 'care-01', ${flood.id}, clock_timestamp() - interval '2 minutes', clock_timestamp(), 'left'
        from generate_series(${from}::int, ${from + 199}::int) n`.execute(db());
    await keeper().look();
    expect((await factsOf(db(), [flood.id])).get(flood.id)?.stays).toHaveLength(1_000);
    expect(await casesOf(flood.id)).toMatchObject([{ level: "strong" }]);
    const before = await lookedAt(flood.id);
    await played(quietOne.id, 0, 5);
    await played(flood.id, 0, 1);
    expect(await keeper().look()).toBe(1);
    expect(await lookedAt(flood.id)).toEqual(before);
    expect(await lookedAt(quietOne.id)).toBeDefined();
  });

  test("more players than one transaction takes are all looked at", async () => {
    const ids = await Promise.all(Array.from({ length: 25 }, (_, n) => venue.addPlayer(`cl.many${n}`)));
    for (const id of ids) await played(id, 1, 5);
    expect(await keeper().look()).toBe(25);
    expect(await keeper().look()).toBe(0);
  });

  test("demo players, and play sessions of a player who is not there any more, keep no other from being looked at", async () => {
    const demo = await venue.addPlayer("cl.demo", { demo: true });
    const id = await player("cl.beside");
    for (const one of [demo, "p_gone", id]) for (let times = 0; times < 20; times += 1) await played(one, 0, 1);
    expect(await keeper().look()).toBe(1);
    expect(await casesOf(demo)).toEqual([]);
    expect(await casesOf(id)).toMatchObject([{ level: "strong" }]);
  });

  test("what a case ended with stays quiet for a week, unless it becomes strong", async () => {
    const id = await player("cl.again");
    for (let times = 0; times < 10; times += 1) await played(id, 0, 1);
    await keeper().look();
    await sql`insert into staff (id, username, username_key, name, added_by) values ('st_again', 'st.again', 'st.again', 'Again', 'test')`.execute(
      db(),
    );
    await sql`update care_case set closed_at = clock_timestamp(), closed_by = 'st_again', outcome = 'talked', close_reason = 'we talked' where player_id = ${id}`.execute(
      db(),
    );
    await forgetLooks();
    await keeper().look();
    expect(await casesOf(id)).toHaveLength(1);
    for (let times = 0; times < 10; times += 1) await played(id, 0, 1);
    await forgetLooks();
    await keeper().look();
    expect(await casesOf(id)).toMatchObject([
      { open: false, signs: ["sessions watch"] },
      { open: true, level: "strong", signs: ["sessions strong"] },
    ]);
  });
});

test("no campaign reaches a player with an open case, and it may be played", async () => {
  const id = await player("cc.reach");
  const campaign = {
    id: null,
    audience: { is: "list", players: [id] },
    amount: 100,
    budget: 1_000,
    granted: 0,
  } as const;
  const promotions = db().withTables<PromotionsTables>();
  expect(await reachOf(promotions, campaign)).toMatchObject({ players: 1, keptOut: 0 });
  await db()
    .transaction()
    .execute((trx) => keepSigns(trx, systemRandom, id, [{ measure: "night", level: "watch", value: 400, limit: 360 }]));
  expect(await reachOf(promotions, campaign)).toMatchObject({ players: 0, keptOut: 1 });
});
