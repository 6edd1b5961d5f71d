import type { PlayRules } from "@longarm/contract/player-protection";
import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import type { Journal } from "../journal/journal.ts";
import { openJournal } from "../journal/journal.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { fakeClock, settle } from "../testing/fake-clock.ts";
import type { MemoryFiles } from "../testing/memory-files.ts";
import { memoryFiles } from "../testing/memory-files.ts";
import type { Grants } from "./grants.ts";
import { createGrants } from "./grants.ts";

let files: MemoryFiles;
let clock: FakeClock;
let journal: Journal;
let grants: Grants;

async function start(on: MemoryFiles): Promise<void> {
  files = on;
  journal = await openJournal({ files, folder: "/j" });
  grants = createGrants({ machineId: "nar-01", journal, clock });
}

beforeEach(async () => {
  clock = fakeClock();
  await start(memoryFiles());
});

const seat = (epoch: number, leaseMs = 60_000) => ({ epoch, playSessionId: "ps_1", leaseMs });
const RULES: PlayRules = { minCycleMs: 2_500, autoplay: false, stopReels: false };
const ruled = (epoch: number, rules: Partial<PlayRules> = {}) => ({ ...seat(epoch), rules: { ...RULES, ...rules } });

test("presses pass while the lease lives, counted from its arrival", async () => {
  expect(grants.check(1)).toBe("seat not granted");
  await grants.grant(seat(1, 10_000));
  clock.advance(10_000);
  expect(grants.check(1)).toBeUndefined();
  clock.advance(1);
  expect(grants.check(1)).toBe("lease expired");
  await grants.grant(seat(1, 10_000));
  expect(grants.check(1)).toBeUndefined();
});

test("a lower epoch is refused, a higher one ends the older holder at once", async () => {
  const lost = vi.fn();
  grants.onLost(lost);
  await grants.grant(seat(4));
  await grants.grant(seat(5));
  expect(lost).toHaveBeenLastCalledWith(5);
  expect(grants.check(4)).toBe("stale epoch");
  expect(await grants.grant(seat(4))).toBe("stale epoch");
  expect(await grants.revoke(4)).toBe("stale epoch");
  expect(grants.check(5)).toBeUndefined();
});

test("a renewal that comes while the grant is being written takes nothing away", async () => {
  const first = grants.grant(seat(5));
  const renewal = grants.grant(seat(5));
  await first;
  expect(grants.check(5)).toBeUndefined();
  await renewal;
  expect(grants.check(5)).toBeUndefined();
  const again = grants.grant(seat(6));
  const revoked = grants.revoke(6);
  await Promise.all([again, revoked]);
  expect(grants.check(6)).toBe("seat not granted");
});

test("a revoke takes the seat away and keeps the epoch", async () => {
  const lost = vi.fn();
  grants.onLost(lost);
  await grants.grant(seat(4));
  expect(await grants.revoke(4)).toBeUndefined();
  expect(lost).toHaveBeenLastCalledWith(5);
  expect([grants.epoch(), grants.check(4)]).toEqual([4, "seat not granted"]);
  await start(files.afterPowerCut(0));
  expect([grants.epoch(), grants.seat()]).toEqual([4, undefined]);
});

test("a revoke that overtakes the writing of its grant wins", async () => {
  const granting = grants.grant(seat(4));
  await grants.revoke(4);
  await granting;
  expect(grants.check(4)).toBe("seat not granted");
});

test("epoch and lease outlive the process; a clock that went back does not lengthen the lease", async () => {
  await grants.grant(seat(4, 10_000));
  clock = fakeClock(500);
  await start(files.afterPowerCut(0));
  expect(grants.check(4)).toBeUndefined();
  clock.advance(10_001);
  expect(grants.check(4)).toBe("lease expired");
  expect(await grants.grant(seat(3))).toBe("stale epoch");
});

test("an epoch that cannot be made durable is not granted, and the older one stays out", async () => {
  await grants.grant(seat(4));
  files.capacity = 0;
  await expect(grants.grant(seat(5))).rejects.toThrow(/journal is full/);
  expect([grants.check(4), grants.check(5)]).toEqual(["stale epoch", "seat not granted"]);
  expect(await grants.admit(6)).toMatch(/journal is full/);
  files.capacity = Number.POSITIVE_INFINITY;
  expect(await grants.grant(seat(6))).toBeUndefined();
  expect(grants.check(6)).toBeUndefined();
});

test("a renewal works on a full disk", async () => {
  await grants.grant(seat(4, 10_000));
  files.capacity = 0;
  clock.advance(9_000);
  expect(await grants.grant(seat(4, 10_000))).toBeUndefined();
  clock.advance(9_000);
  expect(grants.check(4)).toBeUndefined();
});

