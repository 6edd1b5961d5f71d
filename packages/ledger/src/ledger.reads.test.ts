import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";
import { machineAccount, playerAccount } from "./rules/address.ts";

let database: TestDatabase<unknown>;
let ledger: Ledger;
beforeAll(async () => {
  database = await testDatabase({ migrations: [ledgerMigrations] });
  ledger = openLedger(database.kysely);
});
afterAll(() => database.drop());

const deposit = (id: string, to: string, amountMinor: number) =>
  ledger.transfer({ id, kind: "deposit", from: "cage", to, amountMinor });

describe("reading", () => {
  test("an account nobody used is empty", async () => {
    expect(await ledger.account(playerAccount("nobody"))).toEqual({
      address: "player:nobody",
      balanceMinor: 0,
      heldMinor: 0,
      availableMinor: 0,
    });
    expect(await ledger.statement("player:nobody")).toEqual({ rows: [], nextBefore: null });
    expect(await ledger.findTransfer("nothing")).toBeUndefined();
    expect(await ledger.findHold("nothing")).toBeUndefined();
  });

  test("a statement has the balance of each row and is read by pages without gaps or doubles", async () => {
    const player = playerAccount("pages");
    for (let number = 1; number <= 7; number += 1) await deposit(`page-${number}`, player, number);
    const first = await ledger.statement(player, { limit: 3 });
    expect(
      first.rows.map(({ entryNumber, amountMinor, balanceMinor }) => [entryNumber, amountMinor, balanceMinor]),
    ).toEqual([
      [7, 7, 28],
      [6, 6, 21],
      [5, 5, 15],
    ]);
    // A row that comes in meanwhile does not shift the pages.
    await deposit("page-8", player, 8);
    const second = await ledger.statement(player, { limit: 3, before: first.nextBefore ?? 0 });
    const third = await ledger.statement(player, { limit: 3, before: second.nextBefore ?? 0 });
    expect([...second.rows, ...third.rows].map(({ entryNumber }) => entryNumber)).toEqual([4, 3, 2, 1]);
    expect(third.nextBefore).toBeNull();
    expect(first.rows[0]).toMatchObject({
      counterparty: "cage",
      kind: "deposit",
      transferId: "page-7",
      about: {},
      holdId: null,
    });
    expect(first.rows[0]?.createdAt).toBeInstanceOf(Date);
  });

  test.each([0, -5, Number.NaN, 1e9])("a page of %d rows is brought into the range", async (limit) => {
    const { rows } = await ledger.statement("cage", { limit });
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThanOrEqual(500);
  });

  test("open holds are told of both accounts, oldest first, and no longer when resolved", async () => {
    const player = playerAccount("holder");
    const machine = machineAccount("m-holds");
    await deposit("holder-1", player, 100);
    for (const id of ["hold-a", "hold-b", "hold-c"]) {
      await ledger.hold({
        id,
        kind: "cashIn",
        from: player,
        to: machine,
        amountMinor: 10,
        about: { machineId: "m-holds" },
      });
    }
    await ledger.void("hold-b", "the machine refused");
    expect((await ledger.holdsOf(player)).map(({ id }) => id)).toEqual(["hold-a", "hold-c"]);
    expect((await ledger.holdsOf(machine)).map(({ id }) => id)).toEqual(["hold-a", "hold-c"]);
    expect(await ledger.account(player)).toMatchObject({ balanceMinor: 100, heldMinor: 20, availableMinor: 80 });
    const posted = await ledger.post("hold-a", { amountMinor: 4, about: { gameNumber: 3 } });
    expect(posted).toMatchObject({
      is: "done",
      replayed: false,
      transfer: {
        id: "hold-a",
        holdId: "hold-a",
        kind: "cashIn",
        amountMinor: 4,
        about: { machineId: "m-holds", gameNumber: 3 },
        fromBalanceMinor: 96,
        toBalanceMinor: 4,
      },
    });
    expect(await ledger.findHold("hold-a")).toMatchObject({ status: "posted", postedMinor: 4, transferId: "hold-a" });
    expect(await ledger.findHold("hold-b")).toMatchObject({
      status: "void",
      voidReason: "the machine refused",
      transferId: null,
    });
    expect((await ledger.findHold("hold-c"))?.resolvedAt).toBeNull();
  });

  test("a correction says what it corrects, who decided and why", async () => {
    await deposit("twice", playerAccount("fixed"), 50);
    await ledger.correct({ id: "fix-1", transferId: "twice", actor: "staff:tess", reason: "told twice" });
    const { rows } = await ledger.statement(playerAccount("fixed"));
    expect(rows[0]).toMatchObject({
      kind: "correction",
      amountMinor: -50,
      corrects: "twice",
      about: { correctionOf: "twice", actor: "staff:tess", reason: "told twice" },
    });
  });
});

