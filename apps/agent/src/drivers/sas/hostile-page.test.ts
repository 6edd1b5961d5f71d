import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PlayRules } from "@longarm/contract/player-protection";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../journal/journal.ts";
import { createMachineQueue } from "../../machine/machine-queue.ts";
import type { Driver } from "../../ports/driver.ts";
import { createGrants } from "../../seat/grants.ts";
import type { WirePress } from "../../seat/press-guard.ts";
import { createPressGuard } from "../../seat/press-guard.ts";
import { systemClock } from "../../system-clock.ts";
import { HostilePage, SPOILED_WAYS } from "../../testing/hostile-page.ts";
import { memoryFiles } from "../../testing/memory-files.ts";
import { openSas } from "./driver/open.ts";
import type { Cabinet } from "./driver/testing/cabinet.ts";
import { startCabinet } from "./driver/testing/cabinet.ts";

/*
 * A page that an attacker wrote, over WebRTC into the agent's media process, against the guard and a machine over SAS, which is another program. What
 * it won is read from the cabinet's own record of its games and keys, and by the cabinet's own clock.
 */

/** Tries of the page in each of the five parts. */
const TRIES = WHOLE_RUN ? 2_000 : 100;
/** Presses at once, and the pause after them, ms. */
const FLOOD = 20;
const PAUSE_MS = 50;
const DEADLINE_MS = 120_000;
/** As the cabinet has its credit. */
const MONEY = 100_000;

const clock = systemClock();
const FREE: PlayRules = { minCycleMs: 0, autoplay: true, stopReels: true };

type Start = { readonly at: number; readonly stake: number };
type Report = {
  readonly bet: number;
  readonly inGame: boolean;
  readonly creditsSum: number;
  readonly pressedInTurn: number;
  readonly starts: readonly Start[];
  readonly handPays: readonly { readonly reset: boolean }[];
};

const pause = (ms: number) => new Promise<void>((passed) => clock.after(ms, passed));

async function openAttack() {
  const folder = await mkdtemp(join(tmpdir(), "sas-hostile-"));
  const options = ["--cycle", "200", "--denomination", "1", "--seed", "hostile"];
  const cabinet = await startCabinet(join(folder, "cabinet"), options);
  const driver = await openDriver(folder, cabinet);
  const page = new HostilePage();
  onTestFinished(async () => {
    await page.end();
    await driver.close();
    await cabinet.end();
    await rm(folder, { recursive: true });
  });
  const { egm } = driver;
  const journal = await openJournal({ files: memoryFiles(), folder: "/j" });
  const grants = createGrants({ machineId: "m-1", journal, clock });
  const guard = createPressGuard({
    memory: { waiting: [], lastSeq: 0 },
    ...{ egm, grants, clock, queue: createMachineQueue(), wagerObstacle: () => undefined },
    picturedAt: () => clock.now(),
  });
  await page.meet({ guard, grants });
  let epoch = 0;
  let stay = 0;
  let rulesNow: Partial<PlayRules> = {};
  let transfers = 0;
  const attack = {
    ...{ cabinet, egm, guard, page },
    epoch: () => epoch,
    report: async () => (await cabinet.report()) as Report,
    /** A new holder comes under these rules: nothing of the one before may help the page. */
    async grant(rules: Partial<PlayRules>): Promise<void> {
      stay += 1;
      rulesNow = rules;
      await attack.reload();
    },
    /** The page of the same holder joins again: its numbers begin anew. */
    async reload(): Promise<void> {
      epoch += 1;
      await attack.renew(rulesNow);
    },
    renew: (rules: Partial<PlayRules>) =>
      grants.grant({ epoch, playSessionId: `ps_${stay}`, leaseMs: 600_000, rules: { ...FREE, ...rules } }),
    /** As the agent does with each event of its machine. */
    async listen(): Promise<void> {
      const { events } = await egm.nextEvents(50);
      for (const event of events) if (event.what === "gameStarted") guard.reported(event);
      await egm.ackEvents(events.map(({ seq }) => seq));
    },
    /** The machine rests, with credit for many games. */
    async rest(): Promise<Report> {
      const end = clock.now() + DEADLINE_MS;
      for (;;) {
        await attack.listen();
        const report = await attack.report();
        if (report.handPays.some(({ reset }) => !reset)) await cabinet.order({ do: "resetHandPay" });
        const isAtRest = !report.inGame && !(await egm.meters()).inGame;
        if (isAtRest && report.creditsSum >= MONEY / 2) return report;
        if (isAtRest) {
          transfers += 1;
          await egm.cashIn({ transferId: `in ${transfers}`, amount: MONEY }).catch(() => undefined);
        }
        if (clock.now() > end) throw new Error("The machine does not rest.");
        await pause(PAUSE_MS);
      }
    },
  };
  return attack;
}

type Attack = Awaited<ReturnType<typeof openAttack>>;

