import { expect, test } from "vitest";
import { MachineAbout, RULES_MAX } from "./about-machine.ts";
import { gameSocket } from "./game-socket.ts";

const inAll = (text: string) => ({ tr: text, en: text, ar: text });

/** As large as the schema allows. */
const LARGEST = {
  model: "م".repeat(64),
  stakes: { min: 8_999_999_999_999, max: 9_000_000_000_000 },
  return: { percent: 99.123456789, by: "operator" },
  rules: inAll("ق".repeat(RULES_MAX)),
  paytable: {
    rows: 8,
    lines: Array.from({ length: 50 }, () => Array.from({ length: 8 }, () => 7)),
    symbols: Array.from({ length: 16 }, () => ({
      name: inAll("ر".repeat(32)),
      on: "anywhere",
      wild: false,
      prizes: Array.from({ length: 8 }, () => ({ count: 40, times: 123_456.5, freeSpins: 1_000 })),
    })),
    freeSpinFactor: 1_000_000,
    bonus: { name: inAll("ر".repeat(32)), reels: [1, 2, 3, 4, 5, 6, 7, 8], picks: 100, least: 1, most: 1_000_000 },
  },
};

test("what a machine states of itself fits into one frame of the game socket, however much it is", () => {
  const about = MachineAbout.parse(LARGEST);
  expect(about).toEqual(LARGEST);
  const frame = JSON.stringify({ response: true, id: 4_294_967_295, ok: true, data: about });
  expect(frame.length).toBeLessThan(gameSocket.frameBytesMax);
});

test.each([
  ["more lines than a page shows", { paytable: { ...LARGEST.paytable, lines: Array.from({ length: 51 }, () => [0]) } }],
  ["a row below the last one that any machine has", { paytable: { ...LARGEST.paytable, lines: [[8]] } }],
  [
    "a symbol that pays nothing",
    { paytable: { ...LARGEST.paytable, symbols: [{ name: "A", on: "line", prizes: [] }] } },
  ],
  ["a return of nothing", { return: { percent: 0, by: "machine" } }],
  ["rules without an end", { rules: "x".repeat(RULES_MAX + 1) }],
])("refuses %s", (_, about) => {
  expect(MachineAbout.safeParse(about).success).toBe(false);
});

test("a machine that states nothing is in order", () => {
  expect(MachineAbout.parse({})).toEqual({});
});
