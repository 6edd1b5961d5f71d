import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBench, drawsOf } from "../testing/bench.ts";
import { fromHex, hex, withCrc } from "./bytes.ts";

/** Exceptions that a machine raises at power up. */
const POWER = ["17"];

describe("polls", () => {
  test("a machine ignores its own address until it has seen another", () => {
    const bench = createBench();
    expect(bench.raw("81")).toBe("");
    expect(bench.raw("80")).toBe("");
    expect(bench.raw("81")).toBe("17");
  });
  test("a poll without its ninth bit, a wrong CRC, an unknown poll and another address get no answer", () => {
    const bench = createBench();
    bench.drain();
    const { line } = bench.cabinet();
    line.receive({ is: "character", byte: 0x81, wakeup: false });
    expect(bench.raw("01015109")).toBe("");
    expect(bench.raw("01d3")).toBe("");
    expect(bench.raw("021a")).toBe("");
    expect(line.counts().crcErrors).toBe(1);
  });
  test("the same general poll repeats the exception; another address acknowledges it", () => {
    const bench = createBench();
    bench.cabinet().machine.openDoor("main");
    bench.raw("80");
    expect([bench.raw("81"), bench.raw("81"), bench.raw("81")]).toEqual(["17", "17", "17"]);
    bench.raw("82");
    expect(bench.raw("81")).toBe("11");
    bench.raw("011a");
    expect(bench.raw("81")).toBe("00");
  });
  test("after two repeats the machine gives up and keeps its data", () => {
    const bench = createBench();
    bench.raw("80");
    for (let n = 0; n < 3; n += 1) expect(bench.raw("81")).toBe("17");
    bench.cabinet().machine.raise(0x69);
    expect(bench.raw("81")).toBe("69");
    bench.raw("80");
    expect(bench.raw("81")).toBe("17");
  });
  test("the same long poll is answered as before, without being carried out again", () => {
    const bench = createBench();
    bench.cabinet().machine.makeHandPay(5_000);
    const first = bench.write("0194");
    expect(first.slice(0, 6)).toBe("019400");
    expect(bench.raw("019475cb")).toBe(first);
    bench.raw("81");
    expect(bench.raw("019475cb").slice(0, 6)).toBe("019402");
  });
  test("6F twice is a repeat, whatever it reads; AF between them is not", () => {
    const bench = createBench();
    bench.cabinet().machine.insertBill(100);
    bench.cabinet().machine.press("spin");
    const coinIn = bench.write("016f0400000000");
    const spun = hex(withCrc(fromHex("016f0400000500")));
    expect(bench.raw(spun)).toBe(coinIn);
    expect(bench.raw(hex(withCrc(fromHex("01af0400000500")))).slice(10, 24)).toBe("05000400000001");
  });
  test("a gap within a message and a receive error drop it", () => {
    const bench = createBench();
    bench.drain();
    const { line } = bench.cabinet();
    line.receive({ is: "character", byte: 0x01, wakeup: true });
    line.gap(6);
    line.receive({ is: "character", byte: 0x1a, wakeup: false });
    expect(bench.raw("")).toBe("");
    line.receive({ is: "character", byte: 0x01, wakeup: true });
    line.receiveError();
    line.receive({ is: "character", byte: 0x1a, wakeup: false });
    expect(line.counts()).toMatchObject({ gaps: 1, receiveErrors: 1, messages: expect.any(Number) });
    line.receive({ is: "character", byte: 0x01, wakeup: true });
    line.gap(5);
    expect(bench.raw("011a").slice(0, 4)).toBe("011a");
  });
  test("a busy machine answers so and does nothing", () => {
    const bench = createBench();
    bench.cabinet().setBusy(true);
    expect(bench.write("0101")).toBe("0100");
    expect(bench.cabinet().machine.state.enabled).toBe(true);
  });
  test("a firmware that lacks a poll is silent to it", () => {
    expect(createBench({ lacks: [0x6f] }).write("016f0400000000")).toBe("");
  });
  test("a host whose ninth bit is parity is understood where the machine ignores it", () => {
    const bench = createBench({}, { wakeup: "ignored" });
    bench.drain();
    const { line } = bench.cabinet();
    const parity = (byte: number): boolean => byte.toString(2).replaceAll("0", "").length % 2 === 1;
    const { messages } = line.counts();
    for (const byte of [0x80, 0x01, 0x54]) line.receive({ is: "character", byte, wakeup: parity(byte) });
    expect(line.counts().messages).toBe(messages + 1);
  });
});