describe("the caller's own transaction", () => {
  test("takes the money back with everything else, and keeps it with everything else", async () => {
    const player = playerAccount("joined");
    await database.pool.query("create table beside (note text)");
    const work = (note: string, fail: boolean) =>
      database.kysely.transaction().execute(async (transaction) => {
        const inside = ledger.within(transaction);
        await inside.transfer({ id: `joined-${note}`, kind: "deposit", from: "cage", to: player, amountMinor: 5 });
        // A refusal inside leaves the transaction usable.
        expect(
          await inside.transfer({ id: "joined-x", kind: "game", from: player, to: "house", amountMinor: 99 }),
        ).toMatchObject({ is: "refused", problem: { name: "wallet.insufficient_funds" } });
        if (fail) throw new Error("the other half failed");
      });
    await expect(work("one", true)).rejects.toThrow("the other half failed");
    expect((await ledger.account(player)).balanceMinor).toBe(0);
    await work("two", false);
    expect((await ledger.account(player)).balanceMinor).toBe(5);
    expect(await ledger.findTransfer("joined-one")).toBeUndefined();
    expect(await ledger.verify()).toEqual([]);
  });
});

describe("hostile commands", () => {
  const good = { id: "hostile", kind: "deposit", from: "cage", to: "player:eve", amountMinor: 5 } as const;
  const deep = JSON.parse(`${'{"a":'.repeat(20)}1${"}".repeat(20)}`);
  test.each<[string, object]>([
    ["an id with a quote", { id: "a'; drop table ledger.accounts; --" }],
    ["an empty id", { id: "" }],
    ["an id of 65 characters", { id: "x".repeat(65) }],
    ["an address with a line break", { to: "player:eve\n" }],
    ["an address of 65 characters", { to: `player:${"x".repeat(65)}` }],
    ["an about that is a list", { about: [] }],
    ["an about with a zero character", { about: { note: "a\0b" } }],
    ["an about with half a character", { about: { note: "\ud800" } }],
    ["an about with half a character in a name", { about: { "\udfff": 1 } }],
    ["an about that is too long", { about: { note: "x".repeat(4_000) } }],
    ["an about that is too deep", { about: deep }],
    ["an about with what JSON does not know", { about: { at: 10n } }],
    ["a kind of its own", { kind: "correction" }],
    ["a field too many", { override: true }],
  ])("%s is refused with a sentence and nothing happens", async (_, change) => {
    const answer = await ledger.transfer({ ...good, ...change });
    expect(answer).toMatchObject({ is: "refused", problem: { name: "request.malformed" } });
    expect((await ledger.account("player:eve")).balanceMinor).toBe(0);
  });

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "5", null])(
    "the amount %s is refused",
    async (amountMinor) => {
      const answer = await ledger.transfer({ ...good, amountMinor: amountMinor as number });
      expect(answer).toMatchObject({ is: "refused", problem: { name: "transfer.amount_outside_limits" } });
    },
  );

  test("holds named by nonsense are refused", async () => {
    expect(await ledger.void("x'--", "why")).toMatchObject({ is: "refused", problem: { name: "request.malformed" } });
    expect(await ledger.void("h", "")).toMatchObject({ is: "refused", problem: { name: "request.malformed" } });
    expect(await ledger.post("\0", { amountMinor: 1 })).toMatchObject({
      is: "refused",
      problem: { name: "request.malformed" },
    });
  });

  test("prototype names are plain text", async () => {
    const about = JSON.parse('{"__proto__": {"polluted": true}, "constructor": "x"}');
    expect(await ledger.transfer({ ...good, id: "proto", about })).toMatchObject({ is: "done" });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
