import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fromHex, hex, withCrc } from "../sas/bytes.ts";
import { createBench, drawsOf } from "../testing/bench.ts";
import { MemoryDamaged, openMemory } from "./memory.ts";
import type { State } from "./state.ts";
import { sumOf } from "./state.ts";

const meter = (state: State, code: string): number => state.meters[code] ?? 0;

/** What left and entered the credit meter, in credits, by the meters that a host reads. */
function balance(state: State, denomination: number): number {
  const cents = (code: string): number => meter(state, code) / denomination;
  const inward = cents("a0") + cents("a2") + cents("a4") + meter(state, "0b") + cents("0d") + meter(state, "01");
  const outward = cents("b8") + cents("ba") + cents("bc") + cents("0e") + meter(state, "00") + meter(state, "03");
  return inward - outward;
}

/** Cash in by bills, without a host. */
function fund(bench: ReturnType<typeof createBench>, bills = 5): void {
  for (let n = 0; n < bills; n += 1) bench.cabinet().machine.insertBill(100);
}

describe("play", () => {
  test("ten games report 7E and 7F with their meters, and the credit meter agrees with them", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    fund(bench);
    bench.drain();
    bench.raw("010e0145d1");
    bench.drain();
    for (let n = 0; n < 10; n += 1) {
      expect(machine.press("spin")).toBe(true);
      bench.settle();
      bench.clock.advance(200);
      const events = bench.drain();
      const coinIn = String(meter(machine.state, "00")).padStart(8, "0");
      expect(events[0]?.slice(0, 6)).toBe("01ff7e");
      expect(events[0]?.slice(10, 18)).toBe(coinIn);
      expect(events.at(-1)?.slice(0, 6)).toBe("01ff7f");
      if (machine.pendingHandPay() !== null) machine.resetHandPay();
    }
    expect(meter(machine.state, "05")).toBe(10);
    expect(sumOf(machine.state.credits) / 10).toBe(balance(machine.state, 10));
  });
  test("no game starts while the machine is disabled, open, locked, in a hand pay, or without credits", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    expect(machine.press("spin")).toBe(false);
    fund(bench);
    bench.write("0101");
    expect(machine.press("spin")).toBe(false);
    bench.write("0102");
    machine.openDoor("main");
    expect(machine.press("spin")).toBe(false);
    machine.closeDoor("main");
    machine.requestLock(1_000);
    expect(machine.press("spin")).toBe(false);
    bench.clock.advance(1_000);
    machine.makeHandPay(1_000);
    expect(machine.press("spin")).toBe(false);
    machine.resetHandPay();
    expect(machine.press("spin")).toBe(true);
  });
  test("a game that power interrupts is ended with its drawn outcome", () => {
    const bench = createBench();
    fund(bench);
    bench.cabinet().machine.press("spin");
    const { game } = bench.cabinet().machine.state;
    bench.cycle();
    const { state } = bench.cabinet().machine;
    expect(state.game).toBeNull();
    expect(state.stops).toEqual(game?.outcome.spins.at(-1)?.stops);
    expect(bench.drain()).toContain("7f");
    expect(sumOf(state.credits) / 10).toBe(balance(state, 10));
  });
  test("a wished bonus waits for the player, and the spin key picks", () => {
    const bench = createBench();
    fund(bench);
    const { machine } = bench.cabinet();
    machine.wish("bonus");
    machine.press("spin");
    for (let n = 0; n < 200 && !machine.waitsForPlayer(); n += 1) bench.clock.advance(5);
    bench.drain();
    expect(bench.poll()).toBe("1f");
    for (let n = 0; n < 3; n += 1) expect(machine.press("spin")).toBe(true);
    bench.settle();
    expect(machine.state.lastWin).toBeGreaterThan(0);
  });
});

