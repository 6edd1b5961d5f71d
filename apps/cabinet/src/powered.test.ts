import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MODEL } from "./machine/options.ts";
import { Order } from "./orders.ts";
import { Powered } from "./powered.ts";
import { fromHex, hex, withCrc } from "./sas/bytes.ts";
import type { Unit } from "./sas/nine-bit.ts";
import { benchBanks, benchClock, drawsOf } from "./testing/bench.ts";

function create(model: Partial<typeof MODEL> = {}) {
  const clock = benchClock();
  const banks = benchBanks();
  let sent: Unit[] = [];
  const options = { clock, banks, send: (units: readonly Unit[]) => void sent.push(...units) };
  const powered = new Powered({ ...options, model: { ...MODEL, minCycleMs: 100, ...model } });
  const raw = (bytes: readonly number[]): string => {
    sent = [];
    powered.receive(bytes.map((byte, index) => ({ is: "character", byte, wakeup: index === 0 })));
    clock.advance(100);
    return hex(sent.flatMap((unit) => (unit.is === "character" ? [unit.byte] : [])));
  };
  const read = (text: string): string => {
    raw([0x80]);
    return raw(fromHex(text));
  };
  const order = (one: unknown): boolean => powered.order(Order.parse(one));
  return { clock, banks, powered, raw, read, order, units: () => sent };
}

describe("power", () => {
  test("off and on again by order: the machine is dark between, and keeps its credits", () => {
    const { clock, powered, read, order } = create();
    order({ do: "bill", value: 100 });
    expect(order({ do: "powerCut", offMs: 5_000 })).toBe(true);
    expect(powered.view()).toBeNull();
    expect(read("0154")).toBe("");
    expect(order({ do: "press", button: "spin" })).toBe(false);
    clock.advance(5_000);
    expect(read("011a").slice(4, 12)).toBe("00001000");
  });
  test("cut within an answer: the host gets only its beginning", () => {
    const { clock, read, order } = create();
    order({ do: "powerCut", where: "line", after: 3, offMs: 1_000 });
    expect(read("011a")).toBe("011a00");
    clock.advance(1_000);
    expect(read("011a")).toHaveLength(16);
  });
  test("cut within a write: nothing of it happened, and the answer was never sent", () => {
    const { clock, read, order } = create();
    read("0154");
    order({ do: "powerCut", where: "memory", after: 100, offMs: 1_000 });
    expect(read(hex(withCrc([0x01, 0x01])))).toBe("");
    clock.advance(1_000);
    expect(create().powered.report()).toMatchObject({ power: true, enabled: true });
    expect(read("0154").slice(0, 4)).toBe("0154");
  });
  test("another firmware lacks a poll, a lost memory loses the credits and perhaps the address", () => {
    const { clock, powered, read, order } = create();
    order({ do: "bill", value: 100 });
    order({ do: "firmware", lacks: [0x1a] });
    clock.advance(1_000);
    expect(read("011a")).toBe("");
    expect(powered.report()).toMatchObject({ creditsSum: 10_000 });
    order({ do: "loseMemory", deaf: true });
    expect(powered.report()).toMatchObject({ creditsSum: 0 });
    expect(read("0154")).toBe("");
  });
});

describe("the control's orders", () => {
  test.each([
    { do: "press", button: "self-destruct" },
    { do: "door", open: "yes" },
    { do: "bill", value: 3 },
    { do: "ticket", number: "12" },
    { do: "line", faults: { drop: 1_001 } },
    { do: "powerCut", where: "now", after: -1 },
    { do: "clock", jumpMs: 1e99 },
    { do: "busy", on: true, also: 1 },
    { do: "menu", set: { statedDenomination: 3 } },
    { do: "menu", set: { serial: "x" } },
    { do: "board", faults: { swapped: ["spin"] } },
    { do: "screen", faults: { delayMs: -1 } },
    null,
    [],
    "press",
  ])("%j is refused", (one) => {
    expect(Order.safeParse(one).success).toBe(false);
  });
  test("cause what they name", () => {
    const { powered, read, order } = create();
    order({ do: "busy", on: true });
    expect(read("0154")).toBe("0100");
    order({ do: "busy", on: false });
    order({ do: "door", open: true });
    expect(powered.view()?.notice).toBe("DOOR OPEN");
    order({ do: "door", open: false });
    order({ do: "tilt", words: "reel 3" });
    expect(powered.view()?.notice).toBe("TILT - REEL 3");
    order({ do: "clearTilt" });
    order({ do: "handPay", amount: 5_000 });
    expect(powered.view()?.meters.handPays).toEqual([{ amount: 5_000 }]);
    expect(order({ do: "resetHandPay" })).toBe(true);
    expect(order({ do: "ticket", number: "123456789012345678" })).toBe(true);
    order({ do: "key", remote: false });
    expect(powered.remote()).toBe(false);
    order({ do: "clock", jumpMs: 86_400_000 });
    expect(read("017e").slice(4, 12)).toBe("11222026");
    order({ do: "fillQueue" });
    expect((powered.report() as { exceptions: string[] }).exceptions).toContain("70");
  });
});

