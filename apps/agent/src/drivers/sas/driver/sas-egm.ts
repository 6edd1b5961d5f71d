import type { Lockup } from "@longarm/contract/machine";
import { LOCKUPS } from "@longarm/contract/machine";
import { createQueue } from "../../../machine/machine-queue.ts";
import type { Clock, Stop } from "../../../ports/clock.ts";
import type {
  Egm,
  EgmButton,
  EgmDescription,
  EgmEvent,
  EgmEventBody,
  EgmEvents,
  EgmLockAnswer,
  EgmMeters,
  EgmOrder,
  EgmPress,
  EgmPressAnswer,
  EgmRefusal,
  EgmTransferAnswer,
  EgmTransferDirection,
  EgmTransferRecord,
} from "../../../ports/egm.ts";
import type { PressObstacle, PressPort } from "../../../ports/press.ts";
import type { LineState, SasLine } from "../line/line.ts";
import { cancelLock, readLock, requestLock } from "../protocol/aft.ts";
import { hexOf } from "../protocol/bytes.ts";
import type { SasEvent } from "../protocol/events.ts";
import { EXCEPTION } from "../protocol/events.ts";
import type { HandPayAnswer } from "../protocol/polls.ts";
import { handPay, realTimeEvents, resetHandPay, shutDown, startUp } from "../protocol/polls.ts";
import type { MachineFacts } from "./facts.ts";
import { pollNow } from "./facts.ts";
import {
  endGame,
  faultEvents,
  gameSettled,
  handPayEvents,
  handPayResetEvents,
  shown,
  startGame,
  tiltEnds,
  winIn,
} from "./games.ts";
import type { DriverMemory, DriverState, KnownTransfer, StoredException } from "./memory.ts";
import type { VendorProfile } from "./profiles.ts";
import type { Snapshot } from "./snapshot.ts";
import { balanced, readSnapshot, residueOf, TransferFloor } from "./snapshot.ts";
import { Transfers } from "./transfers.ts";

/** Meters are read again when they are older, even when nothing happened, ms. */
const METERS_AGE_MS = 2_000;
/** The longest lock that poll 74 can request, ms. */
const LOCK_MS_MAX = 99_990;
/** A lock that the machine has not given within this time is given up, ms. */
const LOCK_WAIT_MS = 3_000;
/** An exception whose processing fails this often while the link is up becomes a lost event, unless it ends a game. */
const PROCESS_TRIES = 3;
const PROCESS_AGAIN_MS = 1_000;
/** After an overflow of its queue a machine has reported all that is left in it within this time, ms. */
const OVERFLOW_MS = 30_000;

export type SasEgmOptions = {
  readonly line: SasLine;
  readonly facts: MachineFacts;
  readonly memory: DriverMemory;
  readonly clock: Clock;
  readonly profile: VendorProfile;
  readonly description: EgmDescription;
  readonly assetNumber: number;
  /** Undefined: no button is wired. Closed with the machine. */
  readonly presses: Pick<PressPort, "buttons" | "press" | "close"> | undefined;
  /** How long meters may lag behind an event, ms. */
  readonly settleMs: number;
  /** How long the start of a game is awaited after a press, ms. */
  readonly confirmMs: number;
  /** A sentence for the log. */
  readonly problem: (sentence: string) => void;
};

/** Why a wired button was not pressed, as the player reads it; all others mean that the buttons are out of order. */
const OBSTACLES: Readonly<Partial<Record<PressObstacle, EgmRefusal>>> = { tooSoon: "tooSoon", local: "local" };

/** One machine behind a SAS line. */
export class SasEgm implements Egm {
  readonly description: EgmDescription;
  readonly #options: SasEgmOptions;
  readonly #transfers: Transfers;
  /** What the meters of transfers show at least, once they have caught up. */
  readonly #floor: TransferFloor;
  /** Exceptions become events one at a time. */
  readonly #processing = createQueue();
  /** Changes of the durable state. */
  readonly #changes = createQueue();
  #latest: Snapshot;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Snapshot> | undefined;
  #lockedUntil = 0;
  #wageredAt = Number.NEGATIVE_INFINITY;
  #ring: (what?: "gameBegins") => void = () => undefined;
  #started: ((gameNumber: number) => void) | undefined;
  #stopRetry: Stop = () => undefined;
  #closed = false;
  /** The machine's answers without activity say that it waits for its player. */
  #awaitsPlayer = false;

