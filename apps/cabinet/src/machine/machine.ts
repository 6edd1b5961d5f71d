import type { Wish } from "@longarm/reels/game/dealer";
import { createDealer } from "@longarm/reels/game/dealer";
import { outcomeWin } from "@longarm/reels/game/draw";
import type { Reveal, Stage } from "@longarm/reels/game/reveal";
import { paceOf, reveal } from "@longarm/reels/game/reveal";
import { BANDS, BET_STEPS, DEFAULT_BAND, DEFAULT_STEP, JACKPOTS } from "@longarm/reels/game/rules";
import type { Strip } from "@longarm/reels/game/strips";
import { stripsOf } from "@longarm/reels/game/strips";
import type { GlassView } from "@longarm/reels/picture/view";
import { bcd } from "../sas/bytes.ts";
import { QUEUE_LENGTH, REAL_TIME_ONLY, raise } from "../sas/exceptions.ts";
import type { Clock } from "../sas/link-layer.ts";
import { DOORS_OPENED, GAME_METERS, meterKey, POWER_RESETS } from "../sas/meters.ts";
import { glassOf } from "./glass.ts";
import type { Memory } from "./memory.ts";
import type { Model } from "./options.ts";
import { offers, stakeOf } from "./options.ts";
import type { CreditKind, Game, HandPay, State } from "./state.ts";
import { factoryState, JACKPOT_SCALE, sumOf } from "./state.ts";

/** The keys of the panel, in the order of the relay board's coils. */
export const BUTTONS = ["spin", "betDown", "betUp", "maxBet", "collect", "denomination", "service"] as const;
export type Button = (typeof BUTTONS)[number];

/** Exceptions when a door opens and closes. */
export const DOORS = {
  main: [0x11, 0x12],
  drop: [0x13, 0x14],
  cardCage: [0x15, 0x16],
  cashBox: [0x19, 0x1a],
  belly: [0x1d, 0x1e],
} as const satisfies Record<string, readonly [opened: number, closed: number]>;
export type Door = keyof typeof DOORS;

/** Whole currency units of a bill: its exception, its meter and its code in long poll 48. */
const BILLS: Readonly<Record<number, readonly [exception: number, meter: number, code: number]>> = {
  1: [0x47, 0x40, 0x00],
  2: [0x4d, 0x41, 0x01],
  5: [0x48, 0x42, 0x02],
  10: [0x49, 0x43, 0x03],
  20: [0x4a, 0x44, 0x04],
  50: [0x4b, 0x46, 0x06],
  100: [0x4c, 0x47, 0x07],
  200: [0x50, 0x48, 0x08],
};
export const BILL_VALUES: readonly number[] = Object.keys(BILLS).map(Number);
/** United States in the table of SAS; the reel game counts in hundredths of any currency. */
export const COUNTRY = 0x37;

const OTHER_BILL = 0x4f;
const BILL_REJECTED = 0x2b;
/** Credits that a player stakes first. */
const STAKED_FIRST: readonly CreditKind[] = ["restricted", "nonRestricted", "cashable"];
/** How long the machine waits for the host in a cash-out, ms. */
const CASH_OUT_WAIT_MS = 10_000;
/** An unread hand pay is reported again after this, ms. */
const HAND_PAY_AGAIN_MS = 15_000;
const HAND_PAYS_MAX = 5;
const LOCK_AGAIN_MS = 5_000;
const CANCELLED_CREDITS = 0x80;
const PLAIN_WIN = 0x40;

/** Starts of games that a report names, the newest ones. */
const STARTS_KEPT = 500;

export type AftLock = "unlocked" | "pending" | "locked";
export type MachineOptions = { readonly model: Model; readonly clock: Clock; readonly memory: Memory };

