import type { MoneyAnswer } from "@longarm/contract/game-socket";
import type { Answer } from "@longarm/link/answer";
import { refusalOf } from "@longarm/link/answer";
import { expect, test } from "vitest";
import { createStorage, STORAGE_KEYS } from "../../../shared/storage/storage.ts";
import type { GameLink } from "./game-link.ts";
import { REPEAT_WITHIN_MS, Transfers } from "./transfers.ts";

function page(storage = createStorage(() => window.localStorage), now = 1_000) {
  const timers: { delayMs: number; run: () => void }[] = [];
  const sent: { id: string; answer: (answer: Answer<MoneyAnswer>) => void }[] = [];
  const request = (_method: string, { id }: { id: string }) => new Promise((answer) => sent.push({ id, answer }));
  const transfers = new Transfers(
    {
      machineId: "nar-07",
      storage,
      newId: () => "transfer-1",
      clock: { now: () => now },
      timers: {
        after(delayMs, run) {
          const timer = { delayMs, run };
          timers.push(timer);
          return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0);
        },
      },
    },
    { request: request as GameLink["request"] },
  );
  return { transfers, sent, timers, storage, state: () => transfers.state.getState() };
}

test("after a reload the page repeats the command under the same id and shows its outcome", async () => {
  const before = page();
  before.transfers.begin("ps_1");
  before.transfers.start("cashIn", 50_000);
  const after = page(before.storage, 30_000);
  after.transfers.begin("ps_1");
  expect(after.state().is).toBe("checking");
  expect(after.sent.map(({ id }) => id)).toEqual(["transfer-1"]);
  after.sent[0]?.answer({ is: "done", data: { outcome: "done", amount: 20_000 } });
  await Promise.resolve();
  await Promise.resolve();
  expect(after.state()).toEqual({ is: "done", direction: "cashIn", amount: 20_000, requested: 50_000 });
  expect(after.storage.read(STORAGE_KEYS.openTransfers)).toBeNull();
});

test.each([
  ["another play session", "ps_2", 2_000],
  ["a long time", "ps_1", 1_001 + REPEAT_WITHIN_MS],
])(
  "after %s the page does not repeat an undecided command: the platform decides it by itself",
  (_why, playSession, now) => {
    const before = page();
    before.transfers.begin("ps_1");
    before.transfers.start("cashIn", 50_000);
    const after = page(before.storage, now);
    after.transfers.begin(playSession);
    expect(after.state()).toEqual({ is: "idle" });
    expect(after.sent).toEqual([]);
  },
);

test.each(["{", "[]", '{"id":"x"}', `{"id":"${"x".repeat(99)}"}`, "null"])(
  "ignores a stored value that is no transfer: %j",
  (text) => {
    const { transfers, storage, sent, state } = page();
    storage.write(STORAGE_KEYS.openTransfers, text);
    transfers.begin("ps_1");
    expect([state(), sent]).toEqual([{ is: "idle" }, []]);
  },
);

test("a refusal decides; being checked decides nothing for a repeat", async () => {
  const first = page();
  first.transfers.begin("ps_1");
  first.transfers.start("cashOut", null);
  const repeat = page(first.storage);
  repeat.transfers.begin("ps_1");
  repeat.sent[0]?.answer({ is: "refused", refusal: refusalOf(60041, "") });
  await Promise.resolve();
  await Promise.resolve();
  expect(repeat.state().is).toBe("checking");
  repeat.transfers.decided({ id: "transfer-1", outcome: "refused", amount: 0 });
  expect(repeat.state()).toEqual({ is: "refused", direction: "cashOut", refusal: undefined });

  first.sent[0]?.answer({ is: "refused", refusal: refusalOf(60015, "") });
  await Promise.resolve();
  await Promise.resolve();
  expect(first.state()).toMatchObject({ is: "refused", refusal: { name: "game.in_progress" } });
});

test("sends nothing without a seat, and cash-in needs an amount", () => {
  const { transfers } = page(createStorage(() => window.localStorage));
  expect(transfers.start("cashIn", 1)).toBe(false);
  transfers.begin("ps_9");
  expect(transfers.start("cashIn", null)).toBe(false);
});

// maintainer 6.2: "checking" was never repeated, so an outcome whose announcement was lost blocked the money sheet.
test("repeats a command of unknown outcome under its own id until it is known, ever less often, and not after the end", async () => {
  const { transfers, sent, timers, state } = page();
  const unknown = { is: "done", data: { outcome: "unknown", amount: 0 } } as const;
  const answered = async (answer: Answer<MoneyAnswer>): Promise<void> => {
    sent.at(-1)?.answer(answer);
    await Promise.resolve();
    await Promise.resolve();
  };
  const waited: number[] = [];
  transfers.begin("ps_1");
  transfers.start("cashIn", 50_000);
  for (let time = 0; time < 6; time += 1) {
    await answered(time === 2 ? { is: "unknown", cause: "deadline" } : unknown);
    expect(state().is).toBe("checking");
    const [timer, ...others] = timers.splice(0);
    expect(others).toEqual([]);
    waited.push(timer?.delayMs ?? 0);
    timer?.run();
  }
  expect(waited).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(new Set(sent.map(({ id }) => id))).toEqual(new Set(["transfer-1"]));
  await answered({ is: "done", data: { outcome: "done", amount: 50_000 } });
  expect(state()).toEqual({ is: "done", direction: "cashIn", amount: 50_000, requested: 50_000 });
  expect(timers).toEqual([]);

  transfers.clear();
  transfers.start("cashOut", null);
  await answered(unknown);
  expect(timers).toHaveLength(1);
  transfers.end();
  expect(timers).toEqual([]);
});
