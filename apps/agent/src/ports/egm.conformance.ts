import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Egm, EgmCapabilities, EgmEvent, EgmGameFacts, EgmMeters, EgmRefusal } from "./egm.ts";

/** One machine to try, put there by the driver's own test. */
export type EgmUnderTest = {
  egm: Egm;
  /** Loses power without warning and comes back on the same memory. The old `egm` is not used any more. */
  powerCycle(): Promise<Egm>;
  /** Waits (or moves a fake clock) until the condition holds; rejects after a deadline. */
  until(condition: () => Promise<boolean>): Promise<void>;
  openDoor(): Promise<void>;
  closeDoor(): Promise<void>;
  tilt(): Promise<void>;
  clearTilt(): Promise<void>;
  end(): Promise<void>;
};

export type EgmRig = {
  /** A fresh machine without credit that allows at least 100000 minor units and quick games. */
  make(): Promise<EgmUnderTest>;
  /** A fresh machine on which one of the first 200 games at the least stake ends in a hand pay. */
  makeWithHandPay(): Promise<EgmUnderTest>;
  /** `core`: only what power, money and events rest on, for a machine that is slow to start. Default: all. */
  readonly cases?: "all" | "core";
};

/** A multiple of every usual denomination. */
const MONEY = 100_000;
const STEP = 500;

/** The identity of `EgmTotals`, outside a game. */
export function expectBalanced({ credit, kinds, totals }: EgmMeters): void {
  const { other = {} } = totals;
  expect((other.billsIn ?? 0) + (other.ticketsIn ?? 0) + (other.promotionIn ?? 0)).toBeLessThanOrEqual(
    totals.otherInTotal,
  );
  expect((other.cancelledOut ?? 0) + (other.ticketsOut ?? 0) + (other.promotionOut ?? 0)).toBeLessThanOrEqual(
    totals.otherOutTotal,
  );
  if (kinds !== undefined) expect(kinds.cashable + kinds.restricted + kinds.nonRestricted).toBe(credit);
  const came = totals.cashInTotal + totals.otherInTotal + totals.machinePaidTotal;
  expect(credit).toBe(came - totals.wageredTotal - totals.cashOutTotal - totals.otherOutTotal);
}

/** What every driver of every machine must do, as far as the machine's capabilities go; run it from the driver's `conformance.test.ts`. */
export function egmConformance(name: string, rig: EgmRig): void {
  describe(`${name}: Egm conformance`, () => {
    let it: EgmUnderTest;
    beforeEach(async () => {
      it = await rig.make();
    });
    afterEach(() => it.end());
    const all = rig.cases !== "core";
    const also: Also = (title, run) => {
      if (all) test(title, run);
    };
    describe("transfers", () => transfers(() => it, also));
    if (all) describe("orders that are wrong", () => badOrders(() => it));
    describe("games", () => games(() => it, also));
    describe("states", () => states(() => it, also));
    describe("events", () => events(() => it, also));
  });
  describe(`${name}: Egm conformance, hand pay`, () => handPay(rig));
}

/** A test outside the core. */
type Also = (title: string, run: () => Promise<void>) => void;

/** The stake to press with; none where the machine does not say it. */
async function stakeOf(egm: Egm): Promise<{ stakeMinor?: number }> {
  const { bet } = await egm.meters();
  expect(bet !== undefined).toBe(canOf(egm).nextStake);
  return bet === undefined ? {} : { stakeMinor: bet };
}
const wagerOf = (egm: Egm): string => egm.description.buttons.find((button) => button.kind === "wager")?.id ?? "";

const canOf = (egm: Egm): EgmCapabilities => egm.description.capabilities;

/** Presses the wager key with credit until a game starts. An unconfirmed press is not repeated: the meters decide. */
async function start(it: EgmUnderTest, egm = it.egm): Promise<void> {
  const press = { button: wagerOf(egm), ...(await stakeOf(egm)) };
  const { gamesPlayed } = await egm.meters();
  let sent = false;
  await it.until(async () => {
    if (!sent) {
      const { outcome } = await egm.press(press);
      sent = outcome === "started" || outcome === "unconfirmed";
      return outcome === "started";
    }
    const now = await egm.meters();
    return now.inGame || now.gamesPlayed > gamesPlayed;
  });
}

