import { beforeEach, describe, expect, test } from "vitest";
import type { EgmEvent } from "../../../ports/egm.ts";
import type { Files } from "../../../ports/files.ts";
import type { WiredPress } from "../../../ports/press.ts";
import type { FakeClock } from "../../../testing/fake-clock.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { memoryFiles } from "../../../testing/memory-files.ts";
import type { SasEvent } from "../protocol/events.ts";
import { METER } from "../protocol/meters.ts";
import { probe } from "./facts.ts";
import { DriverMemory } from "./memory.ts";
import type { ProfileName } from "./profiles.ts";
import { PROFILES } from "./profiles.ts";
import type { SasEgmOptions } from "./sas-egm.ts";
import { SasEgm } from "./sas-egm.ts";
import { readSnapshot } from "./snapshot.ts";
import { gameEnded, gameStarted, ModelMachine } from "./testing/model-machine.ts";

let clock: FakeClock;
let machine: ModelMachine;
let files: Files;
let memory: DriverMemory;
let egm: SasEgm;
let problems: string[];
let presses: string[];
let wired: WiredPress;

/** Runs the clock until the promise is settled. */
async function during<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = promise.finally(() => {
    settled = true;
  });
  end.catch(() => undefined);
  for (let n = 0; n < 2_000 && !settled; n += 1) await clock.pass(100);
  return end;
}

const wiredButtons: SasEgmOptions["presses"] = {
  buttons: ["spin", "bet"],
  press: async (button) => {
    presses.push(button);
    return wired;
  },
  close: async () => undefined,
};

async function open(profile: ProfileName = "standard"): Promise<SasEgm> {
  memory = await DriverMemory.open(files, "/machine");
  const opened = (async () => {
    const facts = await probe(machine);
    const options = {
      ...{ line: machine, facts, memory, clock, profile: PROFILES[profile], assetNumber: 7, presses: wiredButtons },
      ...{ settleMs: 3_000, confirmMs: 1_500, problem: (sentence: string) => void problems.push(sentence) },
      description: {
        ...{ id: "m-1", name: "M 1", brand: "Own", serial: "M-1", denominationMinor: 1, bands: [], card: {} },
        buttons: [
          { id: "spin", label: "Spin", kind: "wager" as const, minGapMs: 0 },
          { id: "bet", label: "Bet", kind: "select" as const, minGapMs: 0 },
          { id: "bare", label: "Not wired", kind: "select" as const, minGapMs: 0 },
        ],
        limits: { minCycleMs: 2_500, minTransfer: 1, maxTransfer: 100_000, autoplay: false },
        capabilities: {
          ...{
            transfersKept: 10,
            transferIdChars: 20,
            keepsRefusals: false,
            partialTransfers: true,
            eventClock: false,
            nextStake: false,
          },
          ...{ handPaysQueued: 5, resetsHandPays: true, denominations: [], disables: true, locks: true },
        },
      },
    };
    const made = new SasEgm(options, await readSnapshot(machine, facts));
    await made.begin();
    return made;
  })();
  return during(opened);
}

async function exception(event: SasEvent): Promise<void> {
  egm.take(await memory.store(event, clock.now()));
}
const reported = async (): Promise<EgmEvent[]> => [...(await during(egm.nextEvents(100))).events];
const kinds = async (): Promise<string[]> => (await reported()).map(({ what }) => what);
const credit = async (): Promise<number> => (await during(egm.meters())).credit;

beforeEach(async () => {
  clock = fakeClock();
  machine = new ModelMachine(clock);
  files = memoryFiles();
  [problems, presses] = [[], []];
  wired = { outcome: "sent", readBack: "on" };
  egm = await open();
});

