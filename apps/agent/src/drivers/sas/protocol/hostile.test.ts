import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interrogate, readLock, readRegistration, transferFunds } from "./aft.ts";
import { ByteReader, bcd, binary, crcHolds, ProtocolProblem, withCrc } from "./bytes.ts";
import { meterShape } from "./meters.ts";
import type { LongPoll } from "./polls.ts";
import * as polls from "./polls.ts";
import { judgeReply } from "./replies.ts";

/* A machine, a bad cable or a stranger on the line may send anything: nothing of it is believed, and nothing of it throws. */

const every: readonly LongPoll<unknown>[] = [
  polls.shutDown(),
  polls.mainMeters(),
  polls.fiveMeters(),
  polls.currentCredits(),
  polls.handPay(),
  polls.machineIdentity(),
  polls.gamesImplemented(),
  polls.gameIdentity(1),
  polls.gameMeters(1),
  polls.versionAndSerial(),
  polls.selectedGame(),
  polls.enabledGames(),
  polls.meters(0, [0x00, 0x0c, 0xa0]),
  polls.extendedMeters(0, [0x00, 0xa0]),
  polls.extendedMeters(0, [0x00, 0xa0], true),
  polls.dateAndTime(),
  polls.resetHandPay(),
  polls.features(),
  polls.playerDenomination(),
  polls.playerDenominations(),
  polls.tokenDenomination(),
  polls.extendedGame(1),
  polls.pendingCashOut(),
  interrogate(0),
  readRegistration(),
  readLock(),
];
const frame = (...bytes: number[]): Uint8Array => withCrc(Uint8Array.of(1, ...bytes));
const judge = (poll: LongPoll<unknown> | "general", bytes: Uint8Array, silent = true) =>
  judgeReply(bytes, 1, poll, silent);

