import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checks, createBench } from "../testing/bench.ts";
import { instantOf, stampOf } from "./aft.ts";
import { bcd, binary, crc16, fromBcd, fromBinary, fromHex, hex, withCrc } from "./bytes.ts";

/** Published frames, CRC included. */
const PUBLISHED = [
  "01 57 00 00 00 00 47 50 83 6D",
  "01 58 01 12 34 56 78 90 12 34 56 9C 34",
  "01 58 00 EB 47",
  "01 58 00 00 00 00 00 00 00 00 00 91 BF",
  "01 52 00 00 E0 2A",
  "01 52 00 01 69 3B",
  "01 52 00 02 F2 09",
  "01 52 00 09 21 B7",
  "01 52 00 10 61 3A",
  "01 52 00 14 45 7C",
  "01 71 01 FF 1F D0",
  "01 72 02 FF 00 0F 22",
  "01 FF 51 10 E6",
  "01 FF 6F ED 3E",
  "01 FF 00 1C A5",
  "01 FF 1F 6A 4D",
  "01 FF 70 9B D6",
  "01 FF 20 1E 84",
  "01 FF 82 06 02",
  "01 FF 83 8F 13",
];

test("the CRC of the check text is 2189", () => {
  expect(crc16(Buffer.from("123456789"))).toBe(0x2189);
});
test.each(PUBLISHED)("%s has the right CRC", (frame) => {
  expect(checks(frame)).toBe(true);
});

describe("numbers", () => {
  test("survive BCD and binary, and a full BCD number starts again at 0", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 99_999_999 }), (value) => {
        expect(fromBcd(bcd(value, 4))).toBe(value);
        expect(fromBcd(bcd(value + 100_000_000, 4))).toBe(value);
        expect(fromBinary(binary(value, 4))).toBe(value);
      }),
    );
  });
  test("are not read from digits above 9", () => {
    expect(fromBcd([0x0a])).toBeNull();
    expect(fromBcd([0xa0])).toBeNull();
  });
  test("dates are read only when they exist", () => {
    const at = Date.UTC(2026, 10, 21, 20, 26, 5);
    expect(instantOf(Object.values(stampOf(at)).flat())).toBe(at);
    expect(instantOf(fromHex("02302026000000"))).toBeNull();
    expect(instantOf(fromHex("0230202600000a"))).toBeNull();
  });
});