describe("money", () => {
  test("goes in and out once, and the same id again answers what the machine did", async () => {
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toEqual({
      ...{ outcome: "done", amount: 500, repeated: false },
    });
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({
      outcome: "done",
      repeated: true,
    });
    expect(await during(egm.cashIn({ transferId: "a", amount: 501 }))).toMatchObject({ reason: "idInUse" });
    expect(await during(egm.cashOut({ transferId: "a", amount: 500 }))).toMatchObject({ reason: "idInUse" });
    expect(await credit()).toBe(500);
    expect(await during(egm.cashOut({ transferId: "b", amount: 900 }))).toMatchObject({ outcome: "done", amount: 500 });
    expect(await during(egm.cashOut({ transferId: "c", amount: 1 }))).toMatchObject({ reason: "nothingToPay" });
    expect(await during(egm.cashOut({ transferId: "d" }))).toMatchObject({ outcome: "done", amount: 0 });
    expect(await reported()).toMatchObject([
      { what: "transferComplete", transferId: "a", direction: "cashIn", amount: 500, priority: true },
      { what: "transferComplete", transferId: "b", direction: "cashOut", amount: 500 },
    ]);
    const { totals } = await during(egm.meters());
    expect(totals).toMatchObject({ cashInTotal: 500, cashOutTotal: 500 });
  });
  test.each([
    ["the answer is lost", "answer lost"],
    ["the link goes down", "down"],
  ] as const)("moves once although %s: the machine's record decides", async (_what, mishap) => {
    machine.mishaps.set(0x72, [mishap]);
    const first = await during(egm.cashIn({ transferId: "a", amount: 500 }));
    if (first.outcome === "pending") {
      expect(mishap).toBe("down");
      expect(await during(egm.transfer("a"))).toMatchObject({ state: "neverSeen" });
      expect(await credit()).toBe(0);
    } else {
      expect(first).toMatchObject({ outcome: "done", amount: 500 });
      expect(await credit()).toBe(500);
    }
    expect(machine.history.filter(({ transferId }) => transferId === "a").length).toBeLessThanOrEqual(1);
  });
  test("an order that never arrived is pending, not refused; its record says never seen", async () => {
    machine.mishaps.set(0x72, ["poll lost"]);
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({ outcome: "pending" });
    expect(await during(egm.transfer("a"))).toEqual({ state: "neverSeen", transferId: "a", oldestAt: null });
    expect(await credit()).toBe(0);
  });
  test("meters that lag behind a transfer are not believed before they count it", async () => {
    machine.meterDelayMs = 1_800;
    await during(egm.cashIn({ transferId: "a", amount: 500 }));
    expect(await during(egm.meters())).toMatchObject({ credit: 500, totals: { cashInTotal: 500 } });
    await during(egm.cashIn({ transferId: "b", amount: 200 }));
    await during(egm.cashOut({ transferId: "c", amount: 600 }));
    expect(await during(egm.meters())).toMatchObject({
      ...{ credit: 100, totals: { cashInTotal: 700, cashOutTotal: 600 } },
    });
  });
  test("meters that lag are not believed by a driver that was started again meanwhile", async () => {
    machine.meterDelayMs = 2_600;
    await during(egm.cashIn({ transferId: "a", amount: 500 }));
    egm = await open();
    expect(await credit()).toBe(500);
  });
  test("meters that never count a transfer are taken as they are after their time", async () => {
    machine.meterDelayMs = 3_600_000;
    await during(egm.cashIn({ transferId: "a", amount: 500 }));
    const from = clock.now();
    expect(await credit()).toBe(0);
    expect(clock.now() - from).toBeGreaterThanOrEqual(3_000);
    const again = clock.now();
    expect(await credit()).toBe(0);
    expect(clock.now() - again).toBeLessThan(1_000);
  });
  test("meters count a transfer whose completion only its record has said", async () => {
    machine.meterDelayMs = 2_600;
    machine.mishaps.set(0x72, ["answer lost", "down"]);
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({ outcome: "pending" });
    expect(await during(egm.transfer("a"))).toMatchObject({ state: "done", amount: 500 });
    expect(await credit()).toBe(500);
  });
  test("a sent order is never seen only when its meters had their time to move", async () => {
    // The machine carries it out, and loses its record before it has said so.
    machine.meterDelayMs = 1_800;
    machine.mishaps.set(0x72, ["answer lost", "down"]);
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({ outcome: "pending" });
    [machine.current, machine.history] = [undefined, []];
    expect(await during(egm.transfer("a"))).toMatchObject({ state: "neverSeen" });
    expect((await during(egm.meters())).totals).toMatchObject({ cashInTotal: 500 });
  });
  test("a refusal is one only when the history does not say otherwise", async () => {
    machine.refusal = 0x87;
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({
      ...{ outcome: "refused", reason: "outOfService" },
    });
    expect(await during(egm.transfer("a"))).toMatchObject({ state: "neverSeen" });
    machine.refusal = undefined;
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({
      outcome: "done",
      repeated: false,
    });
    // As if the answer to the order had been lost and its repeat were refused.
    await memory.keepTransfer({
      ...{ id: "a", direction: "cashIn", requested: 500, state: "sent", amount: 0, at: 0, index: 0 },
    });
    machine.current = { ...machine.current!, status: 0x87 };
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({ outcome: "done", amount: 500 });
    expect(await credit()).toBe(500);
  });
  test("an id whose outcome was not learned before a restart is read, never ordered again", async () => {
    machine.pendingPolls = 0;
    await memory.keepTransfer({
      ...{ id: "a", direction: "cashIn", requested: 500, state: "sent", amount: 0, at: 0, index: 0 },
    });
    egm = await open();
    expect(await during(egm.cashIn({ transferId: "a", amount: 500 }))).toMatchObject({ outcome: "pending" });
    expect(machine.history).toEqual([]);
  });
  test("the record is read back from the machine's history", async () => {
    for (let n = 0; n < 5; n += 1) await during(egm.cashIn({ transferId: `t${n}`, amount: 100 + n }));
    expect(await during(egm.transfer("t1"))).toMatchObject({ state: "done", direction: "cashIn", amount: 101 });
    files = memoryFiles();
    egm = await open();
    expect(await during(egm.transfer("t0"))).toMatchObject({ state: "done", amount: 100 });
    expect(await during(egm.transfer("never"))).toMatchObject({ state: "neverSeen" });
    expect(await during(egm.cashIn({ transferId: "t4", amount: 104 }))).toMatchObject({
      outcome: "done",
      repeated: true,
    });
    expect(await credit()).toBe(510);
  });
  test.each([0, -5, 0.5, Number.NaN, 2 ** 60, 100_001])("an amount of %s is refused", async (amount) => {
    expect(await during(egm.cashIn({ transferId: "odd", amount }))).toMatchObject({ outcome: "refused" });
    expect(machine.polls.filter((code) => code === 0x72)).toEqual([]);
  });
  test.each(["", "x".repeat(21), "line\nbreak", "ünlü", "blank "])("an id like %j is refused", async (transferId) => {
    expect(await during(egm.cashIn({ transferId, amount: 5 }))).toMatchObject({ reason: "badId" });
  });
  test("a lock is awaited, and given up when the machine does not give it", async () => {
    expect(await during(egm.lock(60_000))).toEqual({ outcome: "locked" });
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "locked" });
    await during(egm.unlock());
    machine.movesMoney = false;
    expect(await during(egm.lock(60_000))).toEqual({ outcome: "refused", reason: "locked" });
    expect(machine.lock).toBe("unlocked");
  });
});

