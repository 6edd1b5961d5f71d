import type { Lockup } from "@longarm/contract/machine";
import type { Clock } from "../../ports/clock.ts";
import type { Egm, EgmButton, EgmMeters, EgmPressAnswer, EgmRefusal, EgmTotals } from "../../ports/egm.ts";
import type { Evidence, Step, StepResult } from "./commissioning.ts";
import { failed, noted, passed, skipped, until } from "./commissioning.ts";
import type { FaultName } from "./faults.ts";

/** Meters that do not move for this long are at rest, ms. */
const REST_MS = 1_500;
/** A machine shows the effect of a press within this time, ms; meters of real machines follow a game by seconds. */
const EFFECT_MS = 10_000;
/** A game with free spins or a bonus takes this long at most, ms. */
const GAME_MS_MAX = 60_000;
/** A second game after one press would begin within this time, ms. */
const TWICE_MS = 3_000;

export interface MachineStepsDeps {
  readonly egm: Egm;
  readonly clock: Clock;
  /** False: no button is pressed and nothing is disabled, for a machine that somebody may be using. */
  readonly acts: boolean;
  /** Ids of the steps without which no button can be pressed. */
  readonly pressesAfter: readonly string[];
}

/**
 * What is looked at on every machine, through the port that play uses. Games come before the keys of the stake, which leave a higher one.
 * `picture`: the steps of the picture, whose game is played at the same stake.
 */