describe("hand pays", () => {
  test("queue, are read oldest first, and are reported again until they are read", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.makeHandPay(1_000);
    machine.makeHandPay(2_000, 0x01);
    expect(bench.drain()).toEqual(["51", "17"]);
    bench.clock.advance(15_000);
    expect(bench.drain()).toContain("51");
    expect(bench.read("011b").slice(4, 18)).toBe("00400000001000");
    expect(bench.read("011b").slice(4, 18)).toBe("00010000002000");
    bench.raw("81");
    bench.drain();
    bench.clock.advance(60_000);
    expect(bench.drain()).not.toContain("51");
    expect([bench.write("0194"), bench.write("0194"), bench.write("0194")].map((answer) => answer.slice(4, 6))).toEqual(
      ["00", "00", "02"],
    );
    expect(meter(machine.state, "02")).toBe(300);
    expect(bench.drain()).toContain("52");
  });
  test("wait up to five, each is paid, and a sixth is not made", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    for (let n = 1; n <= 5; n += 1) expect(machine.makeHandPay(n * 1_000)).toBe(true);
    expect(machine.makeHandPay(6_000)).toBe(false);
    for (let n = 1; n <= 5; n += 1) {
      bench.raw("81");
      expect(bench.read("011b").slice(8, 18)).toBe(String(n * 1_000).padStart(10, "0"));
      bench.raw("81");
      expect(bench.write("0194").slice(4, 6)).toBe("00");
    }
    expect(meter(machine.state, "02")).toBe(1_500);
    expect(machine.state.handPays.every(({ read, reset }) => read && reset)).toBe(true);
  });
  test("one that was keyed off unread is reported all the same", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.makeHandPay(1_000);
    machine.resetHandPay();
    bench.drain();
    bench.clock.advance(15_000);
    expect(bench.drain()).toContain("51");
    expect(bench.read("011b").slice(4, 18)).toBe("00400000001000");
  });
});

describe("cash out by the player", () => {
  test("to a host that takes it", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.state.hostCashOut.enabled = true;
    fund(bench, 1);
    machine.press("collect");
    expect(bench.drain()).toContain("6a");
    const id = "54".repeat(4);
    const body = `0000800000010000${"00".repeat(10)}00e9030000${"00".repeat(20)}04${id}000000000000000000`;
    bench.write(`0172${(body.length / 2).toString(16)}${body}`);
    bench.clock.advance(100);
    expect(sumOf(machine.state.credits)).toBe(0);
    expect(machine.state.cashOut).toBeNull();
  });
  test("without any host ends in a hand pay of cancelled credits after ten seconds", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    fund(bench, 1);
    machine.press("collect");
    expect(bench.drain().filter((code) => code === "66" || code === "57")).toEqual(["57", "66"]);
    bench.clock.advance(10_000);
    expect(bench.drain()).toEqual(["51"]);
    expect(bench.read("011b").slice(4, 18)).toBe("00800000010000");
    bench.write("0194");
    expect(sumOf(machine.state.credits)).toBe(0);
    expect(meter(machine.state, "03")).toBe(1_000);
    expect(balance(machine.state, 10)).toBe(0);
  });
});

describe("tickets and bills", () => {
  test("a ticket is redeemed once, with its own number", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.insertTicket("123456789012345678");
    expect(bench.drain()).toEqual(["67", "17"]);
    expect(bench.read("0170").slice(4, 6)).toBe("10");
    const redeem = (number: string): string => bench.write(`01711000000000250000${number}`);
    expect(redeem("123456789012345679").slice(6, 8)).toBe("81");
    machine.insertTicket("123456789012345678");
    bench.raw("81");
    expect(redeem("123456789012345678").slice(6, 8)).toBe("00");
    expect(sumOf(machine.state.credits)).toBe(2_500);
    bench.raw("81");
    expect(redeem("123456789012345678").slice(6, 8)).toBe("c0");
    expect(bench.write("017101ff").slice(6, 8)).toBe("00");
  });
  test("bills count, and are refused while the acceptor is off", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    expect(machine.insertBill(20)).toBe(true);
    bench.write("0107");
    expect(machine.insertBill(20)).toBe(false);
    expect(machine.insertBill(7)).toBe(false);
    expect(bench.drain()).toEqual(["17", "4a", "2b", "2b"]);
    expect(bench.read("0135").slice(4, 12)).toBe("00000001");
    expect(bench.read("0120").slice(4, 12)).toBe("00000020");
  });
});

