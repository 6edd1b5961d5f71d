import { describe, expect, test } from "vitest";
import {
  cancelLock,
  cancelTransfer,
  interrogate,
  interrogateStatus,
  readLock,
  readRegistration,
  register,
  requestLock,
  transferFunds,
  transferStatus,
} from "./aft.ts";
import { crc16, crcHolds, hexOf } from "./bytes.ts";
import type { LongPoll } from "./polls.ts";
import * as polls from "./polls.ts";
import { judgeReply } from "./replies.ts";

/* The published vectors of SAS 6.02, and frames that two hosts which are not ours produced. */

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replace(/\s/g, ""), "hex"));
const sent = (poll: LongPoll<unknown>): string => hexOf(polls.encodePoll(1, poll));
const answerTo = (poll: LongPoll<unknown>, hex: string) => judgeReply(bytesOf(hex), 1, poll, false);
const eventIn = (hex: string, awaited: "general" | LongPoll<unknown> = "general") =>
  judgeReply(bytesOf(hex), 1, awaited, false);

test("the checksum of 123456789 is 2189h", () => {
  expect(crc16(Buffer.from("123456789"))).toBe(0x2189);
});

const inFull = {
  transferId: "T000000000000001",
  type: 0x00,
  amounts: { cashable: 10_000, restricted: 0, nonRestricted: 0 },
  ...{ partial: false, flags: 0, assetNumber: 1001, expiration: 0, pool: 0, lockTimeoutMs: 0 },
};
const outInPart = {
  ...inFull,
  transferId: "T000000000000002",
  type: 0x80,
  partial: true,
  amounts: { cashable: 12_345, restricted: 0, nonRestricted: 0 },
};

test.each<[string, LongPoll<unknown>, string]>([
  ["01 shutdown", polls.shutDown(), "01015108"],
  ["02 startup", polls.startUp(), "0102CA3A"],
  ["06 bill acceptor on", polls.billAcceptor(true), "0106EE7C"],
  ["07 bill acceptor off", polls.billAcceptor(false), "0107676D"],
  ["0E real-time events on", polls.realTimeEvents(true), "010E0145D1"],
  ["0E real-time events off", polls.realTimeEvents(false), "010E00CCC0"],
  ["21 ROM signature, seed 0", polls.romSignature(0), "012100005C45"],
  ["2F meters", polls.meters(0, [0x00, 0x01, 0x05, 0x0c]), "012F0600000001050C7AFC"],
  ["52 game 0", polls.gameMeters(0), "01520000E02A"],
  ["52 game 1", polls.gameMeters(1), "01520001693B"],
  ["52 game 2", polls.gameMeters(2), "01520002F209"],
  ["52 game 9", polls.gameMeters(9), "0152000921B7"],
  ["52 game 10", polls.gameMeters(10), "01520010613A"],
  ["52 game 14", polls.gameMeters(14), "01520014457C"],
  ["54 version", polls.versionAndSerial(), "0154"],
  ["58 denied", polls.validationNumber(0, "0000000000000000"), "0158000000000000000000 91BF"],
  ["6F meter 0", polls.extendedMeters(0, [0x0000]), "016F0400000000FD08"],
  ["71 ticket status", polls.ticketStatus(), "017101FF1FD0"],
  ["72 interrogate the current one", interrogate(0), "017202FF000F22"],
  ["72 status alone", interrogateStatus(), "017202FE00D73B"],
  ["72 cancel", cancelTransfer(), "017201800BB4"],
  [
    "72 to the machine, in full",
    transferFunds(inFull),
    "01724500000000000100000000000000000000000000E9030000000000000000000000000000000000000000000010543030303030303030303030303030310000000000000000003F20",
  ],
  [
    "72 to the host, in part",
    transferFunds(outInPart),
    "01724501008000000123450000000000000000000000E903000000000000000000000000000000000000000000001054303030303030303030303030303032000000000000000000B5A3",
  ],
  ["73 read", readRegistration(), "017301FFA765"],
  [
    "73 register",
    register("register", { assetNumber: 1001, posId: 0x02a474b3 }),
    `01731D01E9030000${"00".repeat(20)}B374A402D4E3`,
  ],
  [
    "73 unregister",
    register("undo", { assetNumber: 1001, posId: 0x02a474b3 }),
    `01731D80E9030000${"00".repeat(20)}B374A402EA7D`,
  ],
  ["74 read", readLock(), "0174FF0000001AF9"],
  ["74 lock, to the machine, 10 s", requestLock({ toMachine: true, fromMachine: false }, 10_000), "01740001100085F3"],
  ["74 cancel", cancelLock(), "017480000000A611"],
  ["8A legacy bonus", polls.legacyBonus(500, 0), "018A0000050000C48A"],
  ["94 hand pay reset", polls.resetHandPay(), "019475CB"],
  ["A0 features", polls.features(), "01A000006C13"],
  ["A8 standard", polls.jackpotReset(false), "01A800E33B"],
  ["A8 to the credit meter", polls.jackpotReset(true), "01A8016A2A"],
])("poll %s", (_what, poll, hex) => {
  expect(sent(poll)).toBe(hexOf(bytesOf(hex)));
});

test("58 with a validation number of system 1", () => {
  expect(sent(polls.validationNumber(1, "1234567890123456"))).toBe("01580112345678901234569c34");
});

