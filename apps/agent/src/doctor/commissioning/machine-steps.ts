import type { Lockup } from "@longarm/contract/machine";
import type { Clock } from "../../ports/clock.ts";
import type { Egm, EgmButton, EgmMeters, EgmPressAnswer, EgmRefusal, EgmTotals } from "../../ports/egm.ts";
import type { Evidence, Step, StepResult } from "./commissioning.ts";
import { failed, noted, passed, skipped, until } from "./commissioning.ts";
import type { FaultName } from "./faults.ts";

/** Meters that do not move for this long are at rest, ms. */
const REST_MS = 1_500;
/** What a machine had to report before it was opened has been read within this time, ms. */
const EVENTS_MS = 2_000;
/** A machine shows the effect of a press within this time, ms; meters of real machines follow a game by seconds. */
const EFFECT_MS = 10_000;
/** A game with free spins or a bonus takes this long at most, ms. */
const GAME_MS_MAX = 60_000;
/** A second game after one press, or one after a key that should start none, would begin within this time, ms. */
const TWICE_MS = 3_000;
/** A press that came too soon was not sent, and is tried again this often and for this long, ms. */
const AGAIN_MS = 250;
const TOO_SOON_MS_MAX = 30_000;

export interface MachineStepsDeps {
  readonly egm: Egm;
  readonly clock: Clock;
  /** False: no button is pressed and nothing is disabled, for a machine that somebody may be using. */
  readonly acts: boolean;
  /** Ids of the steps without which no button can be pressed. */
  readonly pressesAfter: readonly string[];
  /** See `Driver.pressLonger`. */
  readonly pressLonger?: ((button: string) => Promise<number | undefined>) | undefined;
}

/**
 * What is looked at on every machine, through the port that play uses. Games come before the keys of the stake, which leave a higher one.
 * `picture`: the steps of the picture, whose game is played at the same stake.
 */
export function machineSteps(deps: MachineStepsDeps, picture: readonly Step[]): Step[] {
  const buttons = deps.egm.description.buttons;
  const start: { gap?: number } = {};
  const last: LastGame = {};
  return [
    { id: "identity", title: "Identity", needs: [], run: async () => identity(deps.egm) },
    { id: "meters", title: "Meters", needs: ["identity"], run: () => meters(deps, start) },
    { id: "state", title: "State", needs: ["meters"], run: () => state(deps) },
    { id: "disable", title: "Disable and enable", needs: ["state"], run: () => disableAndEnable(deps) },
    ...buttons.filter(({ kind }) => kind === "wager").map((button) => wagerStep(deps, button, last)),
    ...picture,
    ...betSteps(deps, buttons, last),
    ...buttons.filter(({ kind }) => kind === "collect" || kind === "service").map((button) => leftStep(deps, button)),
    { id: "metersAgain", title: "Meters after play", needs: ["meters"], run: () => metersAgain(deps, start) },
  ];
}

function identity({ description }: Egm): StepResult {
  const { id, name, brand, serial, denominationMinor, limits, buttons } = description;
  const evidence: Evidence = {
    id,
    name,
    brand,
    serial,
    denominationMinor,
    minCycleMs: limits.minCycleMs,
    buttons: buttons.map((button) => button.id).join(" "),
  };
  return passed(
    `It calls itself ${name}, serial number ${serial}; one credit is ${denominationMinor} minor units.`,
    evidence,
  );
}

const TOTALS = [
  "wageredTotal",
  "wonTotal",
  "machinePaidTotal",
  "handPaidTotal",
  "cashInTotal",
  "cashOutTotal",
  "otherInTotal",
  "otherOutTotal",
] as const satisfies readonly (keyof EgmTotals)[];

/** What the credit meter has more than the cumulative meters explain. It may be anything (a rollover, a cleared meter), but it must not change. */
function gapOf({ credit, totals }: EgmMeters): number {
  const came = totals.cashInTotal + totals.otherInTotal + totals.machinePaidTotal;
  return credit - (came - totals.wageredTotal - totals.cashOutTotal - totals.otherOutTotal);
}

const totalsOf = ({ totals }: EgmMeters): Evidence => Object.fromEntries(TOTALS.map((name) => [name, totals[name]]));