describe("meters", () => {
  test("reach the host late where the fault is on, and the event does not", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.meterDelayMs = 300;
    machine.insertBill(100);
    expect(bench.read("011a")).toBe(hex(withCrc(fromHex("011a00001000"))));
    machine.insertBill(100);
    expect(bench.read("0146").slice(4, 12)).toBe("00001000");
    bench.clock.advance(300);
    expect(bench.read("0146").slice(4, 12)).toBe("00002000");
  });
  test("of one game and of codes that do not exist", () => {
    const bench = createBench();
    expect(bench.write("012f06000000010cfe")).toBe(hex(withCrc(fromHex("012f110000000000000001000000000c00000000"))));
    expect(bench.write("016f060000ffff0000").slice(10, 16)).toBe("ffff00");
    expect(bench.write("012f03000200").slice(0, 2)).toBe("81");
    expect(bench.write("016f030000a0")).toBe("81");
  });
  test("roll over", () => {
    const bench = createBench();
    bench.cabinet().machine.state.meters["00"] = 123_456_789;
    expect(bench.read("0111").slice(4, 12)).toBe("23456789");
  });
});

describe("identity", () => {
  test("version and serial number, game, enabled games, date, features, denomination", () => {
    const bench = createBench();
    expect(bench.read("0154")).toBe(hex(withCrc([1, 0x54, 15, ...Buffer.from("602LC-000001001")])));
    expect(bench.read("011f")).toHaveLength(48);
    expect(bench.read("0151").slice(4, 8)).toBe("0001");
    expect(bench.read("0156").slice(4, 12)).toBe("03010001");
    expect(bench.write("0109000100")).toBe("01");
    expect(bench.read("0156").slice(4, 8)).toBe("0100");
    expect(bench.read("017e").slice(4, 18)).toBe("11212026053000");
    expect(bench.write("017f01022027030405")).toBe("01");
    expect(bench.read("017e").slice(4, 18)).toBe("01022027030405");
    expect(bench.write("017f99992027030405")).toBe("81");
    expect(bench.write("01a00000").slice(4, 20)).toBe("0000a04c01000000");
    expect(bench.read("01b1").slice(4, 6)).toBe("03");
    expect(bench.read("01b2").slice(4, 10)).toBe("020103");
  });
  test("the signature comes later, to a general poll, and depends on the seed", () => {
    const bench = createBench();
    bench.drain();
    const signature = (seed: string): string => {
      expect(bench.write(`0121${seed}`)).toBe("01");
      bench.raw("80");
      expect(bench.raw("81")).toBe("00");
      bench.clock.advance(2_000);
      return bench.poll();
    };
    const first = signature("0000");
    expect(first.slice(0, 4)).toBe("0121");
    expect(signature("1234")).not.toBe(first);
    expect(signature("0000")).toBe(first);
  });
});

describe("power", () => {
  test("a cut at any byte of a write leaves the state before it, and the machine continues", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000 }), (at) => {
        const bench = createBench({ historyPlaces: 2 });
        fund(bench, 2);
        bench.banks.cutAfter = at;
        bench.cabinet().guard(() => bench.cabinet().machine.insertBill(100));
        expect(bench.off()).toBe(true);
        expect(bench.poll()).toBe("");
        bench.cycle();
        const { state } = bench.cabinet().machine;
        expect([20_000, 30_000]).toContain(sumOf(state.credits));
        expect(sumOf(state.credits) / 10).toBe(balance(state, 10));
      }),
      { numRuns: drawsOf(60) },
    );
  });
  test("a memory of which both banks are damaged is refused, a lost one starts as new", () => {
    const bench = createBench();
    bench.cabinet().machine.insertBill(100);
    bench.cabinet().machine.loseMemory();
    expect(bench.cabinet().machine.state.credits.cashable).toBe(0);
    expect(bench.drain()).toEqual(["7a"]);
    for (const bank of [0, 1] as const) bench.banks.write(bank, Buffer.from("nothing of ours"));
    expect(() => openMemory(bench.banks)).toThrow(MemoryDamaged);
  });
});
