import { expect, test } from "vitest";
import type { EgmMeters, EgmPress, EgmPressAnswer } from "../../ports/egm.ts";
import type { Source, SourceSink, VideoFrame } from "../../ports/source.ts";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { fakeMachine } from "../../testing/fake-machine.ts";
import type { EndedStep, Step } from "./commissioning.ts";
import { passed, runSteps } from "./commissioning.ts";
import type { FaultName } from "./faults.ts";
import { FAULTS } from "./faults.ts";
import type { MachineStepsDeps } from "./machine-steps.ts";
import { machineSteps } from "./machine-steps.ts";
import { pictureSteps } from "./picture-steps.ts";
import type { CommissioningReport } from "./report.ts";
import { reportFile, reportOf, reportPage } from "./report.ts";

/** What is wrong with a planted machine. */
type Plant = {
  lockup?: EgmMeters["lockup"];
  disable?: "ignored" | "stays" | "impossible";
  /** Buttons without wires, and buttons whose wires go to another one. */
  dead?: string;
  swapped?: Readonly<Record<string, string>>;
  /** A press of spin starts a second game when the first is over. */
  twice?: boolean;
  refuses?: EgmPressAnswer["reason"];
  /** The board does not answer presses; the machine feels them. */
  unanswered?: boolean;
  meters?: "fall" | "move" | "drift" | "silent" | "hang";
  credit?: number;
  bet?: number;
  picture?: "none" | "unplugged" | "empty" | "dark" | "frozen" | "slow" | "restless";
};

const GAME_MS = 400;
const STAKES = [100, 200, 300];

/** A machine with a picture, in a fake time. It plays right but for what is planted. */
function planted(clock: FakeClock, plant: Plant) {
  let credit = plant.credit ?? 5_000;
  let bet = plant.bet ?? 200;
  let activeBand = "10";
  let games = 7;
  let wagered = 10_000;
  let left = 0;
  let gameEnds = 0;
  let reads = 0;
  let disabled = false;
  const inGame = () => clock.now() < gameEnds;

  function spin(): void {
    credit -= bet + (plant.meters === "drift" ? 7 : 0);
    wagered += bet;
    games += 1;
    gameEnds = clock.now() + GAME_MS;
    clock.after(GAME_MS, () => {
      left -= 1;
      if (left >= 0) spin();
    });
  }

  const keys: Readonly<Record<string, () => unknown>> = {
    spin: () => {
      left = plant.twice ? 1 : 0;
      spin();
    },
    betUp: () => {
      bet = STAKES[STAKES.indexOf(bet) + 1] ?? bet;
    },
    betDown: () => {
      bet = STAKES[STAKES.indexOf(bet) - 1] ?? bet;
    },
    "band:20": () => {
      activeBand = "20";
    },
  };

  async function press({ button }: EgmPress): Promise<EgmPressAnswer> {
    if (plant.refuses !== undefined) return { outcome: "refused", reason: plant.refuses };
    const felt = plant.swapped?.[button] ?? button;
    if (plant.dead !== button) keys[felt]?.();
    if (plant.unanswered) return { outcome: "unconfirmed" };
    return button === "spin" ? { outcome: "started", gameNumber: games } : { outcome: "done" };
  }

  async function meters(): Promise<EgmMeters> {
    reads += 1;
    if (plant.meters === "silent") throw new Error("no answer");
    if (plant.meters === "hang") return await new Promise(() => undefined);
    const steps = plant.meters === "move" || plant.meters === "fall" ? reads * 100 : 0;
    const lockup = plant.lockup ?? (disabled ? ("disabled" as const) : undefined);
    return {
      ...base,
      ...{ credit, bet, activeBand, gamesPlayed: games, inGame: inGame() },
      totals: {
        ...base.totals,
        wageredTotal: wagered + (plant.meters === "fall" ? -steps : steps),
        cashInTotal: 15_000,
      },
      ...(lockup !== undefined && { lockup }),
    };
  }

  const fake = fakeMachine().connect();
  let base: EgmMeters;
  const egm = {
    ...fake,
    description: {
      ...fake.description,
      capabilities: { ...fake.description.capabilities, disables: plant.disable !== "impossible" },
      buttons: [
        { id: "spin", label: "SPIN", kind: "wager" as const, minGapMs: 0 },
        { id: "betUp", label: "+", kind: "select" as const, minGapMs: 0 },
        { id: "betDown", label: "", kind: "select" as const, minGapMs: 0 },
        { id: "band:20", label: "0,20", kind: "select" as const, minGapMs: 0 },
        { id: "attendant", label: "SERVICE", kind: "service" as const, minGapMs: 0 },
      ],
    },
    meters,
    press,
    disable: async () => {
      if (plant.disable !== "ignored") disabled = true;
    },
    enable: async () => {
      if (plant.disable !== "stays") disabled = false;
    },
  };
  return {
    egm,
    source: sourceOf(clock, plant, inGame),
    ready: async () => {
      base = await fake.meters();
    },
  };
}

