import { expect, test } from "vitest";
import { createStore } from "zustand/vanilla";
import type { LeaveReason, WalletNow } from "../../shared/play-deps.ts";
import { endsForGood, whenReturned } from "./game.tsx";

/** A wallet, and what was told of it; `pass` lets all waiting end. */
function waiting(first: WalletNow) {
  const wallet = createStore<WalletNow>(() => first);
  const told: number[] = [];
  const due: (() => void)[] = [];
  const after = (_: number, run: () => void) => {
    due.push(run);
    return () => {};
  };
  whenReturned(wallet, { after }, (returned) => told.push(returned));
  const pass = (): void => {
    for (const run of due) run();
  };
  return { told, pass, now: (next: WalletNow) => wallet.setState(next, true) };
}

test("what comes back is told once, when the wallet names no machine and nothing is being checked", () => {
  const { told, now } = waiting({ balance: 1_000, onMachine: 500 });
  now({ balance: 1_000, onMachine: 0, pending: 500 });
  now({ balance: 1_500, onMachine: 0 });
  expect(told).toEqual([]);
  now({ balance: 1_500 });
  now({ balance: 9_000 });
  expect(told).toEqual([500]);
});

test.each([
  ["nothing came", { balance: 1_000, onMachine: 0 }, { balance: 1_000 }],
  ["there was no machine", { balance: 1_000 }, { balance: 1_500 }],
  ["the wallet was never known", undefined, { balance: 1_500 }],
])("nothing is told when %s", (_, first, later) => {
  const { told, now } = waiting(first);
  now(later);
  expect(told).toEqual([]);
});

test("what comes much later is no news any more", () => {
  const { told, now, pass } = waiting({ balance: 1_000, onMachine: 500 });
  pass();
  now({ balance: 1_500 });
  expect(told).toEqual([]);
});

test.each<[LeaveReason, boolean]>([
  [{ is: "ended", code: "CODE_18801" }, true],
  [{ is: "closed", reason: "ended" }, true],
  [{ is: "status", state: "notAvailable" }, true],
  [{ is: "status", state: "waiting" }, false],
  [{ is: "closed", reason: "taken over" }, false],
  [{ is: "left", returned: 500 }, false],
])("%j ends the play session for good: %s", (reason, ends) => {
  expect(endsForGood(reason)).toBe(ends);
});
