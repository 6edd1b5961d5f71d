import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sumOf } from "../machine/state.ts";
import type { Bench } from "../testing/bench.ts";
import { createBench, drawsOf } from "../testing/bench.ts";
import { ascii, bcd, binary, hex } from "./bytes.ts";

type Order = {
  code?: number;
  type?: number;
  cashable?: number;
  restricted?: number;
  flags?: number;
  asset?: number;
  key?: number;
  id?: string;
  lockTimeout?: boolean;
};

/** A transfer as a host sends it. */
function order({ code = 0, type = 0, cashable = 0, restricted = 0, flags = 0, ...rest }: Order): string {
  const { asset = 1_001, key = 0, id = "T1", lockTimeout = true } = rest;
  const body = [
    ...[code, 0, type],
    ...[...bcd(cashable, 5), ...bcd(restricted, 5), ...bcd(0, 5)],
    ...[flags, ...binary(asset, 4), ...Array<number>(20).fill(key)],
    ...[id.length, ...ascii(id)],
    ...[0, 0, 0, 0, 0, 0, 0],
    ...(lockTimeout ? [0, 0] : []),
  ];
  return `0172${hex([body.length, ...body])}`;
}
const statusOf = (answer: string): string => answer.slice(8, 10);
const begin = (bench: Bench, one: Order): string => {
  bench.raw("81");
  return statusOf(bench.write(order(one)));
};
const finish = (bench: Bench): string => {
  bench.clock.advance(100);
  return statusOf(bench.write("017202ff00"));
};
const run = (bench: Bench, one: Order): string => {
  const first = begin(bench, one);
  return first === "40" ? finish(bench) : first;
};

describe("transfers", () => {
  test("in and out move the credits once, with their meters and their record", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    expect(run(bench, { cashable: 10_000, restricted: 2_000 })).toBe("00");
    expect(machine.state.credits).toEqual({ cashable: 10_000, restricted: 2_000, nonRestricted: 0 });
    expect(run(bench, { cashable: 10_000 })).toBe("81");
    expect(run(bench, { id: "T2", type: 0x80, cashable: 10_000, lockTimeout: false })).toBe("00");
    expect(machine.state.credits.cashable).toBe(0);
    expect(machine.state.meters).toMatchObject({
      a0: 10_000,
      a1: 1,
      a2: 2_000,
      a3: 1,
      b8: 10_000,
      b9: 1,
      "17": 1_200,
      "18": 1_000,
    });
    expect(bench.write("017202ffff").slice(6, 10)).toBe("0200");
    bench.raw("81");
    expect(bench.write("017202fffe").slice(6, 10)).toBe("0100");
  });
  test("are recorded by place and backwards, and the ring forgets the oldest", () => {
    const bench = createBench({ historyPlaces: 2 });
    for (const id of ["A", "B", "C"]) expect(run(bench, { id, cashable: 100 })).toBe("00");
    const idAt = (index: string): string => {
      bench.raw("81");
      const answer = bench.write(`017202ff${index}`);
      return Buffer.from(answer.slice(56, 58), "hex").toString();
    };
    expect([idAt("ff"), idAt("fe"), idAt("01"), idAt("02")]).toEqual(["C", "B", "C", "B"]);
    bench.raw("81");
    expect(bench.write("017202fffd").slice(6, 10)).toBe("fdff");
    bench.raw("81");
    expect(bench.write("017202ff03").slice(6, 10)).toBe("03ff");
  });
  test("in part only where that is allowed", () => {
    const bench = createBench({ creditMax: 5_000 });
    expect(run(bench, { cashable: 10_000 })).toBe("84");
    expect(run(bench, { id: "T2", code: 1, cashable: 10_000 })).toBe("01");
    expect(sumOf(bench.cabinet().machine.state.credits)).toBe(5_000);
    expect(run(bench, { id: "T3", type: 0x80, cashable: 9_000 })).toBe("84");
    expect(run(bench, { id: "T4", code: 1, type: 0x80, cashable: 9_000 })).toBe("01");
    expect(sumOf(bench.cabinet().machine.state.credits)).toBe(0);
    const without = createBench({ partialToHost: false });
    expect(run(without, { code: 1, type: 0x80, cashable: 9_000 })).toBe("86");
  });
  test("of nothing succeed and leave no record", () => {
    const bench = createBench();
    expect(run(bench, {})).toBe("00");
    bench.raw("81");
    expect(bench.write("017202ffff").slice(6, 10)).toBe("ffff");
  });
  test.each([
    [{ cashable: 15 }, "85"],
    [{ asset: 0 }, "93"],
    [{ asset: 1_002 }, "93"],
    [{ code: 5 }, "c1"],
    [{ type: 0x40 }, "88"],
    [{ type: 0x20 }, "82"],
    [{ type: 0x90 }, "8b"],
    [{ key: 7 }, "88"],
    [{ flags: 0x40 }, "94"],
    [{ cashable: 10_000_010 }, "84"],
  ] satisfies [Order, string][])("%j is refused as %s", (one, status) => {
    const bench = createBench();
    expect(begin(bench, one)).toBe(status);
    expect(sumOf(bench.cabinet().machine.state.credits)).toBe(0);
  });
  test.each(["", "\u0001", "T".repeat(21)])("with the id %j are refused as 95, without a record", (id) => {
    const bench = createBench();
    bench.drain();
    expect(bench.write(order({ id, cashable: 100 })).slice(4, 10)).toBe("020095");
    expect(bench.cabinet().machine.state.transfer).toBeNull();
  });
  test("are refused by an open door, a tilt, a hand pay, a running game, and inwards by a disabled machine", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.insertBill(100);
    machine.openDoor("main");
    expect(run(bench, { id: "1", cashable: 100 })).toBe("87");
    machine.closeDoor("main");
    machine.tilt("reel 3");
    expect(run(bench, { id: "2", cashable: 100 })).toBe("87");
    machine.clearTilt();
    bench.write("0101");
    expect(run(bench, { id: "3", cashable: 100 })).toBe("87");
    expect(run(bench, { id: "4", type: 0x80, cashable: 100 })).toBe("00");
    bench.write("0102");
    machine.press("spin");
    expect(run(bench, { id: "5", cashable: 100 })).toBe("87");
  });
  test("a second one while the first is pending is refused, and a cancelled one did not happen", () => {
    const bench = createBench();
    expect(begin(bench, { cashable: 100 })).toBe("40");
    expect(begin(bench, { id: "T2", cashable: 100 })).toBe("c0");
    bench.raw("81");
    expect(statusOf(bench.write("01720180"))).toBe("80");
    bench.clock.advance(1_000);
    expect(sumOf(bench.cabinet().machine.state.credits)).toBe(0);
    bench.drain();
    expect(run(bench, { cashable: 100 })).toBe("00");
  });
  test("a power cut while one is pending undoes it, and the record says so", () => {
    const bench = createBench();
    expect(begin(bench, { cashable: 100 })).toBe("40");
    bench.cycle();
    expect(bench.drain()).toContain("69");
    expect(statusOf(bench.write("017202ff00"))).toBe("87");
    expect(sumOf(bench.cabinet().machine.state.credits)).toBe(0);
  });
  test("set host cash-out by their flags", () => {
    const bench = createBench();
    run(bench, { flags: 0x07 });
    expect(bench.write("0174ff000000").slice(18, 20)).toBe("07");
  });
});