describe("the loop", () => {
  test("without any address for five seconds the machine sends its own every 200 ms, until it is polled", () => {
    const chirps: boolean[] = [];
    const bench = createBench({}, { send: (list) => void chirps.push(...list.map(({ wakeup }) => wakeup)) });
    bench.clock.advance(4_999);
    expect(chirps).toEqual([]);
    bench.clock.advance(1_001);
    expect(chirps).toEqual([true, true, true, true, true, true]);
    bench.raw("80");
    bench.clock.advance(1_000);
    expect(chirps).toHaveLength(6);
  });
  test("a machine without an address is deaf and mute", () => {
    const bench = createBench();
    bench.cabinet().setDeaf(true);
    expect(bench.poll()).toBe("");
    bench.clock.advance(20_000);
    expect(bench.raw("")).toBe("");
  });
  test("30 s without an acknowledgement lose the link: the machine waits for another address", () => {
    const bench = createBench();
    bench.raw("80");
    for (let n = 0; n < 20; n += 1) {
      bench.raw("81");
      bench.clock.advance(2_000);
    }
    expect(bench.raw("81")).toBe("");
    bench.raw("80");
    expect(bench.raw("81")).toBe("17");
  });
});

describe("exceptions", () => {
  test("come in order, those of priority first, and survive power", () => {
    const bench = createBench();
    const { machine } = bench.cabinet();
    machine.openDoor("main");
    machine.makeHandPay(5_000);
    machine.closeDoor("main");
    bench.cycle();
    expect(bench.drain()).toEqual(["51", "17", "11", "12", "17"]);
    expect(bench.poll()).toBe("00");
  });
  test("the twenty-first loses the oldest and reports the overflow first", () => {
    const bench = createBench();
    bench.drain();
    bench.cabinet().machine.fillQueue();
    bench.cabinet().machine.openDoor("main");
    const all = bench.drain();
    expect(all[0]).toBe("70");
    expect(all.slice(1)).toEqual([...Array<string>(19).fill("7f"), "11"]);
  });
  test("with real-time events on a waiting event takes the place of an answer, and 00 does not", () => {
    const bench = createBench();
    bench.drain();
    bench.raw("010e0145d1");
    expect(bench.read("011a").slice(0, 4)).toBe("011a");
    bench.cabinet().machine.openDoor("main");
    expect(bench.write("0101").slice(0, 6)).toBe("01ff11");
    expect(bench.cabinet().machine.state.enabled).toBe(true);
    bench.raw("80");
    expect(bench.raw("01015108")).toBe("01");
    expect(bench.cabinet().machine.state.enabled).toBe(false);
    expect(bench.poll()).toBe("00");
    bench.cycle();
    expect(bench.drain()).toEqual(POWER);
  });
});

describe("hostile hosts", () => {
  const character = fc.record({
    is: fc.constant("character" as const),
    byte: fc.oneof(
      fc.constantFrom(0x01, 0x81, 0x80, 0x00, 0x72, 0x74, 0x2f, 0x6f, 0xff),
      fc.integer({ min: 0, max: 255 }),
    ),
    wakeup: fc.boolean(),
  });
  test("no bytes break the machine, move money or lose an exception", () => {
    fc.assert(
      fc.property(fc.array(character, { maxLength: 300 }), (list) => {
        const bench = createBench();
        bench.cabinet().machine.state.credits.cashable = 10_000;
        bench.cabinet().machine.openDoor("main");
        for (const one of list) bench.cabinet().line.receive(one);
        bench.cabinet().line.receiveError();
        bench.clock.advance(1_000);
        expect(bench.cabinet().machine.state.credits.cashable).toBe(10_000);
        expect(bench.read("0154").slice(0, 4)).toMatch(/^01(54|ff)$/);
      }),
      { numRuns: drawsOf(300) },
    );
  });
  test("whatever the host repeats or skips, each exception arrives at least once and in order", () => {
    const step = fc.constantFrom("81", "80", "011a", "010f", "82");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const bench = createBench();
        const { machine } = bench.cabinet();
        machine.openDoor("main");
        machine.openDoor("drop");
        machine.closeDoor("main");
        const seen: string[] = [];
        bench.raw("80");
        for (const poll of steps) {
          const answer = bench.raw(poll);
          if (poll === "81" && answer !== "00" && seen.at(-1) !== answer) seen.push(answer);
        }
        for (const answer of bench.drain()) if (seen.at(-1) !== answer) seen.push(answer);
        expect(seen).toEqual(["17", "11", "13", "12"]);
      }),
      { numRuns: drawsOf(300) },
    );
  });
});
