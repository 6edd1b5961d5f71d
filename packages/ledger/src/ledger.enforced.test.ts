import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";

let database: TestDatabase<unknown>;
beforeAll(async () => {
  database = await testDatabase({ migrations: [ledgerMigrations] });
  const ledger = openLedger(database.pool);
  await ledger.transfer({ id: "d1", kind: "deposit", from: "cage", to: "player:ann", amountMinor: 1_000 });
  await ledger.hold({ id: "h1", kind: "cashIn", from: "player:ann", to: "machine:m7", amountMinor: 400 });
  await ledger.hold({ id: "h2", kind: "cashIn", from: "player:ann", to: "machine:m7", amountMinor: 100 });
  await ledger.post("h2", { amountMinor: 100 });
});
afterAll(() => database.drop());

const ann = "(select id from ledger.accounts where address = 'player:ann')";
const cage = "(select id from ledger.accounts where address = 'cage')";
const rawTransfer = (id: string, amount: number, more = "") =>
  `insert into ledger.transfers (id, kind, from_account, to_account, amount_minor, about${more ? ", hold_id" : ""})
   values ('${id}', 'cashIn', ${ann}, ${cage}, ${amount}, '{}'${more});`;
const rawPosting = (id: string, account: string, amount: number) =>
  `insert into ledger.postings (transfer_id, account_id, amount_minor) values ('${id}', ${account}, ${amount});`;

describe("somebody with a console", () => {
  test.each([
    ["changes a transfer", "update ledger.transfers set amount_minor = 1", "never changes"],
    ["deletes a transfer", "delete from ledger.transfers", "never changes"],
    ["changes a posting", "update ledger.postings set amount_minor = amount_minor * 2", "never changes"],
    ["deletes a posting", "delete from ledger.postings", "never changes"],
    ["deletes a hold", "delete from ledger.holds", "never changes"],
    ["deletes an account", "delete from ledger.accounts", "never changes"],
    [
      "empties the tables",
      "truncate ledger.postings, ledger.transfers, ledger.holds, ledger.accounts cascade",
      "never changes",
    ],
    [
      "writes a balance",
      "update ledger.accounts set balance_minor = 1 where address = 'player:ann'",
      "only by transfers",
    ],
    ["frees held money", "update ledger.accounts set held_minor = 0", "only by transfers"],
    [
      "renames an account",
      "update ledger.accounts set address = 'player:eve' where address = 'player:ann'",
      "keeps its address",
    ],
    [
      "makes a rich account",
      "insert into ledger.accounts (address, balance_minor) values ('player:eve', 5)",
      "begins empty",
    ],
    ["makes an unknown account", "insert into ledger.accounts (address) values ('vault')", "accounts_address_check"],
    [
      "reopens a hold",
      "update ledger.holds set status = 'open', posted_minor = null, resolved_at = null where id = 'h2'",
      "resolves once",
    ],
    [
      "voids a posted hold",
      "update ledger.holds set status = 'void', posted_minor = null, void_reason = 'x' where id = 'h2'",
      "resolves once",
    ],
    [
      "changes what a hold holds",
      "update ledger.holds set status = 'void', void_reason = 'x', amount_minor = 1 where id = 'h1'",
      "keeps its content",
    ],
    [
      "posts a hold without a transfer",
      "update ledger.holds set status = 'posted', posted_minor = 400 where id = 'h1'",
      "without a transfer",
    ],
    ["writes a transfer without postings", rawTransfer("x1", 5), "two postings"],
    ["writes one posting", rawTransfer("x1", 5) + rawPosting("x1", cage, 5), "two postings"],
    ["writes an unbalanced posting", rawTransfer("x1", 5) + rawPosting("x1", cage, 6), "does not balance"],
    [
      "writes both postings on one side",
      rawTransfer("x1", 5) + rawPosting("x1", cage, 5) + rawPosting("x1", cage, 5),
      "duplicate key",
    ],
    [
      "posts to a third account",
      rawTransfer("x1", 5) + rawPosting("x1", "(select id from ledger.accounts where address = 'machine:m7')", 5),
      "does not balance",
    ],
    ["adds a posting to an old transfer", rawPosting("d1", cage, -1_000), "duplicate key"],
    [
      "takes more than is available",
      rawTransfer("x1", 501) + rawPosting("x1", ann, -501) + rawPosting("x1", cage, 501),
      "player_not_below_zero",
    ],
    ["takes nothing", rawTransfer("x1", 0), "amount_minor_check"],
    [
      "reuses a hold's id",
      rawTransfer("h1", 5) + rawPosting("h1", ann, -5) + rawPosting("h1", cage, 5),
      "belongs to a hold",
    ],
    ["posts a hold a second time", rawTransfer("x1", 5, ", 'h2'"), "duplicate key"],
    [
      "posts a hold past its status",
      rawTransfer("x1", 5, ", 'h1'") + rawPosting("x1", ann, -5) + rawPosting("x1", cage, 5),
      "is not what hold h1",
    ],
  ])("%s: refused, and nothing changed", async (_, sql, sentence) => {
    await expect(database.pool.query(`begin; ${sql}; commit`)).rejects.toThrow(sentence);
    const ledger = openLedger(database.pool);
    expect(await ledger.account("player:ann")).toMatchObject({
      balanceMinor: 900,
      heldMinor: 400,
      availableMinor: 500,
    });
    expect(await ledger.verify()).toEqual([]);
  });
});

test("verify names what is wrong when triggers and constraints were taken away", async () => {
  const client = await database.pool.connect();
  try {
    await client.query("begin; alter table ledger.accounts drop constraint player_not_below_zero");
    await client.query("set local session_replication_role = replica");
    await client.query(
      "update ledger.accounts set balance_minor = balance_minor - 950, held_minor = 7 where address = 'player:ann'",
    );
    await client.query("delete from ledger.postings where transfer_id = 'h2'");
    await client.query("update ledger.holds set posted_minor = 1 where id = 'h2'");
    const breaches = await openLedger(client).verify();
    expect([...new Set(breaches.map(({ rule }) => rule))].toSorted()).toEqual([
      "balance_is_postings",
      "entries_without_gaps",
      "held_is_open_holds",
      "hold_resolved_once",
      "player_not_below_zero",
      "sum_zero",
      "transfer_balances",
    ]);
  } finally {
    await client.query("rollback");
    client.release();
  }
});