/** The slot machine itself: what it does without a host. Not durable until `save`. */
export class Machine {
  readonly model: Model;
  readonly #clock: Clock;
  readonly #memory: Memory;
  readonly #strips: readonly Strip[];
  readonly #dealer: ReturnType<typeof createDealer>;
  #timers = new Set<() => void>();
  #reveal: Reveal | null = null;
  #rest = { restAt: 0, spinAt: 0, spin: null as GlassView["spin"] };
  #presses = 0;
  #nextGameAt = 0;
  #lockEnds: () => void = () => undefined;
  #cashOutEnds: () => void = () => undefined;
  #reported: Pick<State, "meters" | "credits"> | null = null;
  state: State;
  realTimeEvents = false;
  /** Keys that were pressed while the reels turned, since power up. */
  pressedInTurn = 0;
  /** Starts of games since power up, by the machine's own clock, with their stakes in minor units. */
  readonly starts: { readonly at: number; readonly stake: number }[] = [];
  /** A power cut took it away; nothing it does counts any more. */
  dead = false;
  lock: AftLock = "unlocked";
  /** Meters reach the host so much later than events, ms. */
  meterDelayMs = 0;
  onPress: () => void = () => undefined;

  constructor({ model, clock, memory }: MachineOptions) {
    this.model = model;
    this.#clock = clock;
    this.#memory = memory;
    this.#strips = stripsOf(model.brand);
    this.#dealer = createDealer(model.seed, this.#strips);
    this.state = memory.load() ?? this.#factory();
  }

