import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";
import type { Book, Verdict } from "./testing/book.ts";
import { createBook } from "./testing/book.ts";
import { driveBook, driveStore } from "./testing/drive.ts";
import type { Driven } from "./testing/scenario.ts";

let database: TestDatabase<unknown>;
beforeAll(async () => {
  database = await testDatabase({ migrations: [ledgerMigrations] });
});
afterAll(() => database.drop());

const addresses = ["player:ann", "player:bob", "machine:m7", "house", "cage", "suspense", "promotions", "fees"];

// Few ids and amounts, so that replays, conflicts and second resolutions come often.
const id = fc.constantFrom("a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8");
const address = fc.constantFrom(...addresses);
const amountMinor = fc.oneof(fc.constantFrom(0, 1, 5, 10, 9_000_000_000_000), fc.integer({ min: 1, max: 20 }));
const about = fc.constantFrom({}, { gameNumber: 7 }, { reason: "ü\u{1F3B0}" });
const moved = fc.record({
  id,
  kind: fc.constantFrom("deposit", "cashIn", "game", "fee"),
  from: address,
  to: address,
  amountMinor,
  about,
});

type Play = (driven: Driven) => ReturnType<Driven["transfer"]>;
const step = fc.oneof(
  moved.map((command) => ({ said: ["transfer", command], play: ((driven) => driven.transfer(command)) as Play })),
  moved.map((command) => ({ said: ["hold", command], play: ((driven) => driven.hold(command)) as Play })),
  fc.record({ holdId: id, amountMinor, id, about }).map((command) => ({
    said: ["post", command],
    play: ((driven) => driven.post(command)) as Play,
  })),
  id.map((holdId) => ({ said: ["void", holdId], play: ((driven) => driven.void(holdId)) as Play })),
  fc
    .record({ id, transferId: id, amountMinor: fc.option(amountMinor, { nil: undefined }) })
    .map(({ amountMinor: amount, ...command }) => ({
      said: ["correct", command, amount],
      play: ((driven) =>
        driven.correct({
          ...command,
          actor: "staff:tess",
          reason: "tried",
          ...(amount === undefined ? {} : { amountMinor: amount }),
        })) as Play,
    })),
);

const short = (verdict: Verdict) =>
  verdict.is === "refused" ? verdict.problem.name : `done, replayed ${verdict.replayed}`;

function expectSound(book: Book): void {
  const states = addresses.map((name) => ({ name, ...book.account(name) }));
  expect(states.reduce((sum, { balanceMinor }) => sum + balanceMinor, 0)).toBe(0);
  for (const { name, balanceMinor, heldMinor } of states) {
    expect(heldMinor).toBeGreaterThanOrEqual(0);
    if (name.startsWith("player:")) expect(balanceMinor - heldMinor).toBeGreaterThanOrEqual(0);
  }
}

test("whatever is asked, PostgreSQL and the book answer alike and every rule holds after each step", async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
    const client = await database.pool.connect();
    await client.query("begin");
    try {
      const ledger = openLedger(client);
      const store = driveStore(ledger);
      const book = createBook();
      for (const { play } of steps) {
        const answers = { store: short(await play(store)), book: short(await play(driveBook(book))) };
        expect(answers.store).toBe(answers.book);
        expectSound(book);
      }
      await client.query("set constraints all immediate");
      for (const account of await ledger.accounts(addresses)) {
        expect(account).toMatchObject(book.account(account.address));
      }
      expect(await ledger.verify()).toEqual([]);
    } finally {
      await client.query("rollback");
      client.release();
    }
  });
  await fc.assert(property, { seed: 20_261_121, numRuns: 60 });
});