export function machineSteps(deps: MachineStepsDeps, picture: readonly Step[]): Step[] {
  const buttons = deps.egm.description.buttons;
  const start: { gap?: number } = {};
  return [
    { id: "identity", title: "Identity", needs: [], run: async () => identity(deps.egm) },
    { id: "meters", title: "Meters", needs: ["identity"], run: () => meters(deps, start) },
    { id: "state", title: "State", needs: ["meters"], run: () => state(deps.egm) },
    { id: "disable", title: "Disable and enable", needs: ["state"], run: () => disableAndEnable(deps) },
    ...buttons.filter(({ kind }) => kind === "wager").map((button) => wagerStep(deps, button)),
    ...picture,
    ...betSteps(deps, buttons),
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

async function state(egm: Egm): Promise<StepResult> {
  const { lockup } = await egm.meters();
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

type Expected = (before: EgmMeters, now: EgmMeters) => boolean;
const EXPECTED: Readonly<Record<string, Expected>> = {
  betUp: (before, now) => (now.bet ?? 0) > (before.bet ?? 0),
  betDown: (before, now) => (now.bet ?? 0) < (before.bet ?? 0),
};

/** Bet up and bet down prove each other: one of them always has room. Other keys are seen by any change of bet or band. */
function betSteps(deps: MachineStepsDeps, buttons: readonly EgmButton[]): Step[] {
  const selects = buttons.filter(({ kind }) => kind === "select");
  const down = selects.find(({ id }) => id === "betDown");
  const up = selects.find(({ id }) => id === "betUp");
  const opposites = new Map([
    [up, down],
    [down, up],
  ]);
  const proved = new Map<string, StepResult>();
  return selects.map((button) => ({
    ...stepOf(deps, button),
    withinMs: 120_000,
    run: async () => {
      if (!deps.acts) return skipped("No button is pressed in this run.");
      const first = proved.get(button.id) ?? (await select(deps, button));
      const isWithoutEffect =
        first.outcome === "noted" || (first.outcome === "failed" && first.fault === "button.dead");
      const other = opposites.get(button);
      if (!isWithoutEffect || other === undefined) return first;
      const opposite = await select(deps, other);
      if (opposite.outcome === "passed") proved.set(other.id, opposite);
      return await select(deps, button);
    },
  }));
}

const stepOf = ({ pressesAfter }: MachineStepsDeps, { id, label }: EgmButton) => ({
  id: `button:${id}`,
  title: `Button ${label === "" ? id : label}`,
  needs: ["state", ...pressesAfter],
});

async function select(deps: MachineStepsDeps, button: EgmButton): Promise<StepResult> {
  const { egm, clock } = deps;
  const before = await atRest(deps);
  const pressed = await press(deps, button, before);
  if ("fault" in pressed) return pressed.fault;
  const { answer, evidence } = pressed;
  const now = await until(clock, before.bet === undefined ? TWICE_MS : EFFECT_MS, async () => {
    const read = await egm.meters();
    return read.gamesPlayed > before.gamesPlayed || read.inGame || changed(before, read) || answer.outcome === "ignored"
      ? read
      : undefined;
  });
  if (now !== undefined && (now.gamesPlayed > before.gamesPlayed || now.inGame))
    return failed("button.swapped", `${button.id} started a game.`, evidence);
  if (now === undefined || !changed(before, now)) {
    if (answer.outcome === "ignored")
      return noted("The machine took the press; there was nothing to change.", evidence);
    if (before.bet === undefined)
      return noted("The machine does not say its stake, so the press cannot be seen here.", evidence);
    return failed("button.dead", `${button.id} changed neither the bet nor the denomination.`, evidence);
  }
  const seen = { ...evidence, betBefore: before.bet ?? "not said", betAfter: now.bet ?? "not said" };
  const band = /^band:(.+)$/.exec(button.id)?.[1];
  const fits = band === undefined ? (EXPECTED[button.id]?.(before, now) ?? true) : now.activeBand === band;
  if (!fits)
    return failed(
      "button.swapped",
      `${button.id} moved the bet from ${before.bet} to ${now.bet}, band ${now.activeBand}.`,
      seen,
    );
  return passed(`It changed the bet from ${before.bet} to ${now.bet}.`, seen);
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

type Pressed = { readonly answer: EgmPressAnswer; readonly evidence: Evidence } | { readonly fault: StepResult };

/** Presses once. A press without an answer is no fault by itself: the meters show whether it counted. */
async function press({ egm, clock }: MachineStepsDeps, button: EgmButton, before: EgmMeters): Promise<Pressed> {
  const at = clock.now();
  const stake = button.kind === "wager" && before.bet !== undefined ? { stakeMinor: before.bet } : {};
  const answer = await egm.press({ button: button.id, ...stake });
  const evidence = { outcome: answer.outcome, answeredAfterMs: Math.round(clock.now() - at) };
  if (answer.outcome !== "refused") return { answer, evidence };
  const says = `${button.id} was refused: ${answer.reason ?? "no reason"}.`;
  const names: Partial<Record<EgmRefusal, FaultName>> = { noCredit: "credit.none", unknownButton: "button.unwired" };
  return { fault: failed((answer.reason && names[answer.reason]) ?? "press.refused", says, evidence) };
}

/** A wager costs one game's stake. It must begin exactly one game. */
function wagerStep(deps: MachineStepsDeps, button: EgmButton): Step {
  const { egm, clock } = deps;
  return {
    ...stepOf(deps, button),
    withinMs: 120_000,
    run: async () => {
      if (!deps.acts) return skipped("No button is pressed in this run.");
      const before = await atRest(deps);
      if (before.credit === 0) return failed("credit.none", "There is no credit on the machine.");
      const pressed = await press(deps, button, before);
      if ("fault" in pressed) return pressed.fault;
      const { evidence } = pressed;
      const at = clock.now();
      const wagered = (now: EgmMeters): number => now.totals.wageredTotal - before.totals.wageredTotal;
      const started = await until(clock, EFFECT_MS, async () => {
        const now = await egm.meters();
        return wagered(now) > 0 || now.gamesPlayed > before.gamesPlayed || now.inGame || changed(before, now)
          ? now
          : undefined;
      });
      if (started === undefined) return failed("button.dead", `${button.id} started no game.`, evidence);
      if (wagered(started) === 0 && !started.inGame && started.gamesPlayed === before.gamesPlayed)
        return failed("button.swapped", `${button.id} changed the bet instead of starting a game.`, evidence);
      const seenAfterMs = Math.round(clock.now() - at);
      await atRest(deps);
      // A bouncing contact starts the next game as soon as this one is over.
      const again = await until(clock, TWICE_MS, async () => {
        const now = await egm.meters();
        return now.gamesPlayed > before.gamesPlayed + 1 || (now.inGame && now.gamesPlayed > before.gamesPlayed)
          ? true
          : undefined;
      });
      const now = await egm.meters();
      const seen = {
        ...evidence,
        seenAfterMs,
        wageredMinor: wagered(now),
        games: now.gamesPlayed - before.gamesPlayed,
      };
      if (again) return failed("button.twice", `One press of ${button.id} started ${seen.games} games.`, seen);
      return passed(
        `It started one game of ${seen.wageredMinor} minor units, seen on the meters after ${seenAfterMs} ms.`,
        seen,
      );
    },
  };
}

const LEFT = {
  collect: "It takes the credits off the machine: press it by hand and watch the machine.",
  service: "It calls an attendant: press it by hand and look whether the lamp lights.",
} as const;

function leftStep(deps: MachineStepsDeps, button: EgmButton): Step {
  return { ...stepOf(deps, button), run: async () => skipped(LEFT[button.kind === "collect" ? "collect" : "service"]) };
}
