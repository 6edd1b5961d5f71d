import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { describe, expect, test } from "vitest";
import type { Driver } from "../../ports/driver.ts";
import type { EgmUnderTest } from "../../ports/egm.conformance.ts";
import { egmConformance, expectBalanced } from "../../ports/egm.conformance.ts";
import { systemClock } from "../../system-clock.ts";
import { openSas } from "./driver/open.ts";
import type { ProfileName } from "./driver/profiles.ts";
import { PROFILE_NAMES } from "./driver/profiles.ts";
import type { Cabinet } from "./driver/testing/cabinet.ts";
import { startCabinet } from "./driver/testing/cabinet.ts";

/*
 * The driver against the cabinet, which is another program. A whole run has all cases, over the framed stream and over a pseudo terminal, with the
 * longest history, and the core with each other profile; a short one the core over the stream, from the first poll as often as a machine may allow,
 * with a history of four, and a session with each profile.
 */
const FORM = WHOLE_RUN
  ? ({ cases: "all", cycleMs: 1_500, history: 127, pollMs: 200 } as const)
  : ({ cases: "core", cycleMs: 800, history: 4, pollMs: 40 } as const);

const clock = systemClock();
const DEADLINE_MS = 120_000;
const LOOK_MS = 50;

/** What a machine is like that needs the profile, as orders to the cabinet. */
const MACHINES = {
  standard: [],
  plainEvents: [{ do: "menu", set: { lacks: [0x0e] }, offMs: 0 }],
  registered: [{ do: "menu", set: { aft: "registered" }, offMs: 0 }],
  slow: [{ do: "line", faults: { late: 20, lateMs: 15, way: "host" } }],
} as const satisfies Record<ProfileName, readonly object[]>;

/** The suite drives the standard one. */
const OTHER_PROFILES = PROFILE_NAMES.filter((name) => name !== "standard");

type UnderTest = EgmUnderTest & { readonly cabinet: Cabinet };

async function make(carrier: "tcp" | "pty", handPay: boolean, profile: ProfileName = "standard"): Promise<UnderTest> {
  const folder = await mkdtemp(join(tmpdir(), "sas-conformance-"));
  const cabinet = await startCabinet(join(folder, "cabinet"), [
    ...["--cycle", `${FORM.cycleMs}`, "--history", `${FORM.history}`, "--denomination", "1", "--seed", "conformance"],
    ...(carrier === "pty" ? ["--pty"] : []),
  ]);
  for (const order of MACHINES[profile]) await cabinet.order(order);
  if (handPay) await cabinet.order({ do: "wish", wish: "handpay" });
  let driver = await openDriver(folder, cabinet, profile);
  return {
    cabinet,
    get egm() {
      return driver.egm;
    },
    powerCycle: async () => {
      await driver.close();
      await cabinet.order({ do: "powerCut", offMs: 0 });
      driver = await openDriver(folder, cabinet, profile);
      return driver.egm;
    },
    until: async (condition) => {
      const end = clock.now() + DEADLINE_MS;
      while (!(await condition())) {
        if (clock.now() > end) throw new Error("The condition never held.");
        await new Promise<void>((passed) => clock.after(LOOK_MS, passed));
      }
    },
    ...switches(cabinet, () => driver.egm),
    end: async () => {
      await driver.close();
      await cabinet.end();
      await rm(folder, { recursive: true });
    },
  };
}

/** As the agent does: a line that did not come up on a busy computer is opened again. */
async function openDriver(folder: string, cabinet: Cabinet, profile: ProfileName): Promise<Driver> {
  const end = clock.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await openOnce(folder, cabinet, profile);
    } catch (error) {
      if (clock.now() > end) throw error;
    }
  }
}

function openOnce(folder: string, cabinet: Cabinet, profile: ProfileName): Promise<Driver> {
  const button = (id: string, kind: "wager" | "select") => ({ id, label: id, kind, minGapMs: 0 });
  return openSas({
    ...{ id: "m-1", name: "Cabinet 1", brand: "Own", address: 1, assetNumber: undefined, profile },
    line:
      cabinet.pty === undefined
        ? { kind: "tcp", host: "127.0.0.1", port: cabinet.sasPort }
        : { kind: "framed", device: cabinet.pty },
    panel: [button("spin", "wager"), button("betUp", "select")],
    limits: { minCycleMs: FORM.cycleMs, minTransfer: 1, maxTransfer: 1_000_000, autoplay: false },
    ...{ settleMs: 3_000, confirmMs: 3_000, trace: true, folder: join(folder, "driver"), clock, lastEvent: undefined },
    problem: () => undefined,
    // A cabinet that was just switched on has nothing to acknowledge, so its line need not rest before it is synchronised.
    timing: { pollMs: FORM.pollMs, loopBreakMs: 100 },
    presses: {
      buttons: ["spin", "betUp"],
      press: async (id) => {
        await cabinet.order({ do: "press", button: id });
        return { outcome: "sent", readBack: "unread" };
      },
      pressLonger: async () => undefined,
      keySwitch: () => "remote",
      onKeySwitch: () => () => undefined,
      close: async () => undefined,
    },
  });
}

