import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import { Kysely, PostgresDialect, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { platformMigrations } from "../../migration-sets.ts";
import { databaseNow } from "../../play-base/database-time.ts";
import type { PlayTables, PlayTransaction } from "../../play-tables.ts";
import { noteDifference } from "../books/index.ts";
import type { ControlTables } from "../control/index.ts";
import type { RestoresTables } from "../restores/index.ts";
import { KeptFacts } from "./facts-kept.ts";
import type { MachineFacts } from "./seat-row.ts";
import { readFacts } from "./seat-row.ts";

let database: TestDatabase<PlayTables>;
let db: Kysely<PlayTables>;
/** How often facts were read. */
let reads = 0;

beforeAll(async () => {
  database = await testDatabase<PlayTables>({ migrations: platformMigrations });
  const { pool } = database;
  await pool.query(`
    insert into agent (id, name, key_sha256) values ('ag', 'floor', 'none');
    insert into machine (id, agent_id, facts, meters, meters_at) values ('nar-01', 'ag', '{}', '{"credit":0,"inGame":false,"bonus":false}', now());
    insert into agent_link values ('nar-01', 'ag', 'a', 'l', now() + interval '1 hour');
    insert into play_session (id, machine_id, player_id) values ('ps', 'nar-01', 'p');
    insert into seat (machine_id, state, player_id, play_session_id) values ('nar-01', 'seated', 'p', 'ps');
    insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id)
      values ('t', 'nar-01', 'ps', 'p', 1, 'cashIn', 500, 'a');
    insert into restore_run (id, taken_at, file_sha256, restored_by) values ('r', now(), repeat('0', 64), 'staff');
    insert into restored_machine (machine_id, restore_id, epoch) values ('nar-01', 'r', 1);`);
  db = new Kysely<PlayTables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.sql.includes('as "credit"')) reads += 1;
    },
  });
});
beforeEach(() => {
  reads = 0;
});
afterAll(async () => await database.drop());

class Done extends Error {}

/** Facts that were read, then `work`; the database is as before afterwards. */
async function afterReading(work: (kept: KeptFacts, bare: PlayTransaction, before: MachineFacts) => Promise<void>) {
  const run = db.transaction().execute(async (bare) => {
    const kept = new KeptFacts(bare, "nar-01");
    await work(kept, bare, await kept.read());
    throw new Done();
  });
  await expect(run).rejects.toThrow(Done);
}

const transferred = (trx: PlayTransaction) =>
  openLedger(trx).transfer({
    ...{ id: "in", kind: "cashIn", from: "house", to: "machine:nar-01", amountMinor: 700, about: {} },
  });

/** Every table and way by which a seat's work changes facts. */
const changes: Record<string, (trx: PlayTransaction) => Promise<unknown>> = {
  meters: (trx) => trx.updateTable("machine").set({ meters: '{"credit":5}', meters_at: databaseNow() }).execute(),
  "a machine that does not answer": (trx) => trx.updateTable("machine").set({ offline: true }).execute(),
  "a link that is gone": (trx) => trx.deleteFrom("agent_link").execute(),
  "a transfer that nobody knows of": (trx) => trx.updateTable("machine_transfer").set({ state: "unknown" }).execute(),
  "a machine that was compared": (trx) =>
    trx
      .withTables<RestoresTables>()
      .updateTable("restored_machine")
      .set({ compared_at: databaseNow(), moved: false })
      .execute(),
  "a machine that is kept for somebody": (trx) =>
    sql`with p as (insert into player (id, username, username_key, password) values ('p_1', 'p', 'p', 'x') returning id)
        insert into machine_control (machine_id, changed_by, reserved_for, reserved_until)
          select 'nar-01', 'staff', id, now() + interval '1 hour' from p`.execute(trx),
  "the ledger's own function": transferred,
};

for (const [what, change] of Object.entries(changes))
  test(`facts are read again after a change of: ${what}`, async () => {
    await afterReading(async (kept, bare, before) => {
      await change(kept.trx);
      const now = await kept.read();
      expect(now).not.toEqual(before);
      expect(now).toEqual(await readFacts(bare, "nar-01"));
    });
  });

