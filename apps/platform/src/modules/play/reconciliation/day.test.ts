import { testDatabase } from "@longarm/database/testing";
import { openLedger } from "@longarm/ledger/ledger";
import type { Kysely } from "kysely";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { platformMigrations } from "../../../migration-sets.ts";
import { manualClock } from "../../../testing/manual-clock.ts";
import { Alarms } from "../alarms.ts";
import type { PlayTables } from "../tables.ts";
import { reconcileDay } from "./day.ts";
import type { ReconcileParts } from "./deps.ts";

/** A node, as far as a day's proof needs one. */
function node(db: Kysely<PlayTables>, name: string) {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const alarms = new Alarms({ clock: manualClock(), log });
  const parts = { deps: { db, log, alarms, config: { play: { NODE_ID: name } } } };
  return { lines, reconcile: () => reconcileDay(parts as unknown as ReconcileParts) };
}

test("what does not add up of the day before calls for staff, once, and is kept with the node that found it", async () => {
  const database = await testDatabase<PlayTables>({ migrations: platformMigrations });
  const ledger = openLedger(database.kysely);
  const move = { kind: "deposit", from: "cage", to: "player:ann", amountMinor: 500 } as const;
  await ledger.transfer({ id: "named", ...move, about: { actor: "staff:eva" } });
  await ledger.transfer({ id: "of-nobody", ...move });
  await sql`alter table ledger.transfers disable trigger transfers_immutable`.execute(database.kysely);
  await sql`update ledger.transfers set created_at = created_at - interval '1 day'`.execute(database.kysely);

  const nodes = [node(database.kysely, "one"), node(database.kysely, "two")];
  const found = await Promise.all(nodes.map(({ reconcile }) => reconcile()));
  expect(found.toSorted()).toEqual([1, null]);
  expect(await Promise.all(nodes.map(({ reconcile }) => reconcile()))).toEqual([null, null]);
  const { rows } = await sql<{ lines: unknown }>`select agrees, lines from reconciliation`.execute(database.kysely);
  expect(rows).toMatchObject([
    { agrees: false, lines: [{ name: "operators", count: 1, breaches: [{ subject: "of-nobody" }] }] },
  ]);
  const alarms = nodes.flatMap(({ lines }) => lines).filter((line) => line.includes('"alarm":"reconciliation"'));
  expect(alarms).toHaveLength(1);
  await database.drop();
});

test("a proof that cannot be made is told as one that did not agree, and not tried again", async () => {
  const database = await testDatabase<PlayTables>({ migrations: platformMigrations });
  await sql`alter table bonus_grant rename to bonus_away`.execute(database.kysely);
  const { lines, reconcile } = node(database.kysely, "one");
  expect(await reconcile()).toBe(1);
  expect(await reconcile()).toBeNull();
  expect(lines.some((line) => line.includes('"alarm":"reconciliation"') && line.includes("bonus_grant"))).toBe(true);
  await database.drop();
});

test("days on which no platform ran at their end are proved one after the other once one runs again", async () => {
  const database = await testDatabase<PlayTables>({ migrations: platformMigrations });
  await sql`insert into reconciliation (scope, day, made_by, agrees, lines)
    values ('day', (clock_timestamp() at time zone 'utc')::date - 4, 'one', true, '[]')`.execute(database.kysely);
  const { reconcile } = node(database.kysely, "two");
  for (let day = 3; day >= 1; day -= 1) expect(await reconcile()).toBe(0);
  const { rows } = await sql<{ ago: number }>`
    select (clock_timestamp() at time zone 'utc')::date - day as ago from reconciliation order by id`.execute(
    database.kysely,
  );
  // A test that runs over midnight has one more day to prove.
  expect(rows.map(({ ago }) => ago - (rows.at(-1)?.ago ?? 0))).toEqual([3, 2, 1, 0]);
  await database.drop();
});