test.each<[string, LongPoll<unknown>, string, unknown]>([
  ["94 reset", polls.resetHandPay(), "019400E124", "reset"],
  ["1A 1234 credits", polls.currentCredits(), "011A00001234452D", 1_234],
  ["57 not waiting", polls.pendingCashOut(), "0157800000000000CA31", { waiting: false, restricted: false, amount: 0 }],
  ["57 47.50", polls.pendingCashOut(), "0157000000004750836D", { waiting: true, restricted: false, amount: 4_750 }],
  ["58 accepted", polls.validationNumber(0, "0000000000000000"), "015800EB47", 0],
  [
    "0F",
    polls.mainMeters(),
    "010F000000000001234500011000000050000000000000000077CCED",
    { cancelledCredits: 0, coinIn: 12_345, coinOut: 11_000, drop: 5_000, jackpot: 0, gamesPlayed: 77 },
  ],
  [
    "1B 1250.00 without a progressive",
    polls.handPay(),
    "011B0040000012500000000000000000000000000000B159",
    { group: 0, level: 0x40, amount: 125_000, partial: 0, resetId: 0 },
  ],
])("answer %s", (_what, poll, hex, answer) => {
  expect(answerTo(poll, hex)).toEqual({ is: "answer", answer });
});

test("answer 74: asset 1001, unlocked, 123.45 on it, at most 10000.00", () => {
  const hex = "017423E9030000FF0303917F000001234500000000000000000000000100000000000000000096A1";
  expect(answerTo(readLock(), hex)).toMatchObject({
    is: "answer",
    answer: {
      assetNumber: 1001,
      lock: "unlocked",
      available: { toMachine: true, fromMachine: true, winPending: false },
      funds: { cashable: 12_345, restricted: 0, nonRestricted: 0 },
      limit: 1_000_000,
      historyPlaces: 0x7f,
    },
  });
});

test("answers 72: pending, then complete with its cumulative meter", () => {
  const pending =
    "0172390040FF0000000100000000000000000000000000E90300001054303030303030303030303030303031000000000000000000000000000000006CAD";
  const complete =
    "01723E0000FF0000000100000000000000000000000000E903000010543030303030303030303030303030311121202605300000000000000005000001000000005D83";
  expect(answerTo(interrogate(0), pending)).toMatchObject({
    is: "answer",
    answer: { status: 0x40, transferId: "T000000000000001", at: undefined, meters: {}, assetNumber: 1001 },
  });
  expect(answerTo(interrogate(0), complete)).toMatchObject({
    answer: {
      status: 0x00,
      amounts: { cashable: 10_000 },
      at: { year: 2026, month: 11, day: 21, hour: 5, minute: 30, second: 0 },
      meters: { cashable: 10_000 },
    },
  });
});

test.each([
  ["51", "01FF5110E6", { code: 0x51 }],
  ["6F", "01FF6FED3E", { code: 0x6f }],
  ["00", "01FF001CA5", { code: 0x00 }],
  ["1F", "01FF1F6A4D", { code: 0x1f }],
  ["70", "01FF709BD6", { code: 0x70 }],
  ["20", "01FF201E84", { code: 0x20 }],
  ["82", "01FF820602", { code: 0x82 }],
  ["83", "01FF838F13", { code: 0x83 }],
  ["66", "01FF662CA3", { code: 0x66 }],
  ["69", "01FF69DB5B", { code: 0x69 }],
  [
    "7E",
    "01FF7E00300001234500006708",
    { code: 0x7e, data: { what: "gameStarted", wagered: 30, coinIn: 12_345, wagerType: 0, progressiveGroup: 0 } },
  ],
  ["7F", "01FF7F00000150AD56", { code: 0x7f, data: { what: "gameEnded", win: 150 } }],
  ["88", "01FF880105CD4A", { code: 0x88, data: { what: "reelStopped", reel: 1, stop: 5 } }],
])("real-time event %s, in answer to a general and to a long poll", (_what, hex, event) => {
  expect(eventIn(hex)).toEqual({ is: "event", event });
  expect(eventIn(hex, polls.currentCredits())).toEqual({ is: "event", event });
});

describe("a full transfer captured on a machine of another maker", () => {
  // Non-restricted 1000.00, asset 777, an id of 18 bytes whose first is zero, and no lock timeout.
  const captured = bytesOf(
    "017245000000000000000000000000000000100000000903000000000000000000000000000000000000000000001200657374205472616E73616374696F6E3232053020200C00000A45",
  );
  test("has the checksum that we compute", () => {
    expect(crcHolds(captured)).toBe(true);
  });
  test("has the layout that we send without a lock timeout; its id alone we would not make", () => {
    const ours = polls.encodePoll(
      1,
      transferFunds({
        ...inFull,
        transferId: "?est Transaction22",
        amounts: { cashable: 0, restricted: 0, nonRestricted: 100_000 },
        assetNumber: 777,
        expiration: 5_302_020,
        pool: 0x0c,
        lockTimeoutMs: undefined,
      }),
    );
    const idAt = captured.length - 2 - 7 - 18;
    const same = (bytes: Uint8Array): string =>
      hexOf(bytes.map((byte, at) => (at === idAt ? 0 : byte)).subarray(0, -2));
    expect(same(ours)).toBe(same(captured));
  });
});

test("every status byte of a transfer has one meaning, and what may be pending is never a refusal", () => {
  expect(transferStatus(0x00)).toEqual({ is: "done" });
  expect(transferStatus(0x01)).toEqual({ is: "done" });
  expect(transferStatus(0x40)).toEqual({ is: "pending" });
  expect(transferStatus(0x81)).toEqual({ is: "repeated" });
  expect(transferStatus(0x87)).toEqual({ is: "refused", reason: "notNow" });
  expect(transferStatus(0xc0)).toEqual({ is: "incompatible" });
  expect(transferStatus(0xff)).toEqual({ is: "none" });
  for (let status = 0; status <= 0xff; status += 1) {
    const { is } = transferStatus(status);
    if (is === "refused") expect(status & 0x80).toBe(0x80);
    if (is === "done") expect(status).toBeLessThanOrEqual(1);
  }
});