/** A picture of 64 × 36 whose reels move while a game runs. */
function sourceOf(clock: FakeClock, { picture }: Plant, inGame: () => boolean): Source {
  const slowMs = picture === "slow" ? 1_500 : 40;
  const brightnessAt = (frame: number): number => {
    if (picture === "dark") return 16;
    if (picture === "restless") return 60 + (frame % 2) * 100;
    return 60;
  };
  return {
    format: { width: 64, height: 36, frameRate: 25, audio: false },
    still: () => Promise.reject(new Error("not used")),
    open: async (sink: SourceSink) => {
      if (picture === "none") throw new Error("There is no device /dev/video0.");
      if (picture === "unplugged") sink.ended("The device was unplugged.");
      let frames = 0;
      const stop = clock.every(40, () => {
        if (picture === "empty") return;
        frames += 1;
        const data = new Uint8Array((64 * 36 * 3) / 2).fill(brightnessAt(frames));
        const moves = inGame() && picture !== "frozen";
        const capturedAtMs = clock.now();
        if (moves) data.fill(200, 64 * 12, 64 * 24);
        const show = () => sink.video({ width: 64, height: 36, data, capturedAtMs: clock.now() });
        if (picture === "slow") clock.after(slowMs, show);
        else sink.video({ width: 64, height: 36, data, capturedAtMs });
      });
      return { close: async () => stop() };
    },
  };
}

/** Runs in fake time until it ends. */
async function inFakeTime<T>(clock: FakeClock, run: Promise<T>): Promise<T> {
  let ended = false;
  const done = run.finally(() => {
    ended = true;
  });
  while (!ended) await clock.pass(20);
  return await done;
}

async function examine(plant: Plant, more: Partial<MachineStepsDeps> = {}): Promise<EndedStep[]> {
  const clock = fakeClock();
  const { egm, source, ready } = planted(clock, plant);
  await ready();
  const encode = async ({ width, height }: VideoFrame) => Buffer.from(`a WebP of ${width}x${height}`);
  const deps = { egm, source, clock, acts: true, pressesAfter: [], encode, ...more };
  return await inFakeTime(clock, runSteps(machineSteps(deps, pictureSteps(deps)), clock));
}

const faultsOf = (steps: readonly EndedStep[]) =>
  steps.flatMap((step) => (step.outcome === "failed" ? [[step.id, step.fault] as const] : []));

test("a machine without a fault passes every step but those for a hand", async () => {
  const steps = await examine({});
  expect(steps.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["identity", "passed"],
    ["meters", "passed"],
    ["state", "passed"],
    ["disable", "passed"],
    ["button:spin", "passed"],
    ["picture", "passed"],
    ["light", "passed"],
    ["button:betUp", "passed"],
    ["button:betDown", "passed"],
    ["button:band:20", "passed"],
    ["button:attendant", "skipped"],
    ["metersAgain", "passed"],
  ]);
  expect(steps.find(({ id }) => id === "button:spin")?.evidence).toMatchObject({ games: 1, wageredMinor: 200 });
  const light = steps.find(({ id }) => id === "light");
  expect(light?.evidence?.["delayMs"]).toBeLessThanOrEqual(80);
  // The reels are the middle third of the picture.
  expect(light?.picture).toEqual({
    webp: Buffer.from("a WebP of 64x36").toString("base64"),
    mark: { x: 0, y: 6 / 18, width: expect.closeTo(1, 1), height: 6 / 18 },
  });
});

const PLANTED: readonly (readonly [Plant, readonly (readonly [string, FaultName])[]])[] = [
  [{ meters: "silent" }, [["meters", "machine.silent"]]],
  [{ meters: "hang" }, [["meters", "step.late"]]],
  [{ meters: "fall" }, [["meters", "meters.fell"]]],
  [{ meters: "move" }, [["meters", "meters.moving"]]],
  [{ meters: "drift" }, [["metersAgain", "meters.drift"]]],
  [{ lockup: "door" }, [["state", "state.door"]]],
  [{ lockup: "tilt" }, [["state", "state.tilt"]]],
  [{ lockup: "handPay" }, [["state", "state.handPay"]]],
  [{ lockup: "disabled" }, [["state", "state.disabled"]]],
  [{ lockup: "outOfService" }, [["state", "state.outOfService"]]],
  [{ lockup: "local" }, [["state", "state.local"]]],
  [{ disable: "ignored" }, [["disable", "disable.ignored"]]],
  [{ disable: "stays" }, [["disable", "enable.ignored"]]],
  [{ dead: "spin" }, [["button:spin", "button.dead"]]],
  [{ dead: "betUp" }, [["button:betUp", "button.dead"]]],
  [{ dead: "band:20" }, [["button:band:20", "button.dead"]]],
  [{ swapped: { betUp: "spin" } }, [["button:betUp", "button.swapped"]]],
  [
    { swapped: { betUp: "betDown", betDown: "betUp" } },
    [
      ["button:betUp", "button.swapped"],
      ["button:betDown", "button.swapped"],
    ],
  ],
  [{ swapped: { spin: "betUp" } }, [["button:spin", "button.swapped"]]],
  [{ twice: true }, [["button:spin", "button.twice"]]],
  [{ picture: "none" }, [["picture", "picture.none"]]],
  [{ picture: "unplugged" }, [["picture", "picture.none"]]],
  [{ picture: "empty" }, [["picture", "picture.none"]]],
  [{ picture: "dark" }, [["picture", "picture.dark"]]],
  [{ picture: "frozen" }, [["light", "picture.still"]]],
  [{ picture: "slow" }, [["light", "light.slow"]]],
];
test.each(PLANTED)("%j is found by its name, with advice, and hides nothing else", async (plant, expected) => {
  const steps = await examine(plant);
  // A press that the picture needs too fails there as well, for the same reason.
  const found = faultsOf(steps).filter(([id]) => id !== "light" || expected.some(([wanted]) => wanted === "light"));
  expect(found).toEqual(expected);
  for (const [, fault] of found) expect(FAULTS[fault].length).toBeGreaterThan(20);
  const [first] = expected[0] ?? [];
  for (const step of steps)
    if (step.outcome === "skipped" && step.id !== "button:attendant") expect(step.says).toContain("did not pass");
  expect(steps.some(({ id }) => id === first)).toBe(true);
});