async function meters({ egm, clock }: MachineStepsDeps, start: { gap?: number }): Promise<StepResult> {
  const first = await egm.meters();
  start.gap = gapOf(first);
  let last = first;
  const wrong = await until(clock, REST_MS, async () => {
    last = await egm.meters();
    const fallen = TOTALS.find((name) => last.totals[name] < first.totals[name]);
    if (fallen !== undefined)
      return failed("meters.fell", `${fallen} fell from ${first.totals[fallen]} to ${last.totals[fallen]}.`);
    const moved = TOTALS.find((name) => last.totals[name] > first.totals[name]);
    if (moved === undefined && !last.inGame) return undefined;
    return failed(
      "meters.moving",
      moved === undefined ? "A game is in progress." : `${moved} grows while nothing was pressed.`,
    );
  });
  if (wrong !== undefined) return wrong;
  const evidence = { credit: last.credit, gamesPlayed: last.gamesPlayed, gap: start.gap, ...totalsOf(last) };
  return passed(
    `They can be read and do not move: ${last.credit} minor units of credit, ${last.gamesPlayed} games.`,
    evidence,
  );
}

async function metersAgain({ egm }: MachineStepsDeps, { gap = 0 }: { gap?: number }): Promise<StepResult> {
  const now = await egm.meters();
  const evidence = { credit: now.credit, gamesPlayed: now.gamesPlayed, gap: gapOf(now), ...totalsOf(now) };
  if (now.inGame) return noted("A game is still in progress, so the meters were not compared.", evidence);
  const drift = gapOf(now) - gap;
  if (drift === 0) return passed("The credit meter followed the other meters through every game.", evidence);
  return failed("meters.drift", `The credit meter is ${drift} minor units off what the other meters say.`, evidence);
}

const FAULT_OF = {
  handPay: "state.handPay",
  door: "state.door",
  tilt: "state.tilt",
  disabled: "state.disabled",
  outOfService: "state.outOfService",
  local: "state.local",
} as const satisfies Record<Lockup, FaultName>;

async function state({ egm, clock }: MachineStepsDeps): Promise<StepResult> {
  const lockup = await until(clock, EVENTS_MS, async () => (await egm.meters()).lockup);
  return lockup === undefined
    ? passed("It is ready to be played.")
    : failed(FAULT_OF[lockup], `It is locked: ${lockup}.`);
}

async function disableAndEnable({ egm, clock, acts }: MachineStepsDeps): Promise<StepResult> {
  if (!egm.description.capabilities.disables) return noted("It cannot be disabled from here.");
  if (!acts) return skipped("Nothing is changed in this run.");
  const reaches = (wanted: Lockup | undefined) =>
    until(clock, EFFECT_MS, async () => ((await egm.meters()).lockup === wanted ? true : undefined));
  try {
    await egm.disable();
    if (!(await reaches("disabled")))
      return failed("disable.ignored", "It was disabled, and reports that it can be played.");
  } finally {
    await egm.enable();
  }
  if (!(await reaches(undefined))) return failed("enable.ignored", "It was enabled, and stays locked.");
  return passed("It can be disabled and enabled.");
}

type Expected = (before: number, now: number) => boolean;
/** What a key does to the bet, or to the stake of the next game. */
const EXPECTED: Readonly<Record<string, Expected>> = {
  betUp: (before, now) => now > before,
  betDown: (before, now) => now < before,
};

/** The stake of the last game that a step of this run has started, minor units. */
type LastGame = { stakeMinor?: number };

/**
 * Bet up and bet down prove each other: one of them always has room, and the other keys have room once the bet is lower. Where the machine does not
 * say its bet, a game after the press does.
 */
function betSteps(deps: MachineStepsDeps, buttons: readonly EgmButton[], last: LastGame): Step[] {
  const selects = buttons.filter(({ kind }) => kind === "select");
  const wager = buttons.find(({ kind }) => kind === "wager");
  const down = selects.find(({ id }) => id === "betDown");
  const up = selects.find(({ id }) => id === "betUp");
  const isStated = deps.egm.description.capabilities.nextStake;
  const proved = new Map<string, StepResult>();
  const selectOnce = (button: EgmButton, press: Press): Promise<StepResult> =>
    isStated || wager === undefined
      ? select(deps, button, press)
      : selectByGame({ ...deps, wager, last }, button, press);

  async function run(button: EgmButton): Promise<StepResult> {
    if (!deps.acts) return skipped("No button is pressed in this run.");
    const first = proved.get(button.id) ?? (await selectOnce(button, pressed));
    const opposite = button === down ? up : down;
    if (!isWithoutEffect(first)) return first;
    let seen = first;
    if (opposite !== undefined && opposite !== button) {
      const other = await selectOnce(opposite, pressed);
      if (other.outcome === "passed") proved.set(opposite.id, other);
      seen = await selectOnce(button, pressed);
    }
    if (!isWithoutEffect(seen)) return seen;
    const longer = await selectOnce(button, pressedLonger);
    return longer.outcome === "passed" ? shortPulse(button, longer) : seen;
  }

  return selects.map((button) => {
    const step = stepOf(deps, button);
    const needs = isStated || wager === undefined ? step.needs : [...step.needs, stepOf(deps, wager).id];
    return { ...step, needs, withinMs: SELECT_MS_MAX, run: () => run(button) };
  });
}