describe("anything at all", () => {
  const heads = fc.constantFrom<number[]>([], [1], [1, 0xff], [1, 0x72], [1, 0x2f], [1, 0x6f], [1, 0x54], [1, 0x21]);
  test("is judged without an exception, and never as more than a message can have", () => {
    void fc.assert(
      fc.property(
        fc.constantFrom<LongPoll<unknown> | "general">("general", ...every),
        heads,
        fc.uint8Array({ maxLength: 300 }),
        fc.boolean(),
        fc.boolean(),
        (poll, head, tail, valid, silent) => {
          const bytes = Uint8Array.of(...head, ...tail);
          const reply = judge(poll, valid ? withCrc(bytes) : bytes, silent);
          if (silent) expect(reply.is).not.toBe("more");
        },
      ),
      { numRuns: 3_000 },
    );
  });
  test("a message of each poll with a right checksum and any data is an answer or garbled", () => {
    void fc.assert(
      fc.property(fc.constantFrom(...every), fc.uint8Array({ maxLength: 120 }), (poll, data) => {
        const counted = poll.shape === "counted" ? [data.length] : [];
        const { is } = judge(poll, frame(poll.code, ...counted, ...data));
        expect(["answer", "garbled", "unreadable"]).toContain(is);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("a whole message", () => {
  const known: [LongPoll<unknown> | "general", Uint8Array][] = [
    [polls.currentCredits(), frame(0x1a, 0, 0, 0x12, 0x34)],
    [polls.versionAndSerial(), frame(0x54, 6, 0x36, 0x30, 0x32, 0x41, 0x42, 0x43)],
    [polls.enabledGames(), frame(0x56, 3, 1, 0, 7)],
    [readLock(), frame(0x74, 0x23, 1, 0, 0, 0, 0xff, ...new Array(30).fill(0))],
    ["general", frame(0xff, 0x7f, 0, 0, 1, 0x50)],
    [polls.currentCredits(), frame(0xff, 0x69)],
  ];
  test.each(known)("in part is awaited, and garbled when the line is silent (%#)", (poll, message) => {
    expect(["answer", "event"]).toContain(judge(poll, message).is);
    for (let length = 2; length < message.length; length += 1) {
      expect(judge(poll, message.subarray(0, length), false).is).toBe("more");
      expect(judge(poll, message.subarray(0, length), true).is).toBe("garbled");
    }
  });
  test.each(known)("with one bit flipped or one byte more is not believed (%#)", (poll, message) => {
    for (let bit = 0; bit < message.length * 8; bit += 1) {
      const flipped = message.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
      expect(judge(poll, flipped).is).toBe("garbled");
    }
    expect(judge(poll, Uint8Array.of(...message, 0)).is).toBe("garbled");
  });
});

describe("one byte", () => {
  const ack = polls.startUp();
  test("the address acknowledges only when nothing follows", () => {
    expect(judge(ack, Uint8Array.of(1), false)).toEqual({ is: "more" });
    expect(judge(ack, Uint8Array.of(1), true)).toEqual({ is: "answer", answer: undefined });
    expect(judge(polls.mainMeters(), Uint8Array.of(1), true).is).toBe("garbled");
  });
  test("the address with its top bit set refuses", () => {
    expect(judge(ack, Uint8Array.of(0x81), false)).toEqual({ is: "nack" });
    expect(judge(ack, Uint8Array.of(0x82), false).is).toBe("garbled");
  });
  test("zero behind the address is busy", () => {
    expect(judge(ack, Uint8Array.of(1, 0), false)).toEqual({ is: "busy" });
  });
  test("an exception answers a general poll at once, known or not, also one that equals the address", () => {
    expect(judge("general", Uint8Array.of(0x51), false)).toEqual({ is: "event", event: { code: 0x51 } });
    expect(judge("general", Uint8Array.of(0xe7), false)).toEqual({ is: "event", event: { code: 0xe7 } });
    expect(judge("general", Uint8Array.of(1), false)).toEqual({ is: "more" });
    expect(judge("general", Uint8Array.of(1), true)).toEqual({ is: "event", event: { code: 1 } });
  });
});

describe("fields that lie", () => {
  test("a length byte that is too small, too large or zero", () => {
    for (const length of [0, 2, 4, 5, 0xff])
      expect(judge(polls.enabledGames(), frame(0x56, length, 1, 0, 7)).is).toBe("garbled");
  });
  test("a number that is not BCD", () => {
    expect(judge(polls.currentCredits(), frame(0x1a, 0, 0, 0x1a, 0))).toEqual({
      is: "unreadable",
      why: "00001a00 is not BCD",
    });
  });
  test("a count of games or of letters beyond the message", () => {
    expect(judge(polls.enabledGames(), frame(0x56, 3, 200, 0, 7)).is).toBe("unreadable");
    expect(judge(polls.extendedGame(1), frame(0xb5, 10, 0, 1, 0, 5, 0, 0, 0, 0, 0, 0x14)).is).toBe("unreadable");
  });
  test("meters that were not requested, that are there twice, too large or of another game", () => {
    const poll = polls.meters(0, [0x00]);
    const value = [0, 0, 0, 1];
    expect(judge(poll, frame(0x2f, 7, 0, 0, 0x00, ...value))).toMatchObject({ is: "answer" });
    expect(judge(poll, frame(0x2f, 7, 0, 0, 0x01, ...value)).is).toBe("unreadable");
    expect(judge(poll, frame(0x2f, 7, 0, 1, 0x00, ...value)).is).toBe("unreadable");
    expect(judge(poll, frame(0x2f, 12, 0, 0, 0x00, ...value, 0x00, ...value)).is).toBe("unreadable");
    const extended = polls.extendedMeters(0, [0x00]);
    expect(judge(extended, frame(0x6f, 5, 0, 0, 0, 0, 0))).toEqual({ is: "answer", answer: new Map() });
    expect(judge(extended, frame(0x6f, 15, 0, 0, 0, 0, 10, ...new Array(10).fill(0))).is).toBe("unreadable");
    expect(judge(extended, frame(0x6f, 14, 0, 0, 0, 0, 9, 1, ...new Array(8).fill(0))).is).toBe("unreadable");
    expect(judge(extended, frame(0x6f, 14, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0))).toEqual({
      is: "answer",
      answer: new Map([[0, 100]]),
    });
  });
  test("a date that does not exist; no date at all is none", () => {
    expect(judge(polls.dateAndTime(), frame(0x7e, 0x13, 1, 0x20, 0x26, 0, 0, 0)).is).toBe("unreadable");
    expect(judge(polls.dateAndTime(), frame(0x7e, 0, 0, 0, 0, 0, 0, 0))).toEqual({ is: "answer", answer: undefined });
  });
  test("a transfer id that is too long, and an answer of two bytes alone", () => {
    const head = [0, 0, 0xff, 0, ...new Array(15).fill(0), 0, 1, 0, 0, 0];
    const withId = (length: number, letters: number) => [...head, length, ...new Array(letters).fill(0x41)];
    const long = withId(21, 21);
    expect(judge(interrogate(0), frame(0x72, long.length, ...long)).is).toBe("unreadable");
    expect(judge(interrogate(0), frame(0x72, 2, 0, 0xff))).toMatchObject({ is: "answer", answer: { status: 0xff } });
  });
  test("a lock, a registration or a hand pay reset that is not in the table", () => {
    expect(judge(polls.resetHandPay(), frame(0x94, 3)).is).toBe("unreadable");
    expect(judge(readRegistration(), frame(0x73, 0x1d, 0x77, ...new Array(28).fill(0))).is).toBe("unreadable");
    expect(judge(readLock(), frame(0x74, 0x23, 1, 0, 0, 0, 0x55, ...new Array(30).fill(0))).is).toBe("unreadable");
  });
});

describe("what we send", () => {
  test("BCD and binary numbers read back, and what does not fit is refused", () => {
    void fc.assert(
      fc.property(fc.integer({ min: 1, max: 7 }), fc.maxSafeNat(), (bytes, value) => {
        const fits = value % 100 ** bytes;
        expect(new ByteReader(Uint8Array.from(bcd(fits, bytes))).bcd(bytes)).toBe(fits);
        const small = value % 256 ** Math.min(bytes, 6);
        const size = Math.min(bytes, 6);
        expect(new ByteReader(Uint8Array.from(binary(small, size))).binary(size)).toBe(small);
      }),
    );
    for (const odd of [-1, 0.5, 100, Number.NaN, 2 ** 60]) expect(() => bcd(odd, 1)).toThrow(RangeError);
    for (const odd of [-1, 0.5, 256, Number.NaN, 2 ** 60]) expect(() => binary(odd, 1)).toThrow(RangeError);
    expect(() => new ByteReader(Uint8Array.of(1)).binary(2)).toThrow(ProtocolProblem);
  });
  test("every transfer that can be ordered has its length, its checksum and its id", () => {
    const amount = fc.integer({ min: 0, max: 9_999_999_999 });
    const ids = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
    void fc.assert(
      fc.property(
        ids,
        amount,
        amount,
        amount,
        fc.boolean(),
        (transferId, cashable, restricted, nonRestricted, timed) => {
          const order = () =>
            polls.encodePoll(
              1,
              transferFunds({
                ...{ transferId, type: 0x80, amounts: { cashable, restricted, nonRestricted }, partial: false },
                ...{ flags: 0, assetNumber: 7, expiration: 0, pool: 0, lockTimeoutMs: timed ? 5_000 : undefined },
              }),
            );
          if (transferId.length < 1 || transferId.length > 20) return void expect(order).toThrow(RangeError);
          const message = order();
          expect(crcHolds(message)).toBe(true);
          expect(message[2]).toBe(message.length - 5);
          expect(message[2]).toBe((timed ? 53 : 51) + transferId.length);
          const reader = new ByteReader(message.subarray(6));
          expect([reader.bcd(5), reader.bcd(5), reader.bcd(5)]).toEqual([cashable, restricted, nonRestricted]);
        },
      ),
    );
  });
  test("meters that are answered in any order read back", () => {
    const codes = fc.uniqueArray(fc.constantFrom(0x00, 0x05, 0x0c, 0x0d, 0xa0, 0xb8), { minLength: 1 });
    void fc.assert(
      fc.property(codes, fc.integer({ min: 0, max: 99_999_999 }), (wanted, value) => {
        const body = [...wanted].reverse().flatMap((code) => [code, ...bcd(value, meterShape(code)?.bytes ?? 4)]);
        const reply = judge(polls.meters(0, wanted), frame(0x2f, body.length + 2, 0, 0, ...body));
        expect(reply).toEqual({ is: "answer", answer: new Map([...wanted].reverse().map((code) => [code, value])) });
      }),
    );
  });
});