describe("the lock", () => {
  test("is given at once, repeated every five seconds, and ends by itself", () => {
    const bench = createBench();
    bench.drain();
    expect(bench.raw("01740001100085f3").slice(14, 16)).toBe("00");
    expect(bench.drain()).toEqual(["6f"]);
    bench.clock.advance(5_000);
    expect(bench.drain()).toEqual(["6f"]);
    bench.clock.advance(5_000);
    bench.drain();
    expect(bench.write("0174ff000000").slice(14, 16)).toBe("ff");
    bench.clock.advance(10_000);
    expect(bench.drain()).toEqual([]);
  });
  test("waits for the end of the game", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.insertBill(100);
    machine.press("spin");
    bench.drain();
    expect(bench.write("017400019000").slice(14, 16)).toBe("40");
    bench.settle();
    expect(machine.lock).toBe("locked");
    expect(bench.drain()[0]).toBe("6f");
    expect(run(bench, { flags: 0x40, cashable: 100 })).toBe("00");
    expect(machine.lock).toBe("unlocked");
  });
  test("is not given where the wanted transfer is not possible, and can be cancelled", () => {
    const bench = createBench();
    bench.cabinet().machine.openDoor("main");
    expect(bench.write("017400011000").slice(14, 16)).toBe("ff");
    bench.cabinet().machine.closeDoor("main");
    bench.raw("81");
    expect(bench.write("017400011000").slice(14, 16)).toBe("00");
    bench.raw("81");
    expect(bench.write("017480000000").slice(14, 16)).toBe("ff");
  });
});

test("whatever is sent and wherever power is cut, each id moves its amount at most once and the meters agree", () => {
  const order = fc.record({
    id: fc.constantFrom("A", "B", "C", "D"),
    type: fc.constantFrom(0x00, 0x80),
    code: fc.constantFrom(0, 1),
    cashable: fc.constantFrom(10, 500, 1_000),
  });
  const step = fc.oneof(
    fc.record({ is: fc.constant("transfer" as const), order }),
    fc.record({
      is: fc.constantFrom("wait" as const, "cycle" as const, "poll" as const, "door" as const, "close" as const),
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const bench = createBench({ historyPlaces: 5 });
      for (const one of steps) {
        const { machine } = bench.cabinet();
        if (one.is === "transfer") begin(bench, one.order);
        else if (one.is === "wait") bench.clock.advance(100);
        else if (one.is === "cycle") bench.cycle();
        else if (one.is === "door") machine.openDoor("main");
        else if (one.is === "close") machine.closeDoor("main");
        else bench.poll();
        const { state } = bench.cabinet().machine;
        expect(state.credits.cashable).toBe((state.meters["a0"] ?? 0) - (state.meters["b8"] ?? 0));
        expect(state.credits.cashable).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: drawsOf(150) },
  );
});