/** Presses the wager key until the machine refuses it for this reason, or the press cannot be confirmed and no game begins. */
async function expectNoGame(it: EgmUnderTest, reason: EgmRefusal, egm = it.egm): Promise<void> {
  const { gamesPlayed, credit } = await egm.meters();
  const answer = await egm.press({ button: wagerOf(egm) });
  if (answer.outcome !== "unconfirmed") expect(answer).toMatchObject({ outcome: "refused", reason });
  expect(await egm.meters()).toMatchObject({ inGame: false, gamesPlayed, credit });
}

/** Lets the game in progress end; a bonus is answered by the wager key. */
async function ended(it: EgmUnderTest, egm = it.egm): Promise<EgmMeters> {
  await it.until(async () => {
    const meters = await egm.meters();
    if (meters.bonus) await egm.press({ button: wagerOf(egm) });
    return !meters.inGame;
  });
  return egm.meters();
}

async function allEvents(egm: Egm): Promise<EgmEvent[]> {
  const seen: EgmEvent[] = [];
  for (;;) {
    const { events: next } = await egm.nextEvents(50);
    if (next.length === 0) return seen;
    seen.push(...next);
    await egm.ackEvents(next.map((event) => event.seq));
  }
}

function transfers(current: () => EgmUnderTest, also: Also): void {
  test("cash in and out move the amount once and balance", async () => {
    const { egm } = current();
    expect(await egm.cashIn({ transferId: "in-1", amount: MONEY })).toEqual({
      outcome: "done",
      amount: MONEY,
      repeated: false,
    });
    expect((await egm.meters()).credit).toBe(MONEY);
    expect(await egm.cashOut({ transferId: "out-1", amount: STEP })).toEqual({
      outcome: "done",
      amount: STEP,
      repeated: false,
    });
    expect(await egm.cashOut({ transferId: "out-2" })).toEqual({
      outcome: "done",
      amount: MONEY - STEP,
      repeated: false,
    });
    const meters = await egm.meters();
    expect(meters.credit).toBe(0);
    expectBalanced(meters);
  });
  test("a repeated id answers its first record and moves nothing, also over power", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "same", amount: 5_000 });
    expect(await it.egm.cashIn({ transferId: "same", amount: 5_000 })).toEqual({
      outcome: "done",
      amount: 5_000,
      repeated: true,
    });
    const egm = await it.powerCycle();
    expect(await egm.cashIn({ transferId: "same", amount: 5_000 })).toEqual({
      outcome: "done",
      amount: 5_000,
      repeated: true,
    });
    expect((await egm.meters()).credit).toBe(5_000);
  });
  also("a known id with another content is refused", async () => {
    const { egm } = current();
    await egm.cashIn({ transferId: "mine", amount: 5_000 });
    expect(await egm.cashIn({ transferId: "mine", amount: 6_000 })).toMatchObject({
      outcome: "refused",
      reason: "idInUse",
    });
    expect(await egm.cashOut({ transferId: "mine", amount: 5_000 })).toMatchObject({
      outcome: "refused",
      reason: "idInUse",
    });
    expect((await egm.meters()).credit).toBe(5_000);
  });
  also("a refused transfer moves nothing; where refusals are kept it stays the answer of its id", async () => {
    const it = current();
    await it.openDoor();
    expect(await it.egm.cashIn({ transferId: "late", amount: 5_000 })).toMatchObject({
      outcome: "refused",
      reason: "doorOpen",
    });
    await it.closeDoor();
    expect((await it.egm.meters()).credit).toBe(0);
    if (!canOf(it.egm).keepsRefusals) {
      expect(await it.egm.transfer("late")).toMatchObject({ state: "neverSeen" });
      return;
    }
    expect(await it.egm.cashIn({ transferId: "late", amount: 5_000 })).toMatchObject({
      outcome: "refused",
      repeated: true,
    });
    expect((await it.egm.meters()).credit).toBe(0);
  });
  test("the record of current and past ids is read back as far as it reaches, over power too", async () => {
    const it = current();
    const kept = Math.min(canOf(it.egm).transfersKept, 127);
    for (let n = 0; n < kept; n += 1) await it.egm.cashIn({ transferId: `t${n}`, amount: STEP * (1 + (n % 3)) });
    const egm = await it.powerCycle();
    expect(await egm.transfer("t0")).toMatchObject({ state: "done", direction: "cashIn", amount: STEP });
    expect(await egm.transfer(`t${kept - 1}`)).toMatchObject({ state: "done", amount: STEP * (1 + ((kept - 1) % 3)) });
    expect(await egm.transfer("never")).toMatchObject({ state: "neverSeen" });
  });
  also(
    "more is asked than there is: a machine with partial transfers pays what there is, another refuses",
    async () => {
      const { egm } = current();
      await egm.cashIn({ transferId: "a", amount: STEP });
      const more = await egm.cashOut({ transferId: "b", amount: 3 * STEP });
      if (canOf(egm).partialTransfers) expect(more).toMatchObject({ outcome: "done", amount: STEP });
      else {
        expect(more).toMatchObject({ outcome: "refused" });
        expect(await egm.cashOut({ transferId: "all" })).toMatchObject({ outcome: "done", amount: STEP });
      }
      expect(await egm.cashOut({ transferId: "c", amount: STEP })).toMatchObject({
        outcome: "refused",
        reason: "nothingToPay",
      });
    },
  );
  also("an amount that is no multiple of the denomination is refused", async () => {
    const { egm } = current();
    const { denominationMinor: whole } = egm.description;
    if (whole === 1) return;
    expect(await egm.cashIn({ transferId: "part", amount: whole * 3 + 1 })).toMatchObject({
      outcome: "refused",
      reason: "badAmount",
    });
    expect((await egm.meters()).credit).toBe(0);
  });
}