/** Orders to the cabinet, each until the driver has seen it. */
function switches(cabinet: Cabinet, egm: () => EgmUnderTest["egm"]) {
  const until = async (lockup: string | undefined): Promise<void> => {
    const end = clock.now() + DEADLINE_MS;
    while ((await egm().meters()).lockup !== lockup && clock.now() < end)
      await new Promise<void>((passed) => clock.after(LOOK_MS, passed));
  };
  return {
    openDoor: () => cabinet.order({ do: "door", open: true }).then(() => until("door")),
    closeDoor: () => cabinet.order({ do: "door", open: false }).then(() => until(undefined)),
    tilt: () => cabinet.order({ do: "tilt" }).then(() => until("tilt")),
    clearTilt: () => cabinet.order({ do: "clearTilt" }).then(() => until(undefined)),
  };
}

egmConformance("SAS over the framed stream", {
  cases: FORM.cases,
  make: () => make("tcp", false),
  makeWithHandPay: () => make("tcp", true),
});
if (WHOLE_RUN) {
  egmConformance("SAS over a pseudo terminal", {
    make: () => make("pty", false),
    makeWithHandPay: () => make("pty", true),
  });
  for (const profile of OTHER_PROFILES)
    egmConformance(`SAS with the profile ${profile}`, {
      cases: "core",
      make: () => make("tcp", false, profile),
      makeWithHandPay: () => make("tcp", true, profile),
    });
}

describe("SAS on the machine of each profile", () => {
  async function withMachine(profile: ProfileName, run: (it: UnderTest) => Promise<void>): Promise<void> {
    const it = await make("tcp", false, profile);
    try {
      await run(it);
    } finally {
      await it.end();
    }
  }

  test.each(OTHER_PROFILES)(
    "%s: money comes, a game is played and reported, money goes, and the meters agree",
    (profile) =>
      withMachine(profile, async (it) => {
        const { egm } = it;
        expect(await egm.cashIn({ transferId: "in", amount: 100_000 })).toMatchObject({
          outcome: "done",
          amount: 100_000,
        });
        // Not every profile has the event that answers the press.
        await egm.press({ button: "spin" });
        await it.until(async () => {
          const { inGame, gamesPlayed } = await egm.meters();
          return !inGame && gamesPlayed === 1;
        });
        const game = (await egm.nextEvents(50)).events.find(({ what }) => what === "gameEnded");
        expect(game).toMatchObject({ gameNumber: 1, before: 100_000, after: (await egm.meters()).credit });
        const { credit } = await egm.meters();
        expect(await egm.cashOut({ transferId: "out" })).toMatchObject({ outcome: "done", amount: credit });
        expectBalanced(await egm.meters());
        expect(await it.cabinet.report()).toMatchObject({ creditsSum: 0, meters: { a0: 100_000, b8: credit } });
      }),
  );

  test("a cash-in that the credit meter has no room for moves what fits, and the record says so after a power cut", () =>
    withMachine("standard", async (it) => {
      await it.cabinet.order({ do: "menu", set: { creditMax: 60_000 }, offMs: 0 });
      const { egm } = it;
      const moved = async () => {
        // The link comes back by itself.
        let answer = await egm.cashIn({ transferId: "in", amount: 100_000 }).catch(() => undefined);
        await it.until(async () => {
          answer ??= await egm.cashIn({ transferId: "in", amount: 100_000 }).catch(() => undefined);
          return answer !== undefined;
        });
        return answer;
      };
      expect(await moved()).toMatchObject({ outcome: "done", amount: 60_000 });
      expect((await egm.meters()).totals.cashInTotal).toBe(60_000);
      const again = await it.powerCycle();
      expect(await again.transfer("in")).toMatchObject({ state: "done", direction: "cashIn", amount: 60_000 });
      expect(await again.cashIn({ transferId: "in", amount: 100_000 })).toMatchObject({
        amount: 60_000,
        repeated: true,
      });
      expect(await again.meters()).toMatchObject({ credit: 60_000 });
    }));

  test("a machine that wants a registration refuses transfers of the standard profile", async () => {
    await withMachine("standard", async (it) => {
      await it.cabinet.order({ do: "menu", set: { aft: "registered" }, offMs: 0 });
      await it.until(async () => {
        const answer = await it.egm.cashIn({ transferId: "in", amount: 500 }).catch(() => undefined);
        return answer?.outcome === "refused";
      });
      expect((await it.egm.meters()).credit).toBe(0);
    });
  });

  test("bills, tickets and hand pays in number come as what they are", () =>
    withMachine("standard", async (it) => {
      const { egm, cabinet } = it;
      await cabinet.order({ do: "bill", value: 20 });
      await cabinet.order({ do: "bill", value: 20 });
      for (const [amount, level] of [
        [5_000, 0x40],
        [5_000, 0x40],
        [700, 0x80],
      ])
        await cabinet.order({ do: "handPay", amount, level });
      await it.until(async () => (await egm.meters()).handPays.length > 0);
      const paid: [string, number][] = [];
      await it.until(async () => {
        const [oldest] = (await egm.meters()).handPays;
        if (oldest === undefined) return paid.length > 0;
        if ((await egm.resetHandPay(oldest.id)) === "reset") paid.push([oldest.kind, oldest.amount]);
        await it.until(async () => (await egm.meters()).handPays[0]?.id !== oldest.id);
        return false;
      });
      expect(paid.sort()).toEqual([
        ["cancelledCredits", 700],
        ["win", 5_000],
        ["win", 5_000],
      ]);
      const meters = await egm.meters();
      expect(meters.totals).toMatchObject({ otherInTotal: 4_000, otherOutTotal: 700, handPaidTotal: 10_000 });
      expect(meters.totals.other).toMatchObject({ billsIn: 4_000, cancelledOut: 700 });
      expect(meters.credit).toBe(3_300);
      expectBalanced(meters);
    }));
});