/** A key may need three presses, a longer one, and a game behind each. */
const SELECT_MS_MAX = 4 * (GAME_MS_MAX + EFFECT_MS);

const isWithoutEffect = (result: StepResult): boolean =>
  result.outcome === "noted" || (result.outcome === "failed" && result.fault === "button.dead");

const shortPulse = ({ id }: EgmButton, { evidence }: StepResult): StepResult =>
  failed("button.short", `${id} works with the longest pulse of its board, and not with its own.`, evidence);

const stepOf = ({ pressesAfter }: MachineStepsDeps, { id, label }: EgmButton) => ({
  id: `button:${id}`,
  title: `Button ${label === "" ? id : label}`,
  needs: ["state", ...pressesAfter],
});

const hasStarted = (before: EgmMeters, now: EgmMeters): boolean =>
  now.inGame || now.gamesPlayed > before.gamesPlayed || now.totals.wageredTotal > before.totals.wageredTotal;

async function select(deps: MachineStepsDeps, button: EgmButton, press: Press): Promise<StepResult> {
  const { egm, clock } = deps;
  const before = await atRest(deps);
  const pressed = await press(deps, button, before);
  if ("fault" in pressed) return pressed.fault;
  const { answer, evidence } = pressed;
  const now = await until(clock, before.bet === undefined ? TWICE_MS : EFFECT_MS, async () => {
    const read = await egm.meters();
    return hasStarted(before, read) || changed(before, read) || answer.outcome === "ignored" ? read : undefined;
  });
  if (now !== undefined && hasStarted(before, now))
    return failed("button.swapped", `${button.id} started a game.`, evidence);
  if (now === undefined || !changed(before, now)) {
    if (answer.outcome === "ignored")
      return noted("The machine took the press; there was nothing to change.", evidence);
    if (before.bet === undefined)
      return noted("The machine does not say its stake, and has no key that starts a game to show it.", evidence);
    return failed("button.dead", `${button.id} changed neither the bet nor the denomination.`, evidence);
  }
  const seen = { ...evidence, betBefore: before.bet ?? "not said", betAfter: now.bet ?? "not said" };
  const band = /^band:(.+)$/.exec(button.id)?.[1];
  const fits =
    band === undefined ? (EXPECTED[button.id]?.(before.bet ?? 0, now.bet ?? 0) ?? true) : now.activeBand === band;
  if (!fits)
    return failed(
      "button.swapped",
      `${button.id} moved the bet from ${before.bet} to ${now.bet}, band ${now.activeBand}.`,
      seen,
    );
  return passed(`It changed the bet from ${before.bet} to ${now.bet}.`, seen);
}

type ByGame = MachineStepsDeps & { readonly wager: EgmButton; readonly last: LastGame };

/** The press is seen by the stake of the game behind it. */
async function selectByGame(deps: ByGame, button: EgmButton, press: Press): Promise<StepResult> {
  const { egm, clock, wager, last } = deps;
  const before = await atRest(deps);
  const key = await press(deps, button, before);
  if ("fault" in key) return key.fault;
  const early = await until(clock, TWICE_MS, async () => (hasStarted(before, await egm.meters()) ? true : undefined));
  if (early) return failed("button.swapped", `${button.id} started a game.`, key.evidence);
  const game = await playOnce(deps, wager);
  if ("fault" in game) return game.fault;
  const { stakeMinor } = game;
  const stakeBefore = last.stakeMinor;
  const seen = { ...key.evidence, stakeBefore: stakeBefore ?? "not played", stakeAfter: stakeMinor ?? "no game" };
  if (stakeMinor === undefined)
    return failed(
      "credit.none",
      `No game began behind ${button.id}: its stake may be more than the credit of ${before.credit} minor units.`,
      seen,
    );
  last.stakeMinor = stakeMinor;
  if (stakeBefore === undefined || stakeMinor === stakeBefore)
    return failed("button.dead", `The game behind ${button.id} had the stake of the one before, ${stakeMinor}.`, seen);
  if (!(EXPECTED[button.id]?.(stakeBefore, stakeMinor) ?? true))
    return failed("button.swapped", `${button.id} moved the stake from ${stakeBefore} to ${stakeMinor}.`, seen);
  return passed(`It changed the stake of the next game from ${stakeBefore} to ${stakeMinor}.`, seen);
}

