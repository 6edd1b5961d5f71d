import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import type { Journal } from "../journal/journal.ts";
import { openJournal } from "../journal/journal.ts";
import type { FakeClock } from "../testing/fake-clock.ts";
import { fakeClock } from "../testing/fake-clock.ts";
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