/** What the cabinet itself sends and accepts, against the same tables. */
describe("the cabinet's own frames", () => {
  test("current credits of 1234", () => {
    const bench = createBench({ denomination: 1 });
    bench.cabinet().machine.state.credits.cashable = 1_234;
    expect(bench.read("011a")).toBe("011a00001234452d");
  });
  test("six meters", () => {
    const bench = createBench();
    Object.assign(bench.cabinet().machine.state.meters, { "00": 12_345, "01": 11_000, "24": 5_000, "05": 77 });
    expect(bench.read("010f")).toBe("010f000000000001234500011000000050000000000000000077cced");
  });
  test("a hand pay of 1250.00", () => {
    const bench = createBench();
    bench.cabinet().machine.makeHandPay(125_000);
    // The reset method is offered, which the vector of the table leaves at 0.
    const answer = bench.read("011b");
    expect(answer.slice(0, 22)).toBe("011b004000001250000000");
    expect(checks(answer)).toBe(true);
    expect(answer).toHaveLength(48);
  });
  test("no cash-out waits for a validation", () => {
    expect(createBench().read("0157")).toBe(hex(withCrc(fromHex("0157800000000000"))));
    expect(createBench().read("0157")).toBe("0157800000000000ca31");
  });
  test("a pending cash-out of 47.50", () => {
    const bench = createBench();
    bench.cabinet().machine.state.credits.cashable = 4_750;
    bench.cabinet().machine.press("collect");
    expect(bench.read("0157")).toBe("0157000000004750836d");
    expect(bench.raw("01580112345678901234569c35")).toBe("");
    expect(bench.raw("01580112345678901234569c34")).toBe("015800eb47");
    expect(bench.cabinet().machine.state.credits.cashable).toBe(0);
    expect(bench.drain()).toContain("3d");
  });
  test("real-time events", () => {
    const bench = createBench();
    bench.drain();
    expect(bench.raw("010e0145d1")).toBe("01");
    const { machine } = bench.cabinet();
    for (const [code, data, frame] of [
      [0x7e, "0030000123450000", "01ff7e00300001234500006708"],
      [0x7f, "00000150", "01ff7f00000150ad56"],
      [0x66, "", "01ff662ca3"],
      [0x69, "", "01ff69db5b"],
      [0x88, "0105", "01ff880105cd4a"],
      [0x51, "", "01ff5110e6"],
      [0x70, "", "01ff709bd6"],
      [0x20, "", "01ff201e84"],
    ] as const) {
      machine.raise(code, fromHex(data));
      expect(bench.poll()).toBe(frame);
    }
  });
  test.each(["01015108", "0102ca3a", "0106ee7c", "0107676d", "010e0145d1", "010e00ccc0", "012100005c45"])(
    "%s is acknowledged",
    (poll) => {
      expect(createBench().read(poll)).toBe("01");
    },
  );
  test("bonus of long poll 8A is not in this firmware, a reset without a hand pay is answered so", () => {
    const bench = createBench();
    expect(bench.read("018a0000050000c48a")).toBe("");
    expect(bench.read("019475cb")).toBe(hex(withCrc(fromHex("019402"))));
    bench.cabinet().machine.makeHandPay(1_000);
    expect(bench.read("019475cb")).toBe("019400e124");
  });
  test("lock and status for 123.45, both ways open", () => {
    const bench = createBench({ denomination: 1, transferMax: 1_000_000 });
    bench.cabinet().machine.state.credits.cashable = 12_345;
    bench.cabinet().machine.state.hostCashOut.enabled = true;
    // The machine of the published answer has a printer and no partial transfers to the host: 91 where ours has 92.
    const body = "017423e9030000ff0303927f0000012345000000000000000000000001000000000000000000";
    expect(bench.read("0174ff0000001af9")).toBe(hex(withCrc(fromHex(body))));
    expect(bench.read("017480000000a611")).toBe(hex(withCrc(fromHex(body))));
  });
  test("the registration is read, made and ended", () => {
    const bench = createBench();
    expect(bench.write("017301ff")).toBe(hex(withCrc(fromHex(`01731d80e9030000${"00".repeat(24)}`))));
    const register = `01731d01e9030000${"00".repeat(20)}b374a402`;
    expect(hex(withCrc(fromHex(register)))).toBe(`${register}d4e3`);
    expect(bench.write(register)).toBe(hex(withCrc(fromHex(`01731d01e9030000${"00".repeat(20)}b374a402`))));
    expect(hex(withCrc(fromHex(`01731d80e9030000${"00".repeat(20)}b374a402`))).slice(-4)).toBe("ea7d");
    expect(bench.write(`01731d80e9030000${"00".repeat(20)}b374a402`).slice(6, 8)).toBe("80");
  });
  test("a transfer of 100.00 goes through pending to complete", () => {
    const bench = createBench({ denomination: 1 });
    bench.drain();
    const request = [
      "01724500000000000100000000000000000000000000e9030000000000000000000000000000000000000000000010",
      "543030303030303030303030303030310000000000000000003f20",
    ].join("");
    expect(checks(request)).toBe(true);
    expect(bench.read(request)).toBe(
      "0172390040ff0000000100000000000000000000000000e90300001054303030303030303030303030303031000000000000000000000000000000006cad",
    );
    bench.clock.advance(100);
    expect(bench.drain()).toEqual(["69"]);
    const answer = bench.write("017202ff00");
    const id = "1054303030303030303030303030303031";
    const head = "01723e0000ff0000000100000000000000000000000000e9030000";
    expect(answer).toBe(hex(withCrc(fromHex(`${head}${id}1121202605300000000000000005000001${"00".repeat(4)}`))));
  });
  test("a published full transfer without lock time-out is parsed: another asset than ours is refused as such", () => {
    const bench = createBench();
    const frame =
      "017245000000000000000000000000000000100000000903000000000000000000000000000000000000000000001200657374205472616E73616374696F6E3232053020200C00000A45";
    expect(checks(frame)).toBe(true);
    // Its id begins with a byte that no id may hold, which is refused before the asset number.
    expect(bench.read(frame)).toBe(hex(withCrc(fromHex("0172020095"))));
  });
});