  /** `latest`: the meters as they are now. Call `begin` before anything else. */
  constructor(options: SasEgmOptions, latest: Snapshot) {
    const { memory, description } = options;
    this.#options = options;
    this.description = description;
    this.#latest = latest;
    this.#floor = new TransferFloor([memory.lastDone("cashIn"), memory.lastDone("cashOut")]);
    this.#transfers = new Transfers({
      ...options,
      limits: description.limits,
      meterOf: (direction) => this.#floor.meterOf(direction, this.#latest.totals),
      locked: () => this.#isLocked(),
      obstacle: (direction) => this.#obstacle(direction),
      completed: (transfer) => this.#completed(transfer),
    });
    for (const exception of memory.exceptions()) void this.#process(exception);
  }

  /** Makes the machine what the agent wants, and learns what the driver missed while it was away. */
  async begin(): Promise<void> {
    const { line, profile, memory } = this.#options;
    await pollNow(line, realTimeEvents(profile.realTimeEvents)).catch((error: Error) =>
      this.#options.problem(`${error.message} Games are read from the meters.`),
    );
    await pollNow(line, memory.state().disabled ? shutDown() : startUp());
    const snapshot = await this.#read();
    await this.#change(0, (state) => missedGames(state, snapshot));
  }

  /** An exception of the machine that is durable already. */
  take(exception: StoredException): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
    if (exception.event.code === EXCEPTION.gameStarted) this.#ring("gameBegins");
    void this.#process(exception);
  }

  /** The link came up or went down. */
  linkChanged({ up, why }: LineState): void {
    this.#options.problem(up ? "The machine answers." : why);
    if (up) for (const exception of this.#options.memory.exceptions()) void this.#process(exception);
    this.#ring();
  }

  /** The machine began to wait for its player, or waits no longer. */
  playerAwaited(awaits: boolean): void {
    this.#awaitsPlayer = awaits;
    this.#ring();
  }

  async meters(): Promise<EgmMeters> {
    const snapshot = await this.#settledOrLatest();
    return this.#metersOf(snapshot);
  }

  async press(press: EgmPress): Promise<EgmPressAnswer> {
    const { button } = press;
    const { presses, clock, confirmMs } = this.#options;
    const known = this.description.buttons.find(({ id }) => id === button);
    if (known === undefined || presses?.buttons.includes(button) !== true)
      return { outcome: "refused", reason: "unknownButton" };
    // In a game that waits for a choice the button of the wager makes it, as on the machine.
    const choice = known.kind === "wager" && this.#awaitsChoice();
    const wager = known.kind === "wager" && !choice;
    const reason = known.kind === "wager" ? this.#playObstacle(choice, press) : this.#reelsObstacle(known, press);
    if (reason !== null) return { outcome: "refused", reason };
    const started = Promise.withResolvers<number | undefined>();
    const before = this.#wageredAt;
    const at = clock.now();
    if (wager) {
      // The machine may report the start before the board has answered.
      this.#started = started.resolve;
      this.#wageredAt = at;
    }
    const wired = await presses.press(button);
    this.#readAt = Number.NEGATIVE_INFINITY;
    if (wired.outcome === "refused") {
      this.#options.problem(wired.says);
      // Somebody at the machine may have started a game meanwhile.
      if (this.#wageredAt === at) this.#wageredAt = before;
      return { outcome: "refused", reason: OBSTACLES[wired.reason] ?? "outOfService" };
    }
    if (!wager) return { outcome: wired.outcome === "sent" ? "done" : "unconfirmed" };
    const stop = clock.after(confirmMs, () => started.resolve(undefined));
    const gameNumber = await started.promise;
    stop();
    return gameNumber === undefined ? { outcome: "unconfirmed" } : { outcome: "started", gameNumber };
  }

  cashIn(order: EgmOrder): Promise<EgmTransferAnswer> {
    return this.#moving(() => this.#transfers.cashIn(order));
  }

  cashOut(order: EgmOrder): Promise<EgmTransferAnswer> {
    return this.#moving(() => this.#transfers.cashOut(order));
  }

  async transfer(transferId: string): Promise<EgmTransferRecord> {
    const record = await this.#transfers.transfer(transferId);
    // Who compares the meters with the record reads them after it.
    this.#readAt = Number.NEGATIVE_INFINITY;
    return record;
  }

  async enable(): Promise<void> {
    await this.#wantDisabled(false);
  }

  async disable(): Promise<void> {
    await this.#wantDisabled(true);
  }

  async lock(timeoutMs: number): Promise<EgmLockAnswer> {
    const { line, clock } = this.#options;
    const reason = this.#obstacle("cashOut");
    if (reason !== null) return { outcome: "refused", reason };
    const lockMs = Math.min(Math.max(timeoutMs, 10), LOCK_MS_MAX);
    const until = clock.now() + LOCK_WAIT_MS;
    let state = await pollNow(line, requestLock({ toMachine: false, fromMachine: true }, lockMs), true);
    while (state.lock === "pending" && clock.now() < until) state = await pollNow(line, readLock(), true);
    if (state.lock === "locked") {
      this.#lockedUntil = clock.now() + lockMs;
      return { outcome: "locked" };
    }
    await pollNow(line, cancelLock(), true);
    return { outcome: "refused", reason: this.#obstacle("cashOut") ?? "locked" };
  }

  async unlock(): Promise<void> {
    this.#lockedUntil = 0;
    await pollNow(this.#options.line, cancelLock(), true);
  }

  async resetHandPay(handPayId: string): Promise<"reset" | "notPending"> {
    const [oldest] = this.#options.memory.state().handPays;
    if (oldest?.id !== handPayId) return "notPending";
    const answer = await pollNow(this.#options.line, resetHandPay(), true);
    if (answer === "unable") throw new Error("The machine cannot reset the hand pay now; use the key.");
    // The exception of the reset follows; the machine may also have been reset by its key before.
    if (answer === "notInHandPay") await this.#change(0, (state) => handPayResetEvents(state, undefined));
    return answer === "reset" ? "reset" : "notPending";
  }

  async nextEvents(limit = 20): Promise<EgmEvents> {
    const events = [...this.#options.memory.events()]
      .sort((a, b) => Number(b.priority) - Number(a.priority) || a.seq - b.seq)
      .slice(0, limit);
    return { events, meters: await this.meters() };
  }

  async ackEvents(seqs: readonly number[]): Promise<void> {
    const known = new Set(this.#options.memory.events().map(({ seq }) => seq));
    const taken = seqs.filter((seq) => known.has(seq));
    if (taken.length > 0) await this.#options.memory.taken(taken);
  }

  onActivity(ring: (what?: "gameBegins") => void): () => void {
    this.#ring = ring;
    return () => {
      if (this.#ring === ring) this.#ring = () => undefined;
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopRetry();
    await this.#options.presses?.close();
    await this.#options.line.close();
    await this.#processing(async () => undefined);
    await this.#options.memory.close();
  }

  // Exceptions

  /** One that fails holds back those behind it: what they mean depends on their order. */
  #process(exception: StoredException): Promise<void> {
    return this.#processing(async () => {
      for (let tries = 1; this.#waits(exception); tries += 1) {
        const failure = await this.#turnIntoEvents(exception).catch((error: Error) => error);
        // When the link is back, all that wait are processed again.
        if (!(failure instanceof Error) || this.#closed || !this.#options.line.state().up) return;
        await this.#failed(exception, failure, tries);
      }
    });
  }

  #waits({ number }: StoredException): boolean {
    return !this.#closed && this.#options.memory.exceptions().some((one) => one.number === number);
  }

  /** The driver never gives up the end of a game: without it the machine would stay in a game, and no win would be booked. */
  async #failed({ number, event }: StoredException, { message }: Error, tries: number): Promise<void> {
    const { problem, clock } = this.#options;
    if (tries <= PROCESS_TRIES) problem(`An exception (${hexOf(Uint8Array.of(event.code))}h) waits: ${message}`);
    if (tries >= PROCESS_TRIES && event.code !== EXCEPTION.gameEnded)
      return this.#change(number, () => [{ what: "eventsLost", count: 1 }]);
    await new Promise<void>((passed) => {
      const stop = clock.after(PROCESS_AGAIN_MS, passed);
      this.#stopRetry = () => {
        stop();
        passed();
      };
    });
  }

  async #turnIntoEvents({ number, at, event }: StoredException): Promise<void> {
    const { line } = this.#options;
    const { code } = event;
    switch (code) {
      case EXCEPTION.gameStarted:
        return this.#gameStarted(number, at, event);
      case EXCEPTION.gameEnded:
        return this.#gameEnded(number, at, event);
      case EXCEPTION.handPayPending: {
        const answer = await pollNow(line, handPay());
        return this.#change(number, (state) => handPayEvents(state, answer));
      }
      case EXCEPTION.handPayReset: {
        const left = await this.#handPayLeft();
        return this.#change(number, (state) => handPayResetEvents(state, left));
      }
      case EXCEPTION.acPowerOn:
        await this.#afterPower();
        return this.#change(number, () => [{ what: "powerUp" }]);
      case EXCEPTION.bufferOverflow:
        return this.#change(number, (state) => {
          state.overflowAt = at;
          return [{ what: "eventsLost", count: 1 }];
        });
      default:
        return this.#change(number, (state) => faultEvents(state, code));
    }
  }

  /** What the machine waits to have paid after a reset. One that moves money waits for nothing. */
  async #handPayLeft(): Promise<HandPayAnswer | "none"> {
    const { line } = this.#options;
    const { available } = await pollNow(line, readLock());
    return available.toMachine || available.fromMachine ? "none" : await pollNow(line, handPay());
  }

  async #gameStarted(number: number, at: number, { data }: SasEvent): Promise<void> {
    const { facts, memory } = this.#options;
    const before = this.#latest;
    const wager = data?.what === "gameStarted" ? data : undefined;
    const stake = wager === undefined ? null : wager.wagered * facts.denominationMinor;
    // Coin-in grows with every wager, so the same one again is the same game. A free game wagers nothing.
    const coinIn = wager === undefined || wager.wagered === 0 ? null : wager.coinIn;
    // After a power cut real-time events are off, and the machine repeats the start of its open game as a bare exception.
    const repeated = wager === undefined && memory.state().game !== null;
    if (repeated || (coinIn !== null && coinIn === memory.state().wagerCoinIn)) {
      await this.#change(number, () => []);
      return;
    }
    this.#wageredAt = Math.max(this.#wageredAt, at);
    await this.#change(number, (state) => {
      if (coinIn !== null) state.wagerCoinIn = coinIn;
      return startGame(state, { at, stake, before });
    });
    this.#started?.(this.#options.memory.state().games);
  }

  async #gameEnded(number: number, at: number, { data }: SasEvent): Promise<void> {
    const { facts, memory } = this.#options;
    const { game } = memory.state();
    const win = winIn(data, facts.denominationMinor);
    if (game === null) {
      const snapshot = await this.#settle((now) => this.#agree(now));
      await this.#change(number, (state) => missedGames(state, snapshot));
      return;
    }
    const settled = (now: Snapshot): boolean =>
      this.#agree(now) && gameSettled(game, win, memory.state().handPays.length > 0, now);
    const after = await this.#settle(settled);
    await this.#change(number, (state) => endGame(state, game, { at, win, after }));
  }

  /** A machine forgets locks, shut-down and real-time events with its power. */
  async #afterPower(): Promise<void> {
    const { line, profile, memory } = this.#options;
    this.#lockedUntil = 0;
    await pollNow(line, realTimeEvents(profile.realTimeEvents)).catch(() => undefined);
    if (memory.state().disabled) await pollNow(line, shutDown());
  }

  /** Applies a change to the state and makes it and its events durable, then rings. */
  #change(number: number, change: (state: DriverState) => readonly EgmEventBody[]): Promise<void> {
    return this.#changes(async () => {
      const { memory, clock } = this.#options;
      const state = structuredClone(memory.state());
      const events = change(state).map((body): EgmEvent => {
        state.seq += 1;
        return { seq: state.seq, at: clock.now(), priority: isPriority(body), ...body };
      });
      await memory.processed(number, state, events);
      this.#ring();
    });
  }

  #completed(transfer: KnownTransfer): Promise<void> {
    const { memory } = this.#options;
    this.#floor.raise(transfer);
    return memory.keepTransfer(transfer).then(() =>
      this.#change(0, () => [
        {
          what: "transferComplete",
          ...{ transferId: transfer.id, direction: transfer.direction, amount: transfer.amount },
        },
      ]),
    );
  }

  // Meters

  async #settledOrLatest(): Promise<Snapshot> {
    const { clock, memory } = this.#options;
    if (clock.now() - this.#readAt < METERS_AGE_MS) return this.#latest;
    const { game } = memory.state();
    return this.#settle((now) => game !== null || this.#agree(now));
  }

  /** Whether the meters agree with each other; within a game they need not. */
  #agree(now: Snapshot): boolean {
    const { base } = this.#options.memory.state();
    return base === null || residueOf(now) === base;
  }

  /**
   * Reads the meters until they count each transfer that the machine has confirmed and `enough` holds; after the settling time they are
   * taken as they are.
   */
  async #settle(enough: (now: Snapshot) => boolean): Promise<Snapshot> {
    const { clock, settleMs } = this.#options;
    const until = clock.now() + settleMs;
    for (;;) {
      const snapshot = await this.#read();
      if (this.#floor.isReached(snapshot.totals) && enough(snapshot)) return snapshot;
      if (clock.now() >= until) {
        this.#floor.lower(snapshot.totals);
        return snapshot;
      }
    }
  }

  #read(): Promise<Snapshot> {
    this.#reading ??= this.#readNow().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readNow(): Promise<Snapshot> {
    const { line, facts, memory, clock } = this.#options;
    const startedAt = clock.now();
    const snapshot = await readSnapshot(line, facts);
    this.#latest = snapshot;
    // Meters that do not count a confirmed transfer yet are of no moment that the agent may know.
    this.#readAt = this.#floor.isReached(snapshot.totals) ? startedAt : Number.NEGATIVE_INFINITY;
    const { base, tilted } = memory.state();
    const moves = snapshot.aft?.available.toMachine === true || snapshot.aft?.available.fromMachine === true;
    if (base === null) await this.#change(0, (state) => setBase(state, residueOf(snapshot)));
    if (tilted && moves) await this.#change(0, tiltEnds);
    if (moves && this.#agree(snapshot)) await this.#endUnreported(snapshot);
    return snapshot;
  }

  /** A machine that moves money plays no game. One whose exceptions were lost, and that has had the time to report the end, has lost that too. */
  async #endUnreported(after: Snapshot): Promise<void> {
    const { memory, clock } = this.#options;
    const { game, overflowAt } = memory.state();
    const at = clock.now();
    if (game === null || overflowAt === undefined || at - overflowAt < OVERFLOW_MS) return;
    if (memory.exceptions().length > 0 || !gameSettled(game, undefined, false, after)) return;
    await this.#change(0, (state) =>
      state.game === null ? [] : endGame(state, state.game, { at, win: undefined, after }),
    );
  }

  #metersOf({ credit, kinds, gamesPlayed, totals }: Snapshot): EgmMeters {
    const state = this.#options.memory.state();
    const lockup = this.#lockup();
    return {
      ...{ credit, gamesPlayed, inGame: state.game !== null },
      ...(kinds !== undefined && { kinds }),
      ...(this.#awaitsChoice() && { bonus: true }),
      ...(state.win !== null && state.game === null && { win: state.win }),
      handPays: state.handPays.map(shown),
      ...(lockup !== undefined && { lockup }),
      totals: { ...balanced(totals, state.base ?? 0), wonTotal: totals.wonTotal + waitingWins(state) },
    };
  }

  #lockup(): Lockup | undefined {
    const { handPays, doors, tilted, disabled } = this.#options.memory.state();
    if (handPays.length > 0) return "handPay";
    if (doors.length > 0) return "door";
    if (tilted) return "tilt";
    return disabled ? "disabled" : undefined;
  }

  // Money and presses

  async #moving(move: () => Promise<EgmTransferAnswer>): Promise<EgmTransferAnswer> {
    try {
      return await move();
    } finally {
      this.#readAt = Number.NEGATIVE_INFINITY;
      this.#ring();
    }
  }

  #isLocked(): boolean {
    return this.#lockedUntil > this.#options.clock.now();
  }

  #obstacle(direction: EgmTransferDirection): EgmRefusal | null {
    const lockup = this.#lockup();
    if (lockup !== undefined && !(lockup === "disabled" && direction === "cashOut")) return LOCKUPS[lockup].refusal;
    return this.#options.memory.state().game === null ? null : "inGame";
  }

  #wagerObstacle(): EgmRefusal | null {
    const { clock } = this.#options;
    const reason = this.#obstacle("cashIn");
    if (reason !== null) return reason;
    if (this.#isLocked()) return "locked";
    // Older meters do not know of what has happened since.
    if (this.#latest.credit === 0 && Number.isFinite(this.#readAt)) return "noCredit";
    return clock.now() - this.#wageredAt < this.description.limits.minCycleMs ? "tooSoon" : null;
  }

  /** A game waits for a choice of its player. One whose end is read already waits for nothing: then the machine awaits a wager. */
  #awaitsChoice(): boolean {
    const { memory } = this.#options;
    if (!this.#awaitsPlayer || memory.state().game === null) return false;
    return memory.exceptions().every(({ event }) => event.code !== EXCEPTION.gameEnded);
  }

  #playObstacle(choice: boolean, { finishOnly }: EgmPress): EgmRefusal | null {
    if (choice) return this.#choiceObstacle();
    const { game } = this.#options.memory.state();
    return finishOnly === true && game === null && this.#lockup() === undefined ? "held" : this.#wagerObstacle();
  }

  /** On many machines any key stops the reels. A wager whose start is not confirmed yet may have set them in motion. */
  #reelsObstacle({ kind }: EgmButton, { keepsReels }: EgmPress): EgmRefusal | null {
    if (keepsReels !== true || kind === "service" || this.#awaitsChoice()) return null;
    const begun = this.#options.clock.now() - this.#wageredAt < this.description.limits.minCycleMs;
    return begun || this.#options.memory.state().game !== null ? "inGame" : null;
  }

  /** A machine that lost the end of its game would take the press for a wager, so the time between two games counts here too. */
  #choiceObstacle(): EgmRefusal | null {
    const lockup = this.#lockup();
    if (lockup !== undefined) return LOCKUPS[lockup].refusal;
    return this.#options.clock.now() - this.#wageredAt < this.description.limits.minCycleMs ? "tooSoon" : null;
  }

  async #wantDisabled(disabled: boolean): Promise<void> {
    // Durable first: a machine that loses its power is made so again.
    await this.#change(0, (state) => {
      const changed = state.disabled !== disabled;
      state.disabled = disabled;
      return changed ? [{ what: "metersChanged" }] : [];
    });
    await pollNow(this.#options.line, disabled ? shutDown() : startUp(), true);
  }
}

/** Games that the machine counted and whose events never came. */
function missedGames(state: DriverState, { gamesPlayed }: Snapshot): EgmEventBody[] {
  const missed = gamesPlayed - state.games;
  const first = state.games === 0 && state.seq === 0;
  if (missed <= 0 || state.game !== null) return [];
  state.games = gamesPlayed;
  return first ? [] : [{ what: "eventsLost", count: missed }];
}

/** Wins that wait for a hand pay: the machine's meter counts them when they are reset. */
const waitingWins = ({ handPays }: DriverState): number =>
  handPays.reduce((sum, { kind, amount }) => sum + (kind === "win" ? amount : 0), 0);

function setBase(state: DriverState, base: number): EgmEventBody[] {
  state.base = base;
  return [];
}

const ORDINARY: ReadonlySet<EgmEventBody["what"]> = new Set(["gameStarted", "gameEnded", "metersChanged", "powerUp"]);

const isPriority = ({ what }: EgmEventBody): boolean => !ORDINARY.has(what);