describe("games", () => {
  beforeEach(() => during(egm.cashIn({ transferId: "in", amount: 1_000 })));

  async function play(stake: number, win: number, paid = win): Promise<void> {
    machine.add(METER.coinIn, stake);
    machine.add(METER.currentCredits, -stake);
    await exception(gameStarted(stake, machine.meters.get(METER.coinIn) ?? 0));
    await clock.pass(1_000);
    machine.add(METER.gamesPlayed, 1);
    machine.add(METER.coinOut, paid);
    machine.add(METER.currentCredits, paid);
    await exception(gameEnded(win));
    await clock.pass(6_000);
  }

  test("are booked with stake, win and credit", async () => {
    await play(30, 150);
    const [, started, ended] = await reported();
    expect(started).toMatchObject({ what: "gameStarted", gameNumber: 1, stake: 30 });
    expect(ended).toMatchObject({
      ...{ what: "gameEnded", gameNumber: 1, stake: 30, win: 150, handPaid: 0, before: 1_000, after: 1_120 },
    });
    expect(await during(egm.meters())).toMatchObject({ inGame: false, win: 150, gamesPlayed: 1, credit: 1_120 });
  });
  test("that the machine reports again after its power went are one game", async () => {
    machine.add(METER.coinIn, 30);
    machine.add(METER.currentCredits, -30);
    await exception(gameStarted(30, 30));
    await exception({ code: 0x18 });
    await exception({ code: 0x17 });
    await exception(gameStarted(30, 30));
    await exception({ code: 0x17 });
    await exception({ code: 0x7e });
    machine.add(METER.gamesPlayed, 1);
    await exception(gameEnded(0));
    await clock.pass(6_000);
    expect((await kinds()).filter((what) => what.startsWith("game"))).toEqual(["gameStarted", "gameEnded"]);
  });
  test("wait for meters that lag, and are booked without them after the settling time", async () => {
    machine.add(METER.coinIn, 30);
    machine.add(METER.currentCredits, -30);
    await exception(gameStarted(30, 30));
    await exception(gameEnded(50));
    await clock.pass(1_500);
    expect(await kinds()).not.toContain("gameEnded");
    machine.add(METER.gamesPlayed, 1);
    machine.add(METER.coinOut, 50);
    machine.add(METER.currentCredits, 50);
    await clock.pass(1_500);
    expect((await reported()).at(-1)).toMatchObject({ what: "gameEnded", win: 50, handPaid: 0, after: 1_020 });
    await exception(gameStarted(30, 60));
    await exception(gameEnded(70));
    await clock.pass(10_000);
    expect((await reported()).at(-1)).toMatchObject({ what: "gameEnded", win: 70, handPaid: 70 });
  });
  test("are said to begin as soon as the machine says so, while the end of the one before is still settled", async () => {
    const begun: number[] = [];
    egm.onActivity((what) => what === "gameBegins" && begun.push(clock.now()));
    machine.add(METER.coinIn, 30);
    machine.add(METER.currentCredits, -30);
    await exception(gameStarted(30, 30));
    await exception(gameEnded(50));
    expect(await kinds()).not.toContain("gameEnded");
    await exception(gameStarted(30, 60));
    expect(begun).toHaveLength(2);
  });
  test("without real-time events take stake and win from the meters", async () => {
    machine.add(METER.coinIn, 40);
    machine.add(METER.currentCredits, -40);
    await exception({ code: 0x7e });
    await clock.pass(500);
    expect((await during(egm.meters())).inGame).toBe(true);
    machine.add(METER.gamesPlayed, 1);
    machine.add(METER.coinOut, 10);
    machine.add(METER.currentCredits, 10);
    await exception({ code: 0x7f });
    await clock.pass(6_000);
    expect((await reported()).slice(1)).toMatchObject([
      { what: "gameStarted", gameNumber: 1, stake: 40 },
      { what: "gameEnded", stake: 40, win: 10, before: 1_000, after: 970 },
    ]);
  });
  test("a win that is paid by hand is one of the game, and its hand pay is reset once", async () => {
    await play(30, 5_000, 0);
    machine.handPay = { group: 0, level: 0x40, amount: 5_000, partial: 0, resetId: 0 };
    await exception({ code: 0x51 });
    await exception({ code: 0x20 });
    await exception({ code: 0x51 });
    await clock.pass(2_000);
    const waiting = (await during(egm.meters())).handPays;
    expect(waiting).toEqual([{ id: "hp-1", amount: 5_000, kind: "win", gameNumber: 1 }]);
    expect((await reported()).find(({ what }) => what === "gameEnded")).toMatchObject({ win: 5_000, handPaid: 5_000 });
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ reason: "handPay" });
    expect(await during(egm.resetHandPay("hp-2"))).toBe("notPending");
    expect(await during(egm.resetHandPay("hp-1"))).toBe("reset");
    await exception({ code: 0x52 });
    await clock.pass(1_000);
    expect(await during(egm.resetHandPay("hp-1"))).toBe("notPending");
    expect(await kinds()).toContain("handPayReset");
    expect((await during(egm.meters())).lockup).toBeUndefined();
  });
  test("hand pays that wait together are each noted once, also two of one amount", async () => {
    machine.movesMoney = false;
    const win = { group: 0, level: 0x40, amount: 5_000, partial: 0, resetId: 0 };
    const credits = { ...win, level: 0x80, amount: 900 };
    // The last one is a repeat: the machine did not know that its hand pay was read.
    for (const read of [win, credits, win, credits]) {
      machine.handPay = read;
      await exception({ code: 0x51 });
      await clock.pass(1_000);
    }
    const waiting = async () => (await during(egm.meters())).handPays.map(({ id, amount }) => [id, amount]);
    expect(await waiting()).toEqual([
      ["hp-1", 5_000],
      ["hp-2", 900],
    ]);
    const reset = async (id: string, next: typeof win): Promise<unknown> => {
      expect(await during(egm.resetHandPay(id))).toBe("reset");
      machine.handPay = next;
      await exception({ code: 0x52 });
      await clock.pass(1_000);
      return await waiting();
    };
    expect(await reset("hp-1", credits)).toEqual([["hp-2", 900]]);
    expect(await reset("hp-2", win)).toEqual([["hp-3", 5_000]]);
    machine.movesMoney = true;
    expect(await reset("hp-3", win)).toEqual([]);
    const said = await kinds();
    expect(said.filter((what) => what === "handPay")).toHaveLength(3);
    expect(said.filter((what) => what === "handPayReset")).toHaveLength(3);
  });
  test("hand pays that a key has reset together are one exception, and none waits on", async () => {
    for (const amount of [5_000, 7_000]) {
      machine.handPay = { group: 0, level: 0x40, amount, partial: 0, resetId: 0 };
      await exception({ code: 0x51 });
      await clock.pass(1_000);
    }
    await exception({ code: 0x52 });
    await clock.pass(1_000);
    expect((await during(egm.meters())).handPays).toEqual([]);
    expect((await kinds()).filter((what) => what === "handPayReset")).toHaveLength(2);
  });
  test("end although the meters cannot be read for a while, and what came behind the end waits for it", async () => {
    machine.add(METER.coinIn, 30);
    machine.add(METER.currentCredits, -30);
    await exception(gameStarted(30, 30));
    await clock.pass(1_000);
    machine.add(METER.gamesPlayed, 1);
    machine.mishaps.set(0x6f, Array(12).fill("answer lost"));
    machine.mishaps.set(0xaf, Array(12).fill("answer lost"));
    await exception(gameEnded(5_000));
    machine.handPay = { group: 0, level: 0x40, amount: 5_000, partial: 0, resetId: 0 };
    await exception({ code: 0x51 });
    await clock.pass(40_000);
    expect((await reported()).slice(1)).toMatchObject([
      { what: "handPay", handPay: { amount: 5_000, gameNumber: 1 } },
      { what: "gameStarted", gameNumber: 1 },
      { what: "gameEnded", gameNumber: 1, win: 5_000, handPaid: 5_000 },
    ]);
    expect((await during(egm.meters())).inGame).toBe(false);
  });
  test("whose end was lost with a full queue of exceptions end by the meters once the machine moves money", async () => {
    machine.add(METER.coinIn, 30);
    machine.add(METER.currentCredits, -30);
    await exception(gameStarted(30, 30));
    await exception({ code: 0x70 });
    machine.movesMoney = false;
    machine.add(METER.gamesPlayed, 1);
    machine.add(METER.coinOut, 50);
    machine.add(METER.currentCredits, 50);
    await clock.pass(40_000);
    expect((await during(egm.meters())).inGame).toBe(true);
    machine.movesMoney = true;
    await clock.pass(5_000);
    await during(egm.meters());
    expect((await reported()).at(-1)).toMatchObject({
      what: "gameEnded",
      gameNumber: 1,
      stake: 30,
      win: 50,
      handPaid: 0,
    });
    expect((await during(egm.meters())).inGame).toBe(false);
  });
  test("that the machine counted and did not report are named as lost", async () => {
    machine.add(METER.gamesPlayed, 3);
    egm = await open();
    expect((await reported()).at(-1)).toMatchObject({ what: "eventsLost", count: 3 });
  });
});