function badOrders(current: () => EgmUnderTest): void {
  test.each([0, -5, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])(
    "an amount of %s is refused",
    async (amount) => {
      const { egm } = current();
      expect((await egm.cashIn({ transferId: "odd", amount })).outcome).toBe("refused");
      expect((await egm.meters()).credit).toBe(0);
    },
  );
  test("an id of the most characters is taken as it is, and a longer one refused", async () => {
    const { egm } = current();
    const { transferIdChars } = canOf(egm);
    expect(transferIdChars).toBeGreaterThanOrEqual(20);
    const transferId = "~".repeat(transferIdChars);
    expect(await egm.cashIn({ transferId, amount: 500 })).toMatchObject({ outcome: "done" });
    expect(await egm.transfer(transferId)).toMatchObject({ state: "done", transferId, amount: 500 });
    const longer = { transferId: `${transferId}~`, amount: 500 };
    expect(await egm.cashIn(longer)).toMatchObject({ outcome: "refused", reason: "badId" });
  });
  test.each(["", "line\nbreak", "ünlü"])("an id like %j is refused", async (transferId) => {
    const { egm } = current();
    expect(await egm.cashIn({ transferId, amount: 500 })).toMatchObject({ outcome: "refused", reason: "badId" });
  });
  test("an amount above the limit is refused", async () => {
    const { egm } = current();
    const amount = egm.description.limits.maxTransfer + egm.description.denominationMinor;
    expect(await egm.cashIn({ transferId: "big", amount })).toMatchObject({ outcome: "refused", reason: "overLimit" });
  });
}

