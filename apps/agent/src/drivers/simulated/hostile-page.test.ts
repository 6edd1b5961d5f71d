import type { PlayRules } from "@longarm/contract/player-protection";
import { WHOLE_RUN } from "@longarm/link/testing/whole-run";
import { paceOf } from "@longarm/reels/game/reveal";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { openJournal } from "../../journal/journal.ts";
import { createMachineQueue } from "../../machine/machine-queue.ts";
import type { EgmEvent } from "../../ports/egm.ts";
import type { Grants } from "../../seat/grants.ts";
import { createGrants } from "../../seat/grants.ts";
import type { PressGuard, WirePress } from "../../seat/press-guard.ts";
import { createPressGuard } from "../../seat/press-guard.ts";
import type { Arrived } from "../../testing/hostile-page.ts";
import { HostilePage, SPOILED_WAYS } from "../../testing/hostile-page.ts";
import { memoryFiles } from "../../testing/memory-files.ts";
import type { Trial } from "./trial.ts";
import { trial } from "./trial.ts";

/*
 * A page that an attacker wrote, over WebRTC into the agent's media process, against the guard and the simulated machine (issue 18, part 3). What it
 * won is read from the machine's own record of its games.
 */

/** Tries of the page. */
const TRIES = WHOLE_RUN ? 10_000 : 500;
const SEED = 20_261_128;
const MONEY = 900_000;
const MACHINE_CYCLE_MS = 200;
/** No game of this machine turns its reels for less. */
const { spinMs: TURN_MS } = paceOf(MACHINE_CYCLE_MS);

const Press = fc.record({
  /** After the last try, ms: around the times of the rules. */
  waits: fc.constantFrom(0, 0, 20, 160, 390, 410, 800, 2_490, 2_510, 4_990, 5_010),
  button: fc.constantFrom(
    "spin",
    "spin",
    "spin",
    "spin",
    "spin",
    "spin",
    "spin",
    "betUp",
    "betDown",
    "maxBet",
    "band:10",
    "attendant",
    "stop",
  ),
  /** Of the true stake: as it is, forged, or none. */
  stake: fc.constantFrom("true", "true", "true", "true", "true", "true", "true", "one", "none", "huge"),
  auto: fc.constantFrom(undefined, undefined, true, false),
  /** Off the agent's clock, ms. */
  atOff: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 400, -400, 600, -600, 1e9),
  epochOff: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 1),
  /** How many copies arrive at once, with one number or with one each. */
  copies: fc.constantFrom(1, 1, 1, 2, 8),
  replays: fc.boolean(),
  /** By the platform, as a page does whose channel is closed. */
  overLink: fc.constantFrom(false, false, false, true),
  sending: fc.record({
    spoiled: fc.oneof(
      { weight: 4, arbitrary: fc.constant("none" as const) },
      { weight: 1, arbitrary: fc.constantFrom(...SPOILED_WAYS) },
    ),
    reversed: fc.boolean(),
    doubled: fc.constantFrom(false, false, true),
    replays: fc.constantFrom(0, 0, 0, 1, 4),
  }),
});
type Press = typeof Press extends fc.Arbitrary<infer T> ? T : never;

const Rules: fc.Arbitrary<PlayRules> = fc.record(
  {
    minCycleMs: fc.constantFrom(0, 400, 2_500, 5_000),
    autoplay: fc.boolean(),
    stopReels: fc.boolean(),
    maxStake: fc.constantFrom(200, 6_000, 6_000, 100_000),
    pictureMsMax: fc.constantFrom(300, 1_000),
    paidForMs: fc.constantFrom(0, 800, 20_000, 60_000, 60_000),
    heldFor: fc.constantFrom("realityCheck", "limit", "break"),
  },
  { requiredKeys: ["minCycleMs", "autoplay", "stopReels"] },
);