  #factory(): State {
    const bands = BANDS.filter((band) => offers(this.model, band, 0));
    return factoryState({
      band: bands.includes(DEFAULT_BAND) ? DEFAULT_BAND : (bands[0] ?? DEFAULT_BAND),
      step: offers(this.model, DEFAULT_BAND, DEFAULT_STEP) ? DEFAULT_STEP : 0,
      jackpots: JACKPOTS.map(({ name, start }) => ({ name, scaled: start * JACKPOT_SCALE })),
      stops: this.#strips.map(() => 0),
      places: this.model.historyPlaces,
    });
  }

  /** Power is back: reports it, and ends what the cut interrupted. */
  powerUp(): void {
    this.state.meters["25"] = 0;
    this.add(POWER_RESETS, 1);
    this.raise(0x17);
    if (this.state.game !== null) this.#endGame();
    if (this.state.cashOut !== null) this.#waitForHost(this.state.cashOut.waits);
    if (this.pendingHandPay() !== null) this.#repeatHandPay();
    this.save();
  }

  /** What staff does who replaces the memory: everything is forgotten. */
  loseMemory(): void {
    this.#reveal?.stop();
    this.#reveal = null;
    this.state = this.#factory();
    this.raise(0x7a);
    this.save();
  }

  save(): void {
    if (this.dead) return;
    this.#memory.save(this.state);
    if (this.meterDelayMs === 0) this.#reported = null;
    else this.#reportLater();
  }
  #reportLater(): void {
    const { meters, credits } = structuredClone(this.state);
    this.#reported ??= { meters, credits };
    this.after(this.meterDelayMs, () => {
      this.#reported = { meters, credits };
    });
  }
  /** As a host reads the meters. */
  reported(): State {
    return this.#reported === null ? this.state : { ...this.state, ...this.#reported };
  }

  /** A timer of this machine; power takes it away. Answers how to cancel. */
  after(delayMs: number, run: () => void): () => void {
    const cancel = this.#clock.after(delayMs, () => {
      this.#timers.delete(cancel);
      if (!this.dead) run();
    });
    this.#timers.add(cancel);
    return () => {
      this.#timers.delete(cancel);
      cancel();
    };
  }
  powerDown(): void {
    this.dead = true;
    this.#reveal?.stop();
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
  }

  /** The machine's own clock, ms since 1970. */
  now(): number {
    return Math.round(this.#clock.now() + this.state.clockOffset);
  }

  raise(code: number, data: readonly number[] = []): void {
    if (REAL_TIME_ONLY.has(code) && !this.realTimeEvents) return;
    raise(this.state, code, data);
  }
  /** Adds to a meter: credits, minor units or a count, as its code says. */
  add(code: number, value: number): void {
    if (!this.model.counts && GAME_METERS.has(code)) return;
    const key = meterKey(code);
    this.state.meters[key] = (this.state.meters[key] ?? 0) + value;
  }
  credits(minor: number): number {
    return Math.floor(minor / this.model.denomination);
  }
  stake(): number {
    return stakeOf(this.state.band, this.state.step);
  }
  pendingHandPay(): HandPay | null {
    return this.state.handPays.find(({ reset }) => !reset) ?? null;
  }
  /** Why neither play nor money moves, or null. */
  obstacle(): "door" | "tilt" | "handPay" | "cashOut" | "maintenance" | null {
    if (this.state.doors.length > 0) return "door";
    if (this.state.tilt !== null) return "tilt";
    if (this.pendingHandPay() !== null) return "handPay";
    if (this.state.cashOut !== null) return "cashOut";
    return this.state.maintenance ? "maintenance" : null;
  }
  #mayPlay(): boolean {
    const { enabled, gameEnabled, game, transfer } = this.state;
    if (!enabled || !gameEnabled || game !== null || this.obstacle() !== null) return false;
    if (this.lock === "locked" || transfer?.status === 0x40) return false;
    return this.#clock.now() >= this.#nextGameAt && sumOf(this.state.credits) >= this.stake();
  }

  /** A button of the panel closes its contact. @returns whether anything happened. */
  press(button: Button): boolean {
    // Reels that wait for no choice: on another make this key would stop them.
    if (this.state.game !== null && button !== "service" && this.#reveal?.stage().is !== "bonus")
      this.pressedInTurn += 1;
    const worked = this.#act(button);
    if (worked) {
      this.#presses += 1;
      this.save();
      this.onPress();
    }
    return worked;
  }
  #act(button: Button): boolean {
    switch (button) {
      case "spin":
        return this.#reveal?.pick() === true || this.#startGame();
      case "collect":
        return this.collect();
      case "service":
        this.raise(0x71);
        return true;
      case "betUp":
        return this.#choose(this.state.band, this.state.step + 1);
      case "betDown":
        return this.#choose(this.state.band, this.state.step - 1);
      case "maxBet":
        return this.#choose(this.state.band, this.#topStep(this.state.band));
      case "denomination": {
        const bands = BANDS.filter((band) => offers(this.model, band, 0));
        const band = bands[(bands.indexOf(this.state.band) + 1) % bands.length] ?? this.state.band;
        return this.#choose(band, Math.min(this.state.step, this.#topStep(band)));
      }
    }
  }
  #topStep(band: number): number {
    return BET_STEPS.findLastIndex((_, step) => offers(this.model, band, step));
  }
  #choose(band: number, step: number): boolean {
    if (this.state.game !== null || this.obstacle() !== null || !this.state.enabled) return false;
    if (step < 0 || step >= BET_STEPS.length || !offers(this.model, band, step)) return false;
    if (band === this.state.band && step === this.state.step) return false;
    this.state.band = band;
    this.state.step = step;
    return true;
  }

  #startGame(): boolean {
    if (!this.#mayPlay()) return false;
    const { state } = this;
    const stake = this.stake();
    let rest = stake;
    for (const kind of STAKED_FIRST) {
      const taken = Math.min(rest, state.credits[kind]);
      state.credits[kind] -= taken;
      rest -= taken;
    }
    const { outcome, handPayFrom } = this.#dealer.deal(state.gamesPlayed + 1, stake);
    this.#dealer.begun();
    state.gamesPlayed += 1;
    state.lastWin = 0;
    for (const [index, jackpot] of state.jackpots.entries()) jackpot.scaled += stake * (JACKPOTS[index]?.shareBp ?? 0);
    const game: Game = {
      number: state.gamesPlayed,
      stake,
      startedAt: this.now(),
      outcome,
      jackpotWin: this.#hitJackpots(outcome.jackpots),
      byHand: handPayFrom !== undefined,
    };
    state.game = game;
    this.starts.push({ at: game.startedAt, stake });
    this.starts.splice(0, this.starts.length - STARTS_KEPT);
    this.add(0x00, this.credits(stake));
    for (const code of [0x05, 0x25, 0x26]) this.add(code, 1);
    this.raise(0x7e, [...bcd(this.credits(stake), 2), ...bcd(state.meters["00"] ?? 0, 4), 0, 0]);
    this.#nextGameAt = this.#clock.now() + this.model.minCycleMs;
    this.#show(game);
    return true;
  }
  /** @returns minor units in whole credits; a jackpot that was hit starts again. */
  #hitJackpots(names: readonly string[]): number {
    let win = 0;
    for (const [index, jackpot] of this.state.jackpots.entries()) {
      if (!names.includes(jackpot.name)) continue;
      const amount = this.credits(Math.floor(jackpot.scaled / JACKPOT_SCALE)) * this.model.denomination;
      win += amount;
      jackpot.scaled = (JACKPOTS[index]?.start ?? 0) * JACKPOT_SCALE;
    }
    return win;
  }
  #show(game: Game): void {
    this.#reveal = reveal({
      clock: { now: () => this.#clock.now(), after: (delayMs, run) => this.after(delayMs, run) },
      pace: paceOf(this.model.minCycleMs),
      game,
      paused: () => this.state.doors.length > 0 || this.state.tilt !== null,
      onStage: (stage) => this.#onStage(game, stage),
      onEnd: () => {
        this.#endGame();
        this.save();
      },
    });
  }
  #onStage(game: Game, stage: Stage): void {
    if (stage.is !== "rest") return;
    for (const [reel, stop] of (game.outcome.spins[stage.spin]?.stops ?? []).entries())
      this.raise(0x88, [reel + 1, stop]);
  }
  #endGame(): void {
    const { state } = this;
    const { game } = state;
    if (game === null) return;
    const line = outcomeWin(game.outcome);
    const win = line + game.jackpotWin;
    state.game = null;
    state.lastWin = win;
    state.stops = game.outcome.spins.at(-1)?.stops ?? state.stops;
    this.#rest = {
      restAt: this.#clock.now(),
      spinAt: this.#reveal?.stage().spinAt ?? 0,
      spin: game.outcome.spins.at(-1) ?? null,
    };
    this.#reveal = null;
    this.add(win > 0 ? 0x06 : 0x07, 1);
    this.raise(0x7f, bcd(this.credits(win), 4));
    if (win > 0 && (game.byHand || win >= this.model.handPayFrom))
      this.#addHandPay(game.jackpotWin > 0 ? 0x01 : PLAIN_WIN, win);
    else this.#payWin(line, game.jackpotWin);
    if (this.lock === "pending") this.#lockNow();
  }
  #payWin(line: number, jackpot: number): void {
    this.state.credits.cashable += line + jackpot;
    this.add(0x01, this.credits(line + jackpot));
    this.add(0x1c, this.credits(line));
    this.add(0x1d, this.credits(jackpot));
  }

  #addHandPay(level: number, amount: number): void {
    const { handPays } = this.state;
    handPays.push({ level, amount, read: false, reset: false });
    // Those that are read and paid are done with.
    this.state.handPays = handPays.filter(({ read, reset }) => !(read && reset));
    this.raise(0x51);
    this.#repeatHandPay();
  }
  #repeatHandPay(): void {
    this.after(HAND_PAY_AGAIN_MS, () => {
      if (this.state.handPays.every(({ read }) => read)) return;
      this.raise(0x51);
      this.save();
      this.#repeatHandPay();
    });
  }
  /** What long poll 1B reads: the oldest that no host has read. */
  unreadHandPay(): HandPay | null {
    return this.state.handPays.find(({ read }) => !read) ?? null;
  }
  /** The attendant's key or the host frees the machine. False without a hand pay. `toCredit`: pays it to the credit meter. */
  resetHandPay(toCredit = false): boolean {
    const handPay = this.pendingHandPay();
    if (handPay === null) return false;
    handPay.reset = true;
    const credits = this.credits(handPay.amount);
    if (handPay.level === CANCELLED_CREDITS) {
      this.state.credits.cashable -= handPay.amount;
      for (const code of [0x03, 0x04]) this.add(code, credits);
    } else if (toCredit && this.state.resetToCredit) {
      this.#payWin(handPay.amount, 0);
    } else {
      this.add(0x02, credits);
      this.add(handPay.level === PLAIN_WIN ? 0x1f : 0x20, credits);
    }
    this.raise(0x52);
    this.save();
    return true;
  }

  /** The player's cash-out button, or its wire. */
  collect(): boolean {
    const amount = this.state.credits.cashable;
    if (amount === 0 || this.state.game !== null || this.obstacle() !== null) return false;
    if (this.lock === "locked" || this.state.transfer?.status === 0x40) return false;
    this.raise(0x66);
    this.state.cashOut = {
      waits: this.state.hostCashOut.enabled ? "hostCashOut" : "validation",
      amount,
      since: this.now(),
    };
    this.#waitForHost(this.state.cashOut.waits);
    return true;
  }
  #waitForHost(waits: "hostCashOut" | "validation"): void {
    if (waits === "validation" && !this.model.tickets) {
      this.#cancelCredits();
      return;
    }
    this.raise(waits === "hostCashOut" ? 0x6a : 0x57);
    this.#cashOutEnds();
    // A hard cash-out waits for the host for ever.
    if (waits === "hostCashOut" && this.state.hostCashOut.hard) return;
    this.#cashOutEnds = this.after(CASH_OUT_WAIT_MS, () => {
      this.hostDeclined();
      this.save();
    });
  }
  /** No host wants these credits: the next way out. */
  hostDeclined(): void {
    const { cashOut } = this.state;
    if (cashOut === null) return;
    if (cashOut.waits === "validation") {
      this.#cancelCredits();
      return;
    }
    cashOut.waits = "validation";
    this.#waitForHost("validation");
  }
  #cancelCredits(): void {
    this.endCashOut();
    this.#addHandPay(CANCELLED_CREDITS, this.state.credits.cashable);
  }
  endCashOut(): void {
    this.#cashOutEnds();
    this.state.cashOut = null;
  }
  /** The host has validated the ticket: it is printed. */
  printTicket(number: string): void {
    const { cashOut, credits } = this.state;
    if (cashOut === null) return;
    credits.cashable -= cashOut.amount;
    this.state.ticketOut = { number, amount: cashOut.amount };
    this.add(0x0e, cashOut.amount);
    this.add(0x12, 1);
    for (const code of [0x16, 0x04]) this.add(code, this.credits(cashOut.amount));
    this.endCashOut();
    this.raise(0x3d);
  }

  /** Whether anything may be inserted now. */
  #accepts(amount: number): boolean {
    const { enabled, billAcceptor, credits } = this.state;
    const room = this.model.creditMax - sumOf(credits);
    const whole = amount % this.model.denomination === 0 && amount <= room;
    return enabled && billAcceptor && whole && this.obstacle() === null && this.lock !== "locked";
  }
  /** @returns whether the acceptor kept the bill. `value`: whole currency units. */
  insertBill(value: number): boolean {
    const bill = BILLS[value];
    if (bill === undefined || !this.#accepts(value * 100)) {
      this.raise(BILL_REJECTED);
      this.save();
      return false;
    }
    const [exception, meter, code] = bill;
    this.state.credits.cashable += value * 100;
    this.add(meter, 1);
    for (const at of [0x0b, 0x24]) this.add(at, this.credits(value * 100));
    const count = this.state.meters[meterKey(meter)] ?? 0;
    this.state.lastBill = { code, count };
    if (this.realTimeEvents) this.raise(OTHER_BILL, [COUNTRY, code, ...bcd(count, 4)]);
    else this.raise(exception);
    this.save();
    return true;
  }
  /** `number`: 18 digits. */
  insertTicket(number: string): boolean {
    if (!/^\d{18}$/.test(number) || !this.#accepts(0)) return false;
    this.state.ticketIn = { number, amount: 0, status: 0x20 };
    this.raise(0x67);
    this.save();
    return true;
  }
  /** @returns the status of long poll 71. */
  redeemTicket(number: string, amount: number): number {
    const { ticketIn } = this.state;
    if (ticketIn === null || ticketIn.status !== 0x20) return 0xc0;
    const status = this.#ticketRefusal(ticketIn.number, number, amount) ?? 0;
    ticketIn.status = status;
    ticketIn.amount = status === 0 ? amount : 0;
    if (status === 0) {
      this.state.credits.cashable += amount;
      this.add(0x0d, amount);
      this.add(0x11, 1);
      for (const code of [0x15, 0x24]) this.add(code, this.credits(amount));
    }
    this.raise(0x68);
    return status;
  }
  #ticketRefusal(inserted: string, number: string, amount: number): number | null {
    if (inserted !== number) return 0x81;
    if (amount === 0) return 0x83;
    if (amount % this.model.denomination !== 0) return 0x85;
    if (amount > this.model.creditMax - sumOf(this.state.credits)) return 0x84;
    return this.#accepts(amount) ? null : 0x87;
  }

  openDoor(door: Door): void {
    if (this.state.doors.includes(door)) return;
    this.state.doors.push(door);
    this.raise(DOORS[door][0]);
    this.add(DOORS_OPENED, 1);
    this.save();
  }
  closeDoor(door: Door): void {
    if (!this.state.doors.includes(door)) return;
    this.state.doors = this.state.doors.filter((one) => one !== door);
    this.state.meters["26"] = 0;
    this.raise(DOORS[door][1]);
    this.save();
    this.#resume();
  }
  /** `words`: what the screen says of it. */
  tilt(words: string, exception = 0x20): void {
    this.state.tilt = words;
    this.raise(exception);
    this.save();
  }
  clearTilt(): void {
    this.state.tilt = null;
    this.save();
    this.#resume();
  }
  #resume(): void {
    if (this.state.doors.length === 0 && this.state.tilt === null) this.#reveal?.resume();
  }
  wish(wish: Wish | null): void {
    this.#dealer.wish(wish);
  }
  /** Jumps the machine's own clock. */
  jumpClock(ms: number): void {
    this.state.clockOffset += ms;
    this.save();
  }

  /** Locks the machine for a transfer, at the latest when the game ends; the lock ends by itself. */
  requestLock(timeoutMs: number): AftLock {
    this.unlock();
    if (timeoutMs === 0) return this.lock;
    this.lock = "pending";
    this.#lockEnds = this.after(timeoutMs, () => this.unlock());
    if (this.state.game === null) this.#lockNow();
    return this.lock;
  }
  #lockNow(): void {
    this.lock = "locked";
    this.raise(0x6f);
    const again = (): void => {
      this.after(LOCK_AGAIN_MS, () => {
        if (this.lock !== "locked") return;
        this.raise(0x6f);
        again();
      });
    };
    again();
  }
  unlock(): void {
    this.#lockEnds();
    this.lock = "unlocked";
  }

  waitsForPlayer(): boolean {
    const stage = this.#reveal?.stage();
    return stage?.is === "bonus" && stage.picked < (this.state.game?.outcome.picks.length ?? 0);
  }

  /** What the screen shows now. */
  view(): GlassView {
    return glassOf(this.state, {
      stage: this.#reveal?.stage() ?? null,
      bet: this.stake(),
      presses: this.#presses,
      ...this.#rest,
    });
  }

  /** Fills the queue of exceptions with one kind, so that the next one overflows it. */
  fillQueue(code = 0x7f): void {
    for (let n = 0; n < QUEUE_LENGTH; n += 1) this.raise(code, [0, 0, 0, 0]);
    this.save();
  }
  /** A hand pay of this amount, minor units, as if a game had won it. @returns whether there was room: five may wait. */
  makeHandPay(amount: number, level = PLAIN_WIN): boolean {
    if (this.state.handPays.filter(({ reset }) => !reset).length === HAND_PAYS_MAX) return false;
    this.#addHandPay(level, amount);
    this.save();
    return true;
  }
}