function games(current: () => EgmUnderTest, also: Also): void {
  test("a game takes the stake, pays the win and tells both", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    const { stakeMinor } = await stakeOf(it.egm);
    await start(it);
    const meters = await ended(it);
    expectBalanced(meters);
    const told: EgmEvent[] = [];
    await it.until(async () => {
      told.push(...(await allEvents(it.egm)));
      return told.some((event) => event.what === "gameEnded");
    });
    const game = told.find((event) => event.what === "gameEnded") as EgmGameFacts | undefined;
    expect(game).toMatchObject({ gameNumber: 1, before: MONEY, after: meters.credit });
    if (stakeMinor !== undefined) expect(game?.stake).toBe(stakeMinor);
    expect(game?.after).toBe(MONEY - (game?.stake ?? 0) + (game?.win ?? 0) - (game?.handPaid ?? 0));
    expect(meters.gamesPlayed).toBe(1);
  });
  also("no wager without credit, with another stake or with an unknown button", async () => {
    const it = current();
    const { egm } = it;
    const button = wagerOf(egm);
    await expectNoGame(it, "noCredit");
    await egm.cashIn({ transferId: "in", amount: MONEY });
    const { stakeMinor } = await stakeOf(egm);
    if (stakeMinor !== undefined)
      expect(await egm.press({ button, stakeMinor: stakeMinor + 1 })).toMatchObject({ outcome: "changed" });
    expect(await egm.press({ button: "no such key" })).toMatchObject({ outcome: "refused", reason: "unknownButton" });
    expect((await egm.meters()).credit).toBe(MONEY);
  });
  also(
    "a press that may only finish a game starts none, with credit and without; nor does a key stop reels that may not be stopped",
    async () => {
      const it = current();
      const { egm } = it;
      await egm.cashIn({ transferId: "in", amount: MONEY });
      const held = { button: wagerOf(egm), finishOnly: true, keepsReels: true };
      const wager = { ...held, ...(await stakeOf(egm)) };
      expect(await egm.press(wager)).toEqual({ outcome: "refused", reason: "held" });
      expect(await egm.meters()).toMatchObject({ inGame: false, gamesPlayed: 0, credit: MONEY });
      await start(it);
      const select = egm.description.buttons.find(({ kind }) => kind === "select")?.id;
      for (const button of [wagerOf(egm), ...(select === undefined ? [] : [select])]) {
        if ((await egm.meters()).bonus === true) break;
        const answer = await egm.press({ ...held, button });
        if ((await egm.meters()).gamesPlayed === 1 && (await egm.meters()).inGame)
          expect(answer).toMatchObject({ outcome: "refused", reason: "inGame" });
      }
      await ended(it);
      expect(await egm.press(wager)).toMatchObject({ outcome: "refused" });
      expect((await egm.meters()).gamesPlayed).toBe(1);
    },
  );
  also("during a game neither a wager nor a transfer is taken", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await start(it);
    if ((await it.egm.meters()).bonus !== true && canOf(it.egm).nextStake) {
      expect(await it.egm.press({ button: wagerOf(it.egm) })).toMatchObject({ outcome: "refused", reason: "inGame" });
    }
    expect(await it.egm.cashOut({ transferId: "out" })).toMatchObject({ outcome: "refused", reason: "inGame" });
    expect(await it.egm.cashIn({ transferId: "in2", amount: 500 })).toMatchObject({
      outcome: "refused",
      reason: "inGame",
    });
    await ended(it);
  });
  test("power lost in a game: it completes once, with its events", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await start(it);
    const egm = await it.powerCycle();
    const meters = await ended(it, egm);
    expect(meters.gamesPlayed).toBe(1);
    expectBalanced(meters);
    const told = (await allEvents(egm)).map((event) => event.what);
    expect(told.filter((what) => what === "gameStarted").length).toBe(1);
    expect(told.filter((what) => what === "gameEnded").length).toBe(1);
  });
  also("every band can be chosen and changes the stake", async () => {
    const { egm } = current();
    const stakes = new Set<number | undefined>();
    for (const band of egm.description.bands) {
      expect((await egm.press({ button: `band:${band.id}` })).outcome).not.toBe("refused");
      const meters = await egm.meters();
      expect(meters.activeBand).toBe(band.id);
      stakes.add(meters.bet);
    }
    if (canOf(egm).nextStake) expect(stakes.size).toBe(egm.description.bands.length);
  });
  also("the next game waits for the least cycle", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    for (let n = 0; n < 3; n += 1) {
      await start(it);
      await ended(it);
    }
    const starts = (await allEvents(it.egm))
      .filter((event) => event.what === "gameStarted")
      .map((event) => event.startedAt);
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0));
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(it.egm.description.limits.minCycleMs);
  });
}

function states(current: () => EgmUnderTest, also: Also): void {
  test("disabled: no wager, no cash-in, but cash-out; and it survives power", async () => {
    const it = current();
    if (!canOf(it.egm).disables) {
      await expect(it.egm.disable()).rejects.toThrow();
      return;
    }
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await it.egm.disable();
    const egm = await it.powerCycle();
    await expectNoGame(it, "disabled", egm);
    expect(await egm.cashIn({ transferId: "in2", amount: 500 })).toMatchObject({
      outcome: "refused",
      reason: "disabled",
    });
    expect(await egm.cashOut({ transferId: "out", amount: 500 })).toMatchObject({ outcome: "done", amount: 500 });
    expect((await egm.meters()).lockup).toBe("disabled");
    await egm.enable();
    expect((await egm.meters()).lockup).toBeUndefined();
  });
  also("locked: no wager until unlocked, transfers go", async () => {
    const it = current();
    const { egm } = it;
    if (!canOf(egm).locks) {
      await expect(egm.lock(60_000)).rejects.toThrow();
      return;
    }
    await egm.cashIn({ transferId: "in", amount: MONEY });
    expect(await egm.lock(60_000)).toEqual({ outcome: "locked" });
    await expectNoGame(it, "locked");
    expect(await egm.cashOut({ transferId: "out", amount: 500 })).toMatchObject({ outcome: "done" });
    await egm.unlock();
    expect((await egm.press({ button: wagerOf(egm) })).reason).not.toBe("locked");
  });
  also("a lock is refused during a game, ends by its time, and does not survive power", async () => {
    const it = current();
    if (!canOf(it.egm).locks) return;
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await start(it);
    expect(await it.egm.lock(60_000)).toEqual({ outcome: "refused", reason: "inGame" });
    await ended(it);
    expect(await it.egm.lock(1)).toEqual({ outcome: "locked" });
    await it.until(async () => (await it.egm.press({ button: wagerOf(it.egm) })).reason !== "locked");
    await ended(it);
    expect(await it.egm.lock(600_000)).toEqual({ outcome: "locked" });
    const egm = await it.powerCycle();
    expect((await egm.press({ button: wagerOf(egm) })).reason).not.toBe("locked");
  });
  also("door and tilt stop play and transfers until they are cleared", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await it.tilt();
    await expectNoGame(it, "tilt");
    expect(await it.egm.cashOut({ transferId: "out" })).toMatchObject({ outcome: "refused", reason: "tilt" });
    await it.clearTilt();
    await it.openDoor();
    expect((await it.egm.meters()).lockup).toBe("door");
    await expectNoGame(it, "doorOpen");
    await it.closeDoor();
    expect(await it.egm.cashOut({ transferId: "out2" })).toMatchObject({ outcome: "done", amount: MONEY });
  });
  also("activity rings after a change", async () => {
    const { egm } = current();
    let rings = 0;
    const stop = egm.onActivity(() => {
      rings += 1;
    });
    await egm.cashIn({ transferId: "in", amount: 500 });
    expect(rings).toBeGreaterThan(0);
    stop();
  });
}