describe("presses", () => {
  beforeEach(() => during(egm.cashIn({ transferId: "in", amount: 1_000 })));

  test("count when the machine reports the game, and are unconfirmed without it, and never repeated", async () => {
    const press = egm.press({ button: "spin" });
    await clock.pass(300);
    await exception(gameStarted(10, 10));
    expect(await during(press)).toEqual({ outcome: "started", gameNumber: 1 });
    await exception(gameEnded(0));
    await clock.pass(8_000);
    expect(await during(egm.press({ button: "spin" }))).toEqual({ outcome: "unconfirmed" });
    expect(presses).toEqual(["spin", "spin"]);
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "tooSoon" });
  });
  test("make the choice of a game that waits for its player, and are no wager then", async () => {
    const press = egm.press({ button: "spin" });
    await clock.pass(300);
    await exception(gameStarted(10, 10));
    await during(press);
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "inGame" });
    egm.playerAwaited(true);
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "tooSoon" });
    await clock.pass(3_000);
    expect((await during(egm.meters())).bonus).toBe(true);
    expect(await during(egm.press({ button: "spin" }))).toEqual({ outcome: "done" });
    await exception({ code: 0x11 });
    await clock.pass(500);
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "doorOpen" });
    await exception({ code: 0x12 });
    await clock.pass(500);
    // Its end is read, though not yet an event: what is awaited now is a wager.
    await exception(gameEnded(0));
    expect(await during(egm.press({ button: "spin" }))).not.toEqual({ outcome: "done" });
    await clock.pass(8_000);
    expect((await during(egm.meters())).bonus).toBeUndefined();
    expect(presses).toEqual(["spin", "spin"]);
  });
  test("of keys that are not wired, without credit, or that the board does not do are refused", async () => {
    expect(await during(egm.press({ button: "bare" }))).toMatchObject({ reason: "unknownButton" });
    expect(await during(egm.press({ button: "no such key" }))).toMatchObject({ reason: "unknownButton" });
    expect(await during(egm.press({ button: "bet" }))).toEqual({ outcome: "done" });
    wired = { outcome: "refused", reason: "boardAway", says: "The board is away." };
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ outcome: "refused", reason: "outOfService" });
    expect(problems).toContain("The board is away.");
    await during(egm.cashOut({ transferId: "out" }));
    await during(egm.meters());
    expect(await during(egm.press({ button: "spin" }))).toMatchObject({ reason: "noCredit" });
  });
});

