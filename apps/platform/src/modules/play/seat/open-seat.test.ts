import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import { Kysely, PostgresDialect, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { databaseNow } from "../../../database-time.ts";
import { platformMigrations } from "../../../migration-sets.ts";
import { noteDifference } from "../books/index.ts";
import type { ControlTables } from "../control/index.ts";
import type { PlayDeps } from "../deps.ts";
import type { RestoresTables } from "../restores/index.ts";
import type { PlayTables, PlayTransaction } from "../tables.ts";
import type { OpenSeat, WithinSeat } from "./open-seat.ts";
import { withinSeats } from "./open-seat.ts";
import type { PlayTimes } from "./play-states.ts";

// maintainer 6.7: a plugin that read each statement's syntax tree decided whether facts of a money decision were read again.

let database: TestDatabase<PlayTables>;
let within: WithinSeat;
const TIMES: PlayTimes = {
  noDepositMs: 60_000,
  idleMs: 60_000,
  idleCountMs: 60_000,
  waitingMs: 60_000,
  bonusWaitingMs: 60_000,
  retryMs: 60_000,
  awayMs: 60_000,
};
/** How often facts were read. */
let reads = 0;

beforeAll(async () => {
  database = await testDatabase<PlayTables>({ migrations: platformMigrations });
  const { pool } = database;
  await pool.query(`
    insert into agent (id, name) values ('ag', 'floor');
    insert into machine (id, agent_id, facts, meters, meters_at) values ('nar-01', 'ag', '{}', '{"credit":0,"inGame":false,"bonus":false}', now());
    insert into agent_link values ('nar-01', 'ag', 'a', 'l', now() + interval '1 hour');
    insert into play_session (id, machine_id, player_id) values ('ps', 'nar-01', 'p');
    insert into seat (machine_id, state, player_id, play_session_id) values ('nar-01', 'seated', 'p', 'ps');
    insert into machine_transfer (id, machine_id, play_session_id, player_id, epoch, direction, asked, node_id)
      values ('t', 'nar-01', 'ps', 'p', 1, 'cashIn', 500, 'a');
    insert into restore_run (id, taken_at, file_sha256, restored_by) values ('r', now(), repeat('0', 64), 'staff');
    insert into restored_machine (machine_id, restore_id, epoch) values ('nar-01', 'r', 1);`);
  const db = new Kysely<PlayTables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      if (query.sql.includes('as "credit"')) reads += 1;
    },
  });
  const deps: Partial<PlayDeps> = { db };
  within = withinSeats(deps as PlayDeps, TIMES);
});
beforeEach(() => {
  reads = 0;
});
afterAll(async () => await database.drop());

class Done extends Error {}

/** Work on the seat; the database is as before afterwards. */
async function inSeat(work: (seat: OpenSeat) => Promise<void>): Promise<void> {
  const run = within("nar-01", async (seat) => {
    await work(seat);
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
  test(`the facts of a decision are those after a change of: ${what}`, async () => {
    await inSeat(async (seat) => {
      const before = await seat.facts();
      await change(seat.trx);
      expect(await seat.facts()).not.toEqual(before);
    });
  });

test("a transaction that the work kept may write at any later time: the facts are those after it", async () => {
  await inSeat(async (seat) => {
    const { trx } = seat;
    expect((await seat.facts()).credit).toBe(0);
    await transferred(trx);
    expect((await seat.facts()).credit).toBe(700);
    // Not awaited: statements of one transaction run in their order.
    const called = sql<unknown>`ledger.transfer('f', 'cashIn', 'house', 'machine:nar-01', 9, '{}')`;
    const later = trx.selectFrom(called.as("moved")).selectAll().execute();
    expect((await seat.facts()).credit).toBe(709);
    await later;
  });
});

test("a discrepancy that the work notes, and staff that takes the machine out of play, close it for the rest of the work", async () => {
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
    await inSeat(async (seat) => {
      expect((await seat.facts()).closed).toBe(false);
      await close(seat.trx);
      expect((await seat.facts()).closed).toBe(true);
    });
});

test("work that only lets things happen to the seat reads its facts once", async () => {
  await inSeat(async (seat) => {
    expect(await seat.happen("input")).toBeNull();
    await seat.change({ epoch: 2, holder_node: "a", holder_socket: "s", holder_until: databaseNow() });
    expect(await seat.facts()).toMatchObject({ credit: 0, holder: true });
    expect(reads).toBe(1);
  });
});

test("no trigger and no foreign key writes facts when the seat's row is written", async () => {
  const { rows } = await database.pool.query(`
    select relname || ': ' || proname as found from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
      where not tgisinternal and relname = 'seat'
    union all select conrelid::regclass || ' follows ' || confrelid::regclass from pg_constraint
      where contype = 'f' and confrelid = 'seat'::regclass and confupdtype <> 'a'
    order by found`);
  // A new one must not write a table of the facts: the seat writes its row without reading them again.
  expect(rows.map(({ found }) => found)).toEqual(["seat: seat_epoch_grows"]);
});
