import fc from "fast-check";
import { expect, test } from "vitest";
import { WHOLE_BOARD } from "./powered.ts";
import { RelayBoard } from "./relay-board.ts";
import { benchClock } from "./testing/bench.ts";

function createBoard() {
  const clock = benchClock();
  const presses: string[] = [];
  const key = { remote: true };
  const faults = { now: WHOLE_BOARD };
  const board = new RelayBoard(clock, {
    press: (button) => void presses.push(button),
    remote: () => key.remote,
    faults: () => faults.now,
  });
  const ask = (text: string): string => board.answer(Buffer.from(text, "hex")).toString("hex");
  return { clock, presses, key, faults, board, ask };
}

test("a flash-on pulse presses once, and the board itself ends it", () => {
  const { clock, presses, ask } = createBoard();
  expect(ask("0502000001")).toBe("0502000001");
  expect(ask("0100000008".replace("0008", "0007"))).toBe("010101");
  clock.advance(100);
  expect(ask("0100000007")).toBe("010100");
  expect(presses).toEqual(["spin"]);
});
test("a coil that is held presses once, one that bounces not at all", () => {
  const { clock, presses, ask } = createBoard();
  ask("050002ff00");
  clock.advance(5_000);
  ask("0500020000");
  ask("050000ff00");
  clock.advance(19);
  ask("0500000000");
  clock.advance(1_000);
  expect(presses).toEqual(["betUp"]);
});
test("several coils at once, the key switch, and everything open again", () => {
  const { clock, presses, key, board, ask } = createBoard();
  expect(ask("0f0000000701" + "41")).toBe("0f00000007");
  clock.advance(50);
  expect(presses).toEqual(["spin", "service"]);
  board.release();
  expect(ask("0100000007")).toBe("010100");
  expect(ask("0200000001")).toBe("020101");
  key.remote = false;
  expect(ask("0200000001")).toBe("020100");
});
test.each([
  ["03000000 01", "8301"],
  ["0100000000", "8102"],
  ["0100000008", "8102"],
  ["010000", "8103"],
  ["0500070000", "8502"],
  ["0500001234", "8503"],
  ["0502000000", "8503"],
  ["0502070001", "8502"],
  ["0f00000007024100", "8f03"],
  ["0f000600020103", "8f02"],
  ["", "8001"],
])("%s is refused as %s", (request, answer) => {
  expect(createBoard().ask(request.replace(" ", ""))).toBe(answer);
});
test("any request gets an answer or a refusal", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 260 }), (pdu) => {
      const { board } = createBoard();
      expect(board.answer(Buffer.from(pdu)).length).toBeGreaterThan(0);
    }),
  );
});

test("planted faults: dead wires, swapped wires, an output that sticks, contacts that are worn or open late, a board that cannot read itself", () => {
  const { clock, presses, faults, board, ask } = createBoard();
  const flash = (output: number): void => {
    expect(ask(`05020${output}0001`)).toBe(`05020${output}0001`);
    clock.advance(150);
  };
  faults.now = { ...WHOLE_BOARD, dead: ["spin"], swapped: ["betUp", "betDown"] };
  for (const output of [0, 1, 2, 3]) flash(output);
  expect(presses.splice(0)).toEqual(["betUp", "betDown", "maxBet"]);
  faults.now = { ...WHOLE_BOARD, worn: ["spin"] };
  ask("0502000001");
  clock.advance(1_000);
  expect(presses).toEqual([]);
  ask("0502000002");
  clock.advance(1_000);
  expect(presses.splice(0)).toEqual(["spin"]);
  faults.now = { ...WHOLE_BOARD, blind: true };
  expect(ask("0100000007")).toBe("8101");
  faults.now = { ...WHOLE_BOARD, stuck: ["spin"] };
  flash(0);
  ask("0500000000");
  expect(ask("0100000007")).toBe("010101");
  expect(presses).toEqual([]);
  faults.now = { ...WHOLE_BOARD, sticky: ["spin"] };
  flash(0);
  clock.advance(5_000);
  expect(presses).toHaveLength(7);
  expect(board.received()).toEqual({ "1": 2, "5": 9 });
});