const Step = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant("press" as const), press: Press }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("renew" as const), rules: Rules }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("picture" as const), runs: fc.constantFrom(true, true, true, false) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "holder" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart" as const), backMs: fc.constantFrom(0, 0, 3_000) }) },
);

/** What holds at a moment: the rules with their arrival, and the age of the newest picture, ms. */
type Moment = { readonly rules: PlayRules | undefined; readonly since: number; readonly pictureAgeMs: number };

/** One venue under attack: the machine, its agent, and what the platform has granted. */
class Attack {
  epoch = 1;
  rules: PlayRules | undefined;
  since = 0;
  /** Undefined: pictures come, so that the newest is always of now. */
  stoppedAt: number | undefined;
  arrived: Arrived[] = [];
  readonly page = new HostilePage();
  readonly #numbers = new Set<string>();
  #seq = 0;
  readonly #it: Trial;
  #files = memoryFiles();
  /** The agent's clock may have been set back at a restart. */
  #clockOff = 0;
  #grants!: Grants;
  #guard!: PressGuard;

  constructor(it: Trial) {
    this.#it = it;
  }

  now(): number {
    return this.#it.clock.now() - this.#clockOff;
  }

  /** A new process of the agent. One whose clock was set back has no platform before it is renewed: how long the clock was off it cannot know. */
  async start(backMs: number): Promise<void> {
    this.#clockOff += backMs;
    this.#files = this.#files.afterPowerCut(0);
    const clock = { ...this.#it.clock, now: () => this.now() };
    const journal = await openJournal({ files: this.#files, folder: "/j" });
    this.#grants = createGrants({ machineId: "m1", journal, clock });
    this.#guard = createPressGuard({
      memory: { waiting: [], lastSeq: 0 },
      ...{ egm: this.#it.egm, grants: this.#grants, queue: createMachineQueue(), clock },
      wagerObstacle: () => undefined,
      picturedAt: () => (this.stoppedAt === undefined ? clock.now() : this.stoppedAt - this.#clockOff),
    });
    await this.page.meet({ guard: this.#guard, grants: this.#grants });
    if (backMs > 0) await this.renew(this.rules);
  }

  async renew(rules: PlayRules | undefined): Promise<void> {
    const grant = { epoch: this.epoch, playSessionId: "ps_1", leaseMs: 600_000 };
    await this.#grants.grant(rules === undefined ? grant : { ...grant, rules });
    this.rules = rules;
    this.since = this.#it.clock.now();
  }

  async holder(): Promise<void> {
    this.epoch += 1;
    this.#seq = 0;
    await this.renew(this.rules);
  }

  moment(): Moment {
    const now = this.#it.clock.now();
    return {
      rules: this.rules,
      since: this.since,
      pictureAgeMs: this.stoppedAt === undefined ? 0 : now - this.stoppedAt,
    };
  }

  /** One try: presses of one kind at once, over one way or the other. */
  async press(tried: Press): Promise<void> {
    const { bet } = await this.#it.egm.meters();
    const stakes = { true: bet, one: 1, none: undefined, huge: 10_000_000 };
    const presses = Array.from({ length: tried.copies }, (_, n): WirePress => {
      if (n === 0 || !tried.replays) this.#seq += 1;
      const stake = stakes[tried.stake];
      return {
        ...{ epoch: Math.max(1, this.epoch + tried.epochOff), seq: this.#seq, button: tried.button },
        at: this.now() + tried.atOff,
        ...(stake !== undefined && { stake }),
        ...(tried.auto !== undefined && { auto: tried.auto }),
      };
    });
    if (tried.overLink) {
      const answers = await Promise.all(presses.map((press) => this.#guard.press(press)));
      this.arrived = presses.map((press, n) => ({ press, outcome: answers[n]?.outcome }));
    } else this.arrived = await this.page.send(this.epoch, presses, tried.sending);
  }

  /** A press that said that it came by itself has started a game. A number that was used before starts none: it has the answer of its first press. */
  startedByItself(): boolean {
    return this.arrived.some(({ press, outcome }) => {
      const number = `${press?.epoch} ${press?.seq}`;
      const isFirst = !this.#numbers.has(number);
      this.#numbers.add(number);
      return isFirst && press?.auto === true && outcome === "started";
    });
  }
}

/** The reels of this game were stopped: they turned for less than the machine's own time. */
const isStopped = (game: Extract<EgmEvent, { what: "gameEnded" }>): boolean =>
  game.endedAt - game.startedAt < Math.floor(TURN_MS);

/** Why this game of the machine's record breaks the rules of its moment; undefined: it does not. */
function breach(
  game: Extract<EgmEvent, { what: "gameStarted" }>,
  before: number,
  { rules, since, pictureAgeMs }: Moment,
): string | undefined {
  if (rules === undefined) return undefined;
  const { minCycleMs, maxStake, paidForMs, pictureMsMax } = rules;
  if (game.startedAt - before < minCycleMs) return `${game.startedAt - before} ms after the one before`;
  if (maxStake !== undefined && game.stake > maxStake) return `a stake of ${game.stake}`;
  if (paidForMs !== undefined && game.startedAt - since >= paidForMs) return "held";
  if (pictureMsMax !== undefined && pictureAgeMs > pictureMsMax) return `a picture ${pictureAgeMs} ms old`;
  return undefined;
}

test(`RTS 8A, 13B, 14D, 14E, SI 2025: ${TRIES} tries of a hostile page start no game too early, above the cap, held, unseen or by itself, and stop no reels (seed ${SEED})`, async () => {
  const it = await trial({ minCycleMs: MACHINE_CYCLE_MS, files: memoryFiles() });
  const attack = new Attack(it);
  onTestFinished(() => attack.page.end());
  const steps = fc.sample(Step, { numRuns: TRIES * 2, seed: SEED });
  const wins: string[] = [];
  let tries = 0;
  let games = 0;
  let lastStart = Number.NEGATIVE_INFINITY;

  const look = async (moment: Moment): Promise<void> => {
    const { events } = await it.egm.nextEvents(200);
    for (const event of events) {
      if (event.what === "handPay") await it.egm.resetHandPay(event.handPay.id);
      if (event.what === "gameEnded" && moment.rules?.stopReels === false && isStopped(event))
        wins.push(`try ${tries}: reels stopped after ${event.endedAt - event.startedAt} ms`);
      if (event.what !== "gameStarted") continue;
      games += 1;
      const why = breach(event, lastStart, moment);
      if (why !== undefined) wins.push(`try ${tries}: ${why}, ${JSON.stringify(moment)}`);
      lastStart = event.startedAt;
    }
    await it.egm.ackEvents(events.map(({ seq }) => seq));
    if (attack.startedByItself() && moment.rules?.autoplay === false) wins.push(`try ${tries}: by itself`);
    attack.arrived = [];
  };

  await attack.start(0);
  await attack.renew(undefined);
  for (const step of steps) {
    if (tries >= TRIES) break;
    if (step.do === "press") {
      tries += 1;
      it.clock.advance(step.press.waits);
      const { credit } = await it.egm.meters();
      if (credit < 100_000) await it.egm.cashIn({ transferId: `in ${tries}`, amount: MONEY });
      await attack.press(step.press);
      await look(attack.moment());
    } else if (step.do === "renew") await attack.renew(step.rules);
    else if (step.do === "holder") await attack.holder();
    else if (step.do === "picture") attack.stoppedAt = step.runs ? undefined : (attack.stoppedAt ?? it.clock.now());
    else await attack.start(step.backMs);
  }
  expect(wins).toEqual([]);
  expect(tries).toBe(TRIES);
  // The page is not only refused: what the rules allow is played.
  expect(games).toBeGreaterThan(TRIES / 100);
  await it.end();
}, 1_200_000);