test("a machine without credit, and a press that is refused, say so at each button", async () => {
  const broke = faultsOf(await examine({ credit: 0 }));
  expect(broke).toContainEqual(["button:spin", "credit.none"]);
  const refused = faultsOf(await examine({ refuses: "outOfService" }));
  expect(refused.map(([, fault]) => fault)).toEqual(Array<FaultName>(4).fill("press.refused"));
});

test("a press that the board does not confirm passes when the machine felt it, and bet keys at their end are tried from the other side", async () => {
  expect(faultsOf(await examine({ unanswered: true }))).toEqual([]);
  expect(faultsOf(await examine({ bet: 300 }))).toEqual([]);
  expect(faultsOf(await examine({ bet: 100 }))).toEqual([]);
});

test("a machine that cannot be disabled is noted, and examined all the same", async () => {
  const steps = await examine({ disable: "impossible" });
  expect(steps.find(({ id }) => id === "disable")).toMatchObject({ outcome: "noted" });
  expect(faultsOf(steps)).toEqual([]);
});

test("a picture that moves by itself is noted, and a run that must not act presses nothing", async () => {
  const restless = await examine({ picture: "restless" });
  expect(restless.find(({ id }) => id === "light")).toMatchObject({ outcome: "noted" });
  const looked = await examine({}, { acts: false });
  expect(looked.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id)).toEqual([
    "disable",
    "button:spin",
    "light",
    "button:betUp",
    "button:betDown",
    "button:band:20",
    "button:attendant",
  ]);
});

const HEAD = {
  machine: { id: "nar-01", name: 'Nar <b>"01"</b>', brand: "Nar", driver: "simulated", simulated: true },
  agent: "0.1.0",
  startedMs: Date.UTC(2026, 10, 23),
  endedMs: Date.UTC(2026, 10, 23, 0, 5),
};
const stepThat = (id: string, run: Step["run"]): Step => ({ id, title: `Step ${id}`, needs: [], run });

test("the report has the advice of each failure, its page is safe to open, and carries the digest of the file that is signed", async () => {
  const clock = fakeClock();
  const hostile = "<script>alert(1)</script>\u202e";
  const steps = await runSteps(
    [
      stepThat("one", async () => passed(hostile, { firmware: hostile })),
      stepThat("two", () => Promise.reject(new Error("no answer"))),
    ],
    clock,
  );
  const report = reportOf({ ...HEAD, by: "Ayşe <Kaya>" }, steps);
  expect(report).toMatchObject({
    version: 1,
    verdict: "faulty",
    by: "Ayşe <Kaya>",
    startedAt: "2026-11-23T00:00:00.000Z",
  });
  expect(report.steps[1]).toMatchObject({ fault: "machine.silent", advice: FAULTS["machine.silent"] });
  const { json, digest } = reportFile(report);
  expect(JSON.parse(json) as CommissioningReport).toEqual(report);
  const page = reportPage(report, digest);
  expect(page).toContain(digest);
  expect(page).toContain("Ayşe &lt;Kaya&gt;");
  expect(page).toContain(FAULTS["machine.silent"]);
  expect(page).not.toMatch(/<script|\u202e|<b>"01"/);
  expect(page).toContain("it drives no real machine");
  // What is wrong comes first, with a link to its row.
  expect(page).toContain('<li><a href="#two">Step two</a>: The machine gave no valid answer: no answer</li>');
  expect(page).toContain('<tr id="two" data-outcome="failed">');
});

test("a report is ready only when everything was looked at", async () => {
  const verdict = async (...steps: Step[]) => reportOf(HEAD, await runSteps(steps, fakeClock())).verdict;
  expect(await verdict(stepThat("a", async () => passed("Fine.")))).toBe("ready");
  expect(await verdict(stepThat("a", async () => ({ outcome: "skipped", says: "Not now." })))).toBe("incomplete");
});