/** One game at the stake as it is. `stakeMinor` undefined: none began. */
async function playOnce(
  deps: MachineStepsDeps,
  wager: EgmButton,
): Promise<{ readonly stakeMinor: number | undefined } | { readonly fault: StepResult }> {
  const { egm, clock } = deps;
  const before = await egm.meters();
  const press = await pressed(deps, wager, before);
  if ("fault" in press) return press;
  const began = await until(clock, EFFECT_MS, async () => (hasStarted(before, await egm.meters()) ? true : undefined));
  if (began === undefined) return { stakeMinor: undefined };
  const after = await atRest(deps);
  return { stakeMinor: after.totals.wageredTotal - before.totals.wageredTotal };
}

/** The meters once no game is in progress, or as they are after a long game. */
async function atRest({ egm, clock }: MachineStepsDeps): Promise<EgmMeters> {
  const rested = await until(clock, GAME_MS_MAX, async () => {
    const now = await egm.meters();
    return now.inGame ? undefined : now;
  });
  return rested ?? (await egm.meters());
}

const changed = (before: EgmMeters, now: EgmMeters): boolean =>
  now.bet !== before.bet || now.activeBand !== before.activeBand;

type Pressed =
  | { readonly answer: Pick<EgmPressAnswer, "outcome" | "reason">; readonly evidence: Evidence }
  | { readonly fault: StepResult };
type Press = (deps: MachineStepsDeps, button: EgmButton, before: EgmMeters) => Promise<Pressed>;

/** Presses once. A press without an answer is no fault by itself: the meters show whether it counted. */
const pressed: Press = async ({ egm, clock }, button, before) => {
  const at = clock.now();
  const answer = await pressInTime({ egm, clock }, button, before);
  const evidence = { outcome: answer.outcome, answeredAfterMs: Math.round(clock.now() - at) };
  if (answer.outcome !== "refused") return { answer, evidence };
  const says = `${button.id} was refused: ${answer.reason ?? "no reason"}.`;
  const names: Partial<Record<EgmRefusal, FaultName>> = { noCredit: "credit.none", unknownButton: "button.unwired" };
  return { fault: failed((answer.reason && names[answer.reason]) ?? "press.refused", says, evidence) };
};

/** Presses once with the longest pulse of the board, which the driver presses beside the machine. */
const pressedLonger: Press = async ({ pressLonger }, button) => {
  const pulseMs = await pressLonger?.(button.id);
  if (pulseMs === undefined) return { fault: skipped("Its pulse cannot be longer.") };
  return { answer: { outcome: "done" }, evidence: { pulseMs } };
};

/** Presses once it may: a press that came too soon behind another was not sent. `presses` is called before each try. */
export async function pressInTime(
  { egm, clock }: Pick<MachineStepsDeps, "egm" | "clock">,
  button: EgmButton,
  before: EgmMeters,
  presses: (at: number) => void = () => undefined,
): Promise<EgmPressAnswer> {
  const stake = button.kind === "wager" && before.bet !== undefined ? { stakeMinor: before.bet } : {};
  const endsAt = clock.now() + TOO_SOON_MS_MAX;
  for (;;) {
    presses(clock.now());
    const answer = await egm.press({ button: button.id, ...stake });
    if (answer.outcome !== "refused" || answer.reason !== "tooSoon" || clock.now() >= endsAt) return answer;
    await new Promise<void>((resolve) => void clock.after(AGAIN_MS, resolve));
  }
}