describe("faults that are planted for who examines it", () => {
  const AFT_STATE = hex(withCrc(fromHex("0174ff000000")));
  test("are settings of its menu, which a restart brings into force", () => {
    const { clock, read, order } = create();
    const set = (settings: object): void => {
      order({ do: "menu", set: settings, offMs: 0 });
      clock.advance(1);
    };
    set({ version: "501", statedDenomination: 100, assetNumber: 0 });
    expect(read("0154").slice(6, 12)).toBe("353031");
    expect(read("011f").slice(14, 16)).toBe("06");
    expect(read(AFT_STATE).slice(6, 14)).toBe("00000000");
    set({ transferMax: 5_000 });
    expect(read(AFT_STATE).slice(54, 64)).toBe("0000005000");
    // Locks it for a second; it stays unlocked.
    set({ locks: false });
    expect(read(hex(withCrc(fromHex("017400010100")))).slice(14, 16)).toBe("ff");
    set({ aft: "off" });
    expect(read(AFT_STATE).slice(16, 22)).toBe("000100");
    expect(read(hex(withCrc(fromHex("017301ff"))))).toBe("81");
  });
  test("are a machine that does not let a host stop it, and one that does not count", () => {
    const { clock, powered, read, order } = create();
    order({ do: "menu", set: { hostControl: false, counts: false }, offMs: 0 });
    clock.advance(1);
    expect(read(hex(withCrc([0x01, 0x01])))).toBe("01");
    expect(powered.report()["enabled"]).toBe(true);
    order({ do: "bill", value: 100 });
    expect(order({ do: "press", button: "spin" })).toBe(true);
    clock.advance(60_000);
    expect(powered.report()["meters"]).not.toHaveProperty("00");
    expect(read("010f").slice(12, 20)).toBe("00000000");
  });
  test("are a lost ninth bit, which the machine answers by calling, and damage of one direction", () => {
    const { clock, read, order, units } = create();
    order({ do: "line", faults: { wakeup: "lost" } });
    expect(read("0154")).toBe("");
    clock.advance(5_000);
    expect(units()).not.toEqual([]);
    order({ do: "line", faults: { drop: 1_000, way: "host" } });
    expect(read("0154")).toBe("");
    order({ do: "line", faults: { drop: 1_000, way: "machine" } });
    expect(read("0154")).toBe("");
    order({ do: "line", faults: { wakeup: "stuck", way: "machine" } });
    expect(read("0154")).toBe("");
    order({ do: "line", faults: { speed: "wrong", way: "host" } });
    read("0154");
    expect(new Set(units().map(({ is }) => is))).toEqual(new Set(["receiveError"]));
    order({ do: "line", faults: {} });
    expect(read("0154").slice(0, 4)).toBe("0154");
  });
  test("and the machine counts which polls reached it", () => {
    const { powered, raw, read } = create();
    read("0154");
    read("0154");
    raw([0x80]);
    raw([0x81]);
    expect(powered.report()["received"]).toEqual({ "54": 2, general: 1 });
  });
});

describe("a damaged line", () => {
  test("announces what is late by a gap, in order", () => {
    const { read, order, units } = create();
    order({ do: "line", faults: { late: 1_000, lateMs: 7 } });
    read("0180");
    expect(units()).toEqual([]);
    order({ do: "line", faults: {} });
    expect(read("011a")).toBe("011a000000009387".slice(0, 12) + read("011a").slice(12));
  });
  test("never makes the machine move money, whatever is lost, changed, doubled or late", () => {
    fc.assert(
      fc.property(
        fc.record({
          drop: fc.integer({ min: 0, max: 300 }),
          flip: fc.integer({ min: 0, max: 300 }),
          double: fc.integer({ min: 0, max: 300 }),
          late: fc.integer({ min: 0, max: 100 }),
        }),
        fc.string({ maxLength: 8 }),
        (faults, seed) => {
          const { clock, powered, raw, order } = create({ seed });
          order({ do: "bill", value: 100 });
          order({ do: "line", faults });
          const out = withCrc(
            fromHex(
              `0172370000800000010000${"00".repeat(10)}00e9030000${"00".repeat(20)}0254310000000000000000 00`.replace(
                " ",
                "",
              ),
            ),
          );
          for (let n = 0; n < 20; n += 1) {
            raw([0x80]);
            raw(out);
            clock.advance(200);
          }
          const { credits, meters } = powered.report() as {
            credits: { cashable: number };
            meters: Record<string, number>;
          };
          expect(credits.cashable + (meters["b8"] ?? 0)).toBe(10_000);
          expect(meters["b9"] ?? 0).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: drawsOf(60) },
    );
  });
});
