import type { TestDatabase } from "@longarm/database/testing";
import { testDatabase } from "@longarm/database/testing";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Ledger } from "./ledger.ts";
import { openLedger } from "./ledger.ts";
import { ledgerMigrations } from "./migrations.ts";

const CONNECTIONS = 16;

let database: TestDatabase<unknown>;
let ledger: Ledger;
beforeAll(async () => {
  database = await testDatabase({ migrations: [ledgerMigrations], maxConnections: CONNECTIONS });
  ledger = openLedger(database.pool);
});
afterAll(() => database.drop());

/** `CONNECTIONS` workers, each with `steps` steps, one after the other. */
async function crowd(steps: number, play: (worker: number, step: number) => Promise<void>): Promise<void> {
  const workers = Array.from({ length: CONNECTIONS }, async (_, worker) => {
    for (let step = 0; step < steps; step += 1) await play(worker, step);
  });
  await Promise.all(workers);
}

test("a crowd on few accounts: no deadlock, nobody below zero, every rule holds", async () => {
  const accounts = ["player:c1", "player:c2", "player:c3", "machine:c1", "house"];
  for (const to of accounts.slice(0, 3)) {
    await ledger.transfer({ id: `start-${to}`, kind: "deposit", from: "cage", to, amountMinor: 300 });
  }
  const pick = fc.tuple(
    fc.constantFrom(...accounts),
    fc.constantFrom(...accounts),
    fc.integer({ min: 1, max: 200 }),
    fc.nat(3),
  );
  const draws = fc.sample(pick, { seed: 7, numRuns: CONNECTIONS * 25 });
  const refusals = new Map<string, number>();
  await crowd(25, async (worker, step) => {
    const [from, to, amountMinor, then] = draws[worker * 25 + step]!;
    if (from === to) return;
    const id = `crowd-${worker}-${step}`;
    const command = { id, kind: "game", from, to, amountMinor } as const;
    const answer = then === 0 ? await ledger.transfer(command) : await ledger.hold(command);
    if (answer.is === "refused") refusals.set(answer.problem.name, (refusals.get(answer.problem.name) ?? 0) + 1);
    else if (then === 1) await ledger.post(id, { amountMinor: Math.ceil(amountMinor / 2) });
    else if (then === 2) await ledger.void(id, "changed my mind");
  });
  expect([...refusals.keys()]).toEqual(["wallet.insufficient_funds"]);
  expect(await ledger.verify()).toEqual([]);
});

test("the same command from everybody at once is done once", async () => {
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      ledger.transfer({ id: "at-once", kind: "deposit", from: "cage", to: "player:once", amountMinor: 70 }),
    ),
  );
  const counted = answers.map((answer) => answer.is === "done" && answer.replayed);
  expect(counted.filter((isReplay) => !isReplay)).toHaveLength(1);
  expect((await ledger.account("player:once")).balanceMinor).toBe(70);
});

test("post and void at once: one of them resolves the hold", async () => {
  await ledger.transfer({ id: "race-d", kind: "deposit", from: "cage", to: "player:race", amountMinor: 1_000 });
  for (let round = 0; round < 10; round += 1) {
    const id = `race-${round}`;
    await ledger.hold({ id, kind: "cashIn", from: "player:race", to: "machine:race", amountMinor: 100 });
    const answers = await Promise.all([
      ledger.post(id, { amountMinor: 100 }),
      ledger.void(id, "late"),
      ledger.post(id, { amountMinor: 50 }),
    ]);
    expect(answers.filter(({ is }) => is === "done")).toHaveLength(1);
  }
  expect(await ledger.verify()).toEqual([]);
});

test("everybody spends the last coin at once: one gets it", async () => {
  await ledger.transfer({ id: "last-d", kind: "deposit", from: "cage", to: "player:last", amountMinor: 10 });
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, worker) =>
      ledger.hold({
        id: `last-${worker}`,
        kind: "cashIn",
        from: "player:last",
        to: `machine:${worker}`,
        amountMinor: 10,
      }),
    ),
  );
  expect(answers.filter(({ is }) => is === "done")).toHaveLength(1);
  expect(await ledger.account("player:last")).toMatchObject({ balanceMinor: 10, availableMinor: 0 });
});

test("corrections of one transfer at once never take back more than it moved", async () => {
  await ledger.transfer({ id: "over", kind: "deposit", from: "cage", to: "player:over", amountMinor: 100 });
  const answers = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, worker) =>
      ledger.correct({
        id: `over-${worker}`,
        transferId: "over",
        amountMinor: 30,
        actor: "staff:tess",
        reason: "too much",
      }),
    ),
  );
  expect(answers.filter(({ is }) => is === "done")).toHaveLength(3);
  expect((await ledger.account("player:over")).balanceMinor).toBe(10);
});