function events(current: () => EgmUnderTest, also: Also): void {
  test("are the same again until acknowledged, also over power, and numbers grow", async () => {
    const it = current();
    await allEvents(it.egm);
    await it.egm.cashIn({ transferId: "in", amount: 500 });
    const { events: first, meters } = await it.egm.nextEvents();
    expect(first.map((event) => event.what)).toContain("transferComplete");
    expect(meters.credit).toBe(500);
    expect((await it.egm.nextEvents()).events).toEqual(first);
    const egm = await it.powerCycle();
    const { events: again } = await egm.nextEvents();
    expect(again).toEqual(expect.arrayContaining([...first]));
    const seqs = (await allEvents(egm)).map((event) => event.seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(Math.min(...seqs)).toBeGreaterThanOrEqual(Math.min(...first.map((event) => event.seq)));
    expect((await egm.nextEvents()).events).toEqual([]);
  });
  also("with priority come first, then in order", async () => {
    const it = current();
    await it.egm.cashIn({ transferId: "in", amount: MONEY });
    await start(it);
    await ended(it);
    await it.tilt();
    const { events: list } = await it.egm.nextEvents(50);
    const order = list.map((event) => [event.priority ? 0 : 1, event.seq]);
    expect(order).toEqual([...order].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (a[1] ?? 0) - (b[1] ?? 0)));
    expect(list.some((event) => event.what === "tilt" && event.priority)).toBe(true);
  });
  also("unknown numbers are ignored", async () => {
    const { egm } = current();
    const { events: list } = await egm.nextEvents();
    await egm.ackEvents([-1, 999_999, Number.NaN]);
    expect((await egm.nextEvents()).events).toEqual(list);
  });
}

function handPay(rig: EgmRig): void {
  test("locks the machine until it is reset, once", async () => {
    const it = await rig.makeWithHandPay();
    const { egm } = it;
    try {
      await egm.cashIn({ transferId: "in", amount: MONEY });
      for (let game = 0; game < 200 && (await egm.meters()).handPays.length === 0; game += 1) {
        await start(it);
        await ended(it);
      }
      const meters = await egm.meters();
      const [pending] = meters.handPays;
      if (pending === undefined) throw new Error("no hand pay in 200 games");
      expect(meters.lockup).toBe("handPay");
      expect(meters.totals.wonTotal).toBe(meters.totals.machinePaidTotal + pending.amount);
      expectBalanced(meters);
      await expectNoGame(it, "handPay");
      expect(await egm.cashOut({ transferId: "out" })).toMatchObject({ outcome: "refused", reason: "handPay" });
      if (!canOf(egm).resetsHandPays) return;
      expect(await egm.resetHandPay("another")).toBe("notPending");
      expect(await egm.resetHandPay(pending.id)).toBe("reset");
      expect(await egm.resetHandPay(pending.id)).toBe("notPending");
      const after = await egm.meters();
      expect(after.totals.handPaidTotal).toBe(pending.amount);
      expect(after.credit).toBe(meters.credit);
      expect((await allEvents(egm)).map((event) => event.what)).toEqual(
        expect.arrayContaining(["handPay", "handPayReset"]),
      );
    } finally {
      await it.end();
    }
  });
}