describe("the machine's state", () => {
  test("door and tilt lock it, and the tilt ends when it moves money again", async () => {
    await exception({ code: 0x11 });
    await clock.pass(1_000);
    expect((await during(egm.meters())).lockup).toBe("door");
    expect(await during(egm.cashIn({ transferId: "a", amount: 5 }))).toMatchObject({ reason: "doorOpen" });
    await exception({ code: 0x12 });
    machine.movesMoney = false;
    await exception({ code: 0x20 });
    await clock.pass(3_000);
    expect((await during(egm.meters())).lockup).toBe("tilt");
    machine.movesMoney = true;
    await clock.pass(3_000);
    await during(egm.meters());
    expect((await during(egm.meters())).lockup).toBeUndefined();
    expect(await kinds()).toEqual(["doorOpened", "doorClosed", "tilt", "tiltCleared"]);
  });
  test("disabled is durable, and said again after a power cut", async () => {
    await during(egm.disable());
    expect(machine.disabled).toBe(true);
    expect(await during(egm.cashIn({ transferId: "a", amount: 5 }))).toMatchObject({ reason: "disabled" });
    machine.disabled = false;
    await exception({ code: 0x17 });
    await clock.pass(2_000);
    expect(machine.disabled).toBe(true);
    egm = await open();
    expect((await during(egm.meters())).lockup).toBe("disabled");
    await during(egm.enable());
    expect(machine.disabled).toBe(false);
  });
  test("what it had before it was connected is balanced, and later credit without a meter shows", async () => {
    machine.add(METER.currentCredits, 77);
    files = memoryFiles();
    egm = await open();
    const balance = async (): Promise<number> => {
      const { credit: now, totals } = await during(egm.meters());
      const came = totals.cashInTotal + totals.otherInTotal + totals.machinePaidTotal;
      return now - (came - totals.wageredTotal - totals.cashOutTotal - totals.otherOutTotal);
    };
    expect(await balance()).toBe(0);
    machine.add(METER.currentCredits, 5);
    await clock.pass(5_000);
    expect(await balance()).toBe(5);
  });
  test("a link that is down makes every call reject", async () => {
    machine.up = false;
    await clock.pass(3_000);
    await expect(during(egm.meters())).rejects.toThrow(/down/);
    await expect(during(egm.cashIn({ transferId: "a", amount: 5 }))).rejects.toThrow(/down/);
  });
});