test("property: the epoch never falls, whatever comes in whatever order, across restarts", async () => {
  const call = fc.record({
    what: fc.constantFrom("grant", "revoke", "admit", "restart"),
    epoch: fc.integer({ min: 1, max: 8 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 20 }), async (calls) => {
      await start(memoryFiles());
      let highest = 0;
      for (const { what, epoch } of calls) {
        if (what === "grant") await grants.grant(seat(epoch));
        if (what === "revoke") await grants.revoke(epoch);
        if (what === "admit") await grants.admit(epoch);
        if (what === "restart") await start(files.afterPowerCut(0));
        else highest = Math.max(highest, epoch);
        expect(grants.epoch()).toBe(highest);
        for (let old = 1; old < highest; old += 1) expect(grants.check(old)).toBe("stale epoch");
      }
    }),
    { numRuns: 50, seed: 20261121 },
  );
});

test("a renewal that arrives behind its revoke gives nothing back", async () => {
  await grants.grant(seat(3));
  await grants.revoke(3);
  expect(await grants.grant(seat(3))).toBe("stale epoch");
  expect(grants.check(3)).toBe("seat not granted");
  await grants.grant(seat(4));
  expect(grants.check(4)).toBeUndefined();
});

test("rules come with the seat: a renewal replaces them, another seat or an older platform has none, a restart keeps them", async () => {
  await grants.grant(ruled(3));
  expect(grants.rules()).toEqual(RULES);
  await grants.grant(ruled(3, { minCycleMs: 5_000, maxStake: 200 }));
  expect(grants.rules()).toEqual({ ...RULES, minCycleMs: 5_000, maxStake: 200 });
  await start(files.afterPowerCut(0));
  expect(grants.rules()).toMatchObject({ minCycleMs: 5_000, maxStake: 200 });
  await grants.grant(seat(3));
  expect(grants.rules()).toBeUndefined();
  await grants.grant(ruled(3));
  await grants.grant(seat(4));
  expect([grants.rules(), grants.held()]).toEqual([undefined, undefined]);
});

test("paid games are held by the agent itself once their time is over, and a renewal gives them back", async () => {
  await grants.grant(ruled(3));
  clock.advance(60_000);
  expect(grants.held()).toBeUndefined();
  await grants.grant(ruled(3, { paidForMs: 20_000, heldFor: "realityCheck" }));
  clock.advance(19_999);
  expect(grants.held()).toBeUndefined();
  clock.advance(1);
  expect(grants.held()).toBe("realityCheck");
  await grants.grant(ruled(3, { paidForMs: 0, heldFor: "break" }));
  expect(grants.held()).toBe("break");
  await grants.grant(ruled(3, { paidForMs: 0 }));
  expect(grants.held(), "a reason that is not given").toBe("limit");
  await grants.grant(ruled(3, { paidForMs: 20_000, heldFor: "realityCheck" }));
  expect(grants.held()).toBeUndefined();
});

test("the time for paid games counts on over a restart from the arrival of its rules", async () => {
  await grants.grant(ruled(3, { paidForMs: 20_000, heldFor: "realityCheck" }));
  clock.advance(12_000);
  await start(files.afterPowerCut(0));
  expect(grants.held()).toBeUndefined();
  clock.advance(8_000);
  expect(grants.held()).toBe("realityCheck");
});

test("a clock that went back gives no time for paid games again, before or after its end", async () => {
  await grants.grant(ruled(3, { paidForMs: 20_000, heldFor: "realityCheck" }));
  clock = fakeClock(clock.now() - 500_000);
  await start(files.afterPowerCut(0));
  expect(grants.held(), "how much is left is unknown").toBe("realityCheck");
  await grants.grant(ruled(3, { paidForMs: 20_000, heldFor: "realityCheck" }));
  expect(grants.held()).toBeUndefined();
  clock.advance(20_000);
  expect(grants.held()).toBe("realityCheck");
  await settle();
  clock = fakeClock(clock.now() - 15_000);
  await start(files.afterPowerCut(0));
  expect(grants.held(), "it was held already").toBe("realityCheck");
});

test("rules hold on a full disk, and a restart then has those before them", async () => {
  await grants.grant(ruled(3));
  files.capacity = 0;
  await grants.grant(ruled(3, { paidForMs: 1_000, heldFor: "limit" }));
  clock.advance(1_000);
  expect(grants.held()).toBe("limit");
  await grants.grant(ruled(3, { minCycleMs: 5_000 }));
  expect(grants.rules()).toMatchObject({ minCycleMs: 5_000 });
  await start(files.afterPowerCut(0));
  expect(grants.rules()).toEqual(RULES);
});
