import * as fc from "fast-check";
import { expect, test } from "vitest";
import { describeExchange } from "./describe.ts";

const describe = (sent: string, received = "") =>
  describeExchange(Buffer.from(sent, "hex"), Buffer.from(received, "hex"));

test.each([
  ["80", "", "other address", ""],
  ["81", "00", "general poll", "nothing happened"],
  ["81", "51", "general poll", "hand pay pending"],
  ["81", "e7", "general poll", "exception e7h"],
  ["81", "", "general poll", "no answer"],
  [
    "81",
    "01FF7E00300001234500006708",
    "general poll",
    "game started: wagered 30, coinIn 12345, wagerType 0, progressiveGroup 0",
  ],
  ["81", "01213412aaaa", "general poll", "unreadable: the checksum is wrong"],
  ["01015108", "01", "shut down", "acknowledged"],
  ["01015108", "81", "shut down", "refused"],
  ["011a", "0100", "current credits", "busy"],
  ["011a", "011A00001234452D", "current credits", "1234"],
  ["010E0145D1", "01", "real-time events on", "acknowledged"],
  ["019475CB", "019400E124", "remote hand pay reset", "reset"],
  [
    "017202FF000F22",
    "0172390040FF0000000100000000000000000000000000E90300001054303030303030303030303030303031000000000000000000000000000000006CAD",
    "read the current transfer",
    /status 64, .*cashable 10000.*transferId T000000000000001/,
  ],
  ["017201800BB4", "", "cancel the transfer", "no answer"],
  ["0174FF0000001AF9", "", "read the AFT lock and state", "no answer"],
  ["01991234", "", "poll 99", ""],
])("%s and its answer %s in words", (sent, received, poll, answer) => {
  const words = describe(sent, received);
  expect(words.poll).toBe(poll);
  if (typeof answer === "string") expect(words.answer).toBe(answer);
  else expect(words.answer).toMatch(answer);
});

test("meters have their names", () => {
  expect(describe("016F0400000000FD08", "016f0900000000040000123497fa").answer).toMatch(/coin in 1234|checksum/);
});

test("a damaged trace is described without an exception", () => {
  void fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.uint8Array({ maxLength: 80 }), (sent, received) => {
      expect(typeof describeExchange(sent, received).poll).toBe("string");
    }),
    { numRuns: 2_000 },
  );
});