/** A wager costs one game's stake. It must begin exactly one game, which the meters count. */
function wagerStep(deps: MachineStepsDeps, button: EgmButton, last: LastGame): Step {
  const { egm, clock } = deps;
  return {
    ...stepOf(deps, button),
    withinMs: 3 * GAME_MS_MAX,
    run: async () => {
      if (!deps.acts) return skipped("No button is pressed in this run.");
      const before = await atRest(deps);
      if (before.credit === 0) return failed("credit.none", "There is no credit on the machine.");
      const press = await pressed(deps, button, before);
      if ("fault" in press) return press.fault;
      const at = clock.now();
      const started = await until(clock, EFFECT_MS, async () => {
        const now = await egm.meters();
        return hasStarted(before, now) || changed(before, now) ? now : undefined;
      });
      if (started === undefined) return await whyNoGame(deps, button, before, press.evidence);
      if (!hasStarted(before, started))
        return failed("button.swapped", `${button.id} changed the bet instead of starting a game.`, press.evidence);
      const seenAfterMs = Math.round(clock.now() - at);
      return await gameSeen(deps, { button, before, last, evidence: { ...press.evidence, seenAfterMs } });
    },
  };
}

type SeenGame = {
  readonly button: EgmButton;
  readonly before: EgmMeters;
  readonly last: LastGame;
  readonly evidence: Evidence & { readonly seenAfterMs: number };
};

async function gameSeen(deps: MachineStepsDeps, { button, before, last, evidence }: SeenGame): Promise<StepResult> {
  const { egm, clock } = deps;
  const isCounted = ({ totals, gamesPlayed }: EgmMeters): boolean =>
    totals.wageredTotal > before.totals.wageredTotal && gamesPlayed > before.gamesPlayed;
  await atRest(deps);
  await until(clock, EFFECT_MS, async () => (isCounted(await egm.meters()) ? true : undefined));
  // A bouncing contact starts the next game as soon as this one is over.
  const again = await until(clock, TWICE_MS, async () => {
    const now = await egm.meters();
    return now.gamesPlayed > before.gamesPlayed + 1 || (now.inGame && now.gamesPlayed > before.gamesPlayed)
      ? true
      : undefined;
  });
  const now = await egm.meters();
  const wageredMinor = now.totals.wageredTotal - before.totals.wageredTotal;
  const seen = { ...evidence, wageredMinor, games: now.gamesPlayed - before.gamesPlayed };
  if (!isCounted(now))
    return failed(
      "meters.still",
      `A game ran, and the machine counted ${seen.games} games and ${wageredMinor} minor units of stakes.`,
      seen,
    );
  if (again) return failed("button.twice", `One press of ${button.id} started ${seen.games} games.`, seen);
  last.stakeMinor = wageredMinor;
  return passed(
    `It started one game of ${wageredMinor} minor units, seen on the meters after ${evidence.seenAfterMs} ms.`,
    seen,
  );
}

/** A press that started nothing: its pulse may be too short, or its wire may end at another key, whose own wire then starts a game. */
async function whyNoGame(
  deps: MachineStepsDeps,
  { id }: EgmButton,
  before: EgmMeters,
  evidence: Evidence,
): Promise<StepResult> {
  const { egm, clock } = deps;
  const begins = () => until(clock, TWICE_MS, async () => (hasStarted(before, await egm.meters()) ? true : undefined));
  const pulseMs = await deps.pressLonger?.(id);
  if (pulseMs !== undefined && (await begins())) {
    await atRest(deps);
    return failed("button.short", `${id} starts a game with a pulse of ${pulseMs} ms, and not with its own.`, {
      ...evidence,
      pulseMs,
    });
  }
  // A machine that states its bet would have shown the key that was pressed.
  const others = egm.description.buttons.filter(({ kind }) => kind === "select" && before.bet === undefined);
  for (const other of others) {
    const press = await pressed(deps, other, before);
    if ("fault" in press || !(await begins())) continue;
    await atRest(deps);
    return failed("button.swapped", `${id} started no game, and ${other.id} starts one.`, evidence);
  }
  return failed("button.dead", `${id} started no game.`, evidence);
}

const LEFT = {
  collect: "It takes the credits off the machine: press it by hand and watch the machine.",
  service: "It calls an attendant: press it by hand and look whether the lamp lights.",
} as const;

function leftStep(deps: MachineStepsDeps, button: EgmButton): Step {
  return { ...stepOf(deps, button), run: async () => skipped(LEFT[button.kind === "collect" ? "collect" : "service"]) };
}