describe("events", () => {
  test("are the same until acknowledged, also after a restart, and their numbers grow", async () => {
    await exception({ code: 0x11 });
    await clock.pass(500);
    const first = await reported();
    expect(await reported()).toEqual(first);
    egm = await open();
    expect(await reported()).toEqual(first);
    await egm.ackEvents(first.map(({ seq }) => seq));
    expect(await reported()).toEqual([]);
    await exception({ code: 0x12 });
    await clock.pass(500);
    expect((await reported())[0]?.seq).toBeGreaterThan(first.at(-1)?.seq ?? 0);
  });
  test("an exception that was stored and not processed becomes an event after a restart", async () => {
    machine.handPay = { group: 0, level: 0x80, amount: 900, partial: 0, resetId: 0 };
    machine.mishaps.set(0x1b, ["down"]);
    machine.up = false;
    await exception({ code: 0x51 });
    await clock.pass(1_000);
    expect(memory.events()).toEqual([]);
    // Events are reported with meters of their moment or later.
    await expect(during(egm.nextEvents())).rejects.toThrow(/down/);
    machine.up = true;
    machine.mishaps.clear();
    egm = await open();
    await clock.pass(2_000);
    expect(await reported()).toMatchObject([{ what: "handPay", handPay: { amount: 900, kind: "cancelledCredits" } }]);
  });
  test("one that cannot be processed is named as lost and does not stop the others", async () => {
    machine.mishaps.set(0x1b, ["answer lost", "answer lost", "answer lost"]);
    await exception({ code: 0x51 });
    await exception({ code: 0x11 });
    await clock.pass(10_000);
    expect((await kinds()).sort()).toEqual(["doorOpened", "eventsLost"]);
  });
  test("it is remembered whether the machine knows of the last exception", async () => {
    await exception({ code: 0x11 });
    egm = await open();
    expect(memory.unacknowledged()).toEqual({ code: 0x11 });
    await memory.acknowledged();
    egm = await open();
    expect(memory.unacknowledged()).toBeUndefined();
    await exception({ code: 0x11 });
    expect(memory.unacknowledged()).toEqual({ code: 0x11 });
  });
  test("the memory survives a torn tail and its own rewriting", async () => {
    for (let n = 0; n < 4_000; n += 1)
      await memory.keepTransfer({
        ...{ id: `t${n}`, direction: "cashIn", requested: 1, state: "done", amount: 1, at: 0, index: 1 },
      });
    await exception({ code: 0x11 });
    await memory.acknowledged();
    await clock.pass(500);
    const size = (await files.read("/machine/driver.log"))?.length ?? 0;
    expect(size).toBeLessThan(1_100_000);
    const file = await files.open("/machine/driver.log");
    await file.write(Buffer.from("deadbeef 12 {torn"), size);
    egm = await open();
    expect(await kinds()).toEqual(["doorOpened"]);
    expect(memory.transfer("t3999")?.state).toBe("done");
    expect(memory.transfer("t0")).toBeUndefined();
    expect(memory.unacknowledged()).toBeUndefined();
  });
});