test("facts are read again after a difference was noted, and when staff takes a machine out of play", async () => {
  await database.pool.query("update restored_machine set compared_at = now(), moved = false");
  const closes: ((trx: PlayTransaction) => Promise<unknown>)[] = [
    (trx) =>
      noteDifference({ error: () => {} } as never, trx, {
        ...{ machineId: "nar-01", playSessionId: "ps", kind: "meters", ledgerMinor: 1, machineMinor: 0 },
      }),
    (trx) =>
      trx
        .withTables<ControlTables>()
        .insertInto("machine_control")
        .values({ machine_id: "nar-01", mode: "disabled", reason: "", changed_by: "staff", reserved_for: null })
        .execute(),
  ];
  for (const close of closes)
    await afterReading(async (kept, _bare, before) => {
      expect(before.closed).toBe(false);
      await close(kept.trx);
      expect((await kept.read()).closed).toBe(true);
    });
});

test("facts are read again after a function that stands where tables stand, also in a query made of a harmless one", async () => {
  await afterReading(async (kept) => {
    const called = sql<{ problem: string | null }>`ledger.transfer('f', 'cashIn', 'house', 'machine:nar-01', 9, '{}')`;
    await kept.trx.selectFrom(called.as("moved")).selectAll().execute();
    expect((await kept.read()).credit).toBe(9);
    const harmless = kept.trx.selectFrom("machine").select("machine.id");
    await harmless.execute();
    const again = sql<{ problem: string | null }>`ledger.transfer('g', 'cashIn', 'house', 'machine:nar-01', 9, '{}')`;
    await harmless.innerJoin(again.as("moved"), (join) => join.onTrue()).execute();
    expect((await kept.read()).credit).toBe(18);
  });
});

test("the seat's own row, its play session, games and events leave the facts as they are: they are read once", async () => {
  await afterReading(async (kept, bare, before) => {
    const { trx } = kept;
    await trx.selectFrom("machine as m").innerJoin("seat as s", "s.machine_id", "m.id").select("m.taken_seq").execute();
    await trx
      .updateTable("seat")
      .set({ epoch: 2, holder_node: "a", holder_socket: "s", holder_until: databaseNow() })
      .execute();
    await trx.updateTable("play_session").set({ net: 5, games: 1 }).where("id", "=", "ps").execute();
    const game = { stake: 1, win: 2, credit_before: 0, credit_after: 1, hand_paid: 0, free_spins: 0, bonus: false };
    const times = { started_at: "2026-01-01", ended_at: "2026-01-01" };
    await trx
      .insertInto("game")
      .values({ machine_id: "nar-01", game_number: 1, play_session_id: "ps", ...game, ...times })
      .execute();
    await trx
      .insertInto("machine_event")
      .values({
        machine_id: "nar-01",
        seq: 1,
        kind: "tilt",
        play_session_id: "ps",
        happened_at: "2026-01-01",
        body: "{}",
      })
      .execute();
    expect(await kept.read()).toBe(before);
    expect(reads).toBe(1);
    expect(await readFacts(bare, "nar-01")).toEqual(before);
  });
});

test("no trigger and no foreign key writes facts when a seat, a play session, a game or an event is written", async () => {
  const { rows } = await database.pool.query(`
    select relname || ': ' || proname as found from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      where not tgisinternal and relname in ('seat', 'play_session', 'game', 'machine_event')
    union all select conrelid::regclass || ' follows ' || confrelid::regclass from pg_constraint
      where contype = 'f' and confrelid = any('{seat, play_session, game, machine_event}'::regclass[]) and confupdtype <> 'a'
    order by found`);
  // Who adds one looks whether it writes a table of the facts, and takes its table out of those that stand apart if so.
  expect(rows.map(({ found }) => found)).toEqual(["game: game_into_books", "seat: seat_epoch_grows"]);
});