async function openDriver(folder: string, cabinet: Cabinet): Promise<Driver> {
  const button = (id: string, kind: "wager" | "select") => ({ id, label: id, kind, minGapMs: 0 });
  const end = clock.now() + DEADLINE_MS;
  for (;;) {
    try {
      return await openSas({
        ...{ id: "m-1", name: "Cabinet 1", brand: "Own", address: 1, assetNumber: undefined, profile: "standard" },
        line: { kind: "tcp", host: "127.0.0.1", port: cabinet.sasPort },
        panel: [button("spin", "wager"), button("betUp", "select")],
        limits: { minCycleMs: 200, minTransfer: 1, maxTransfer: 1_000_000, autoplay: true },
        ...{ settleMs: 3_000, confirmMs: 3_000, trace: true, folder: join(folder, "driver"), clock },
        ...{ lastEvent: undefined, problem: () => undefined, timing: { pollMs: 40, loopBreakMs: 100 } },
        presses: {
          buttons: ["spin", "betUp"],
          press: async (id) => {
            await cabinet.order({ do: "press", button: id }).catch(() => undefined);
            return { outcome: "sent", readBack: "unread" };
          },
          pressLonger: async () => undefined,
          keySwitch: () => "remote",
          onKeySwitch: () => () => undefined,
          close: async () => undefined,
        },
      });
    } catch (error) {
      if (clock.now() > end) throw error;
    }
  }
}

/** Floods the machine: fresh numbers and replays, both ways, true, forged and malformed, and with a reload now and then. */
async function flood(attack: Attack, of: (n: number) => Partial<WirePress>): Promise<void> {
  let seq = 0;
  for (let tried = 0; tried < TRIES; tried += FLOOD) {
    const round = tried / FLOOD;
    if (round % 8 === 7) {
      await attack.reload();
      seq = 0;
    }
    const presses = Array.from({ length: FLOOD }, (_, n): WirePress => {
      // Every third repeats the number of the one before it, and every seventh comes from another time.
      if (n % 3 !== 2) seq += 1;
      const at = clock.now() + (n % 7 === 6 ? 450 : 0);
      return {
        epoch: Math.max(1, attack.epoch() - (n % 11 === 10 ? 1 : 0)),
        seq,
        button: "spin",
        at,
        ...of(tried + n),
      };
    });
    const [overLink, overChannel] = [presses.slice(0, FLOOD / 4), presses.slice(FLOOD / 4)];
    const spoiled = round % 4 === 3 ? SPOILED_WAYS[(round >> 2) % SPOILED_WAYS.length] : undefined;
    await Promise.all([
      ...overLink.map((press) => attack.guard.press(press)),
      attack.page.send(attack.epoch(), overChannel, {
        ...(spoiled !== undefined && { spoiled }),
        ...{ reversed: round % 3 === 1, doubled: round % 5 === 2, replays: round % 2 === 0 ? 3 : 0 },
      }),
    ]);
    await attack.listen();
    await pause(PAUSE_MS);
  }
}

test(`RTS 8A, 13B, 14D, 14E, SI 2025: ${5 * TRIES} tries of a hostile page at a machine over SAS start no game too early, held, by itself or above the cap twice, and press no key while reels turn`, async () => {
  const attack = await openAttack();
  await attack.rest();

  // 14D: by the cabinet's clock, whatever its players' pages do.
  const minCycleMs = 1_000;
  await attack.grant({ minCycleMs });
  await flood(attack, () => ({ stake: 1 }));
  const { starts: cycled } = await attack.rest();
  expect(cycled.length).toBeGreaterThan(0);
  const gaps = cycled.slice(1).map(({ at }, n) => at - (cycled[n]?.at ?? 0));
  // Its clock has whole milliseconds.
  expect(Math.min(Number.POSITIVE_INFINITY, ...gaps)).toBeGreaterThanOrEqual(minCycleMs - 1);

  // 13B: held by the agent's own time, then by a renewal.
  await attack.grant({ paidForMs: 0, heldFor: "realityCheck" });
  const before = (await attack.report()).starts.length;
  await flood(attack, (n) => {
    if (n === TRIES / 2) void attack.renew({ paidForMs: 0, heldFor: "limit" });
    return n % 5 === 0 ? { auto: true } : {};
  });
  expect((await attack.rest()).starts).toHaveLength(before);

  // 8A: a press that says so starts nothing by itself.
  await attack.grant({ autoplay: false });
  const byHand = (await attack.report()).starts.length;
  await flood(attack, () => ({ auto: true }));
  expect((await attack.rest()).starts).toHaveLength(byHand);

  // 14E: no key reaches the machine while its reels turn, as the machine counted.
  await attack.grant({ stopReels: false });
  const { pressedInTurn, starts: turned } = await attack.report();
  await flood(attack, (n) => (n % 3 === 0 ? { button: "betUp" } : {}));
  const afterTurns = await attack.rest();
  expect(afterTurns.pressedInTurn).toBe(pressedInTurn);
  expect(afterTurns.starts.length).toBeGreaterThan(turned.length);

  // SI 2025: the machine does not say its next stake, so a lie wins one game; then the play session starts none, whatever key is pressed.
  const { bet, starts } = await attack.report();
  await attack.grant({ maxStake: bet - 1 });
  await flood(attack, (n) => (n % 7 === 3 ? { button: "betUp" } : { stake: 1 }));
  const above = (await attack.rest()).starts.slice(starts.length).filter(({ stake }) => stake >= bet);
  expect(above.length).toBeLessThanOrEqual(1);
}, 1_200_000);
