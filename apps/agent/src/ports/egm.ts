import type { MachineAbout } from "@longarm/contract/about-machine";
import type { MoneyCommand } from "@longarm/contract/agent-link";
import type { FaultEvent, HandPayKind, Lockup, LockupRefusal, MachineCard } from "@longarm/contract/machine";

/**
 * The port to one electronic gaming machine (EGM), shaped by what a real machine's protocol can do: it is slow, it may be
 * silent, it keeps its own record of every transfer, and it queues what happened until somebody has acknowledged it.
 * All amounts are integers in minor units (kuruş); all times are milliseconds since 1970 by the machine's clock.
 * A method rejects only when the machine cannot be reached or answers nonsense: then its effect is *unknown*, never "no".
 */
export interface Egm {
  /** What the machine is. Does not change while the driver lives. */
  readonly description: EgmDescription;
  /** What the machine's game pays, as it states it itself. Absent: its protocol does not say. Players read it; nothing here does. */
  stated?(): EgmStated;
  /** One consistent snapshot; never mixes the values of two moments. */
  meters(): Promise<EgmMeters>;
  /** Presses one button of the panel. Never repeated by the driver itself. */
  press(press: EgmPress): Promise<EgmPressAnswer>;
  /** Moves money onto the credit meter. Applied at most once per id for the life of the machine's record. */
  cashIn(order: EgmOrder): Promise<EgmTransferAnswer>;
  /** Moves money off the credit meter; without an amount, all of it. Works while disabled. At most once per id. */
  cashOut(order: EgmOrder): Promise<EgmTransferAnswer>;
  /** What the machine's own record says of an id, now or in the past (at least the last 127 completed ones). */
  transfer(transferId: string): Promise<EgmTransferRecord>;
  /** Allows wagers again. Idempotent. */
  enable(): Promise<void>;
  /** Refuses new wagers; a game in progress completes, cash-out still works. Idempotent, survives power. */
  disable(): Promise<void>;
  /**
   * Reserves the machine for a transfer: no wager starts until `unlock`, until `timeoutMs` (1 to 600000) has passed or until the machine
   * loses power. Refused during a game. A lock that is held already is extended.
   */
  lock(timeoutMs: number): Promise<EgmLockAnswer>;
  /** Ends the lock. Idempotent. */
  unlock(): Promise<void>;
  /** Confirms that the hand pay of this id was paid by hand. A second reset of the same id answers `notPending`. */
  resetHandPay(handPayId: string): Promise<"reset" | "notPending">;
  /** The oldest unacknowledged events, priority ones first, at most `limit` (default 20). The same ones again until acknowledged. */
  nextEvents(limit?: number): Promise<readonly EgmEvent[]>;
  /** Forgets these events in the machine's queue. Unknown numbers are ignored. */
  ackEvents(seqs: readonly number[]): Promise<void>;
  /**
   * Rings when `nextEvents` has something new or `meters` would answer otherwise; a hint, carries nothing and may be missed.
   * One subscriber at a time: a second one replaces the first. Answers how to stop.
   */
  onActivity(ring: () => void): () => void;
  /** Lets go of the machine. What is durable stays. */
  close(): Promise<void>;
}

/** Identity and capabilities. */
export type EgmDescription = {
  /** The machine's own id (asset number); unique in the venue. */
  id: string;
  /** Name for people, such as "Nar 07". */
  name: string;
  /** The brand's name as players know it, such as "Nar". */
  brand: string;
  serial: string;
  /** Accounting denomination: the value of one credit, in minor units. An amount that is not a multiple of it is refused as `badAmount`. */
  denominationMinor: number;
  bands: readonly EgmBand[];
  buttons: readonly EgmButton[];
  limits: EgmLimits;
  /** What the machine states for its card in the lobby, in the wire's own shape. */
  card: MachineCard;
};

/** In the wire's own shape. `returnPercent`: what the game pays back in the long run. */
export type EgmStated = Pick<MachineAbout, "model" | "paytable"> & { returnPercent?: number };

/** One denomination the player can choose; `Order` is spelled as on the wire. Chosen by the `select` button `band:{id}`. */
export type EgmBand = { id: string; name: string; Order: number };

export type EgmButtonKind = "wager" | "select" | "collect" | "service";

/** `minGapMs`: the least time between two presses of this button. */
export type EgmButton = { id: string; label: string; kind: EgmButtonKind; minGapMs: number };

export type EgmLimits = {
  /** Least time from the start of a game to the start of the next. */
  minCycleMs: number;
  minTransfer: number;
  maxTransfer: number;
  maxStake?: number;
  /** Whether the venue allows the page to press for the player. */
  autoplay: boolean;
};

export type EgmPress = {
  button: string;
  /** The stake the player saw; a wager whose stake is no longer the machine's is answered `changed` and not played. */
  stakeMinor?: number;
};

export type EgmPressOutcome = "started" | "done" | "ignored" | "refused" | "changed";

/** `locked`: for a transfer. */
export type EgmRefusal =
  | LockupRefusal
  | "locked"
  | "unknownButton"
  | "inGame"
  | "tooSoon"
  | "noCredit"
  | "stakeAboveLimit"
  | "stakeChanged"
  | "atLimit"
  | "badAmount"
  | "badId"
  | "overLimit"
  | "idInUse"
  | "nothingToPay";

/** `started`: a game began (with its number). `ignored`: a press without effect (bet up at the top). `reason` for all but started and done. */
export type EgmPressAnswer = { outcome: EgmPressOutcome; reason?: EgmRefusal; gameNumber?: number };

export type EgmTransferDirection = "cashIn" | "cashOut";

/** `transferId`: 1 to 64 printable ASCII characters, durable at the caller before the call. No `amount`: everything (cash-out only). */
export type EgmOrder = Pick<MoneyCommand, "transferId" | "amount">;

/**
 * `done` tells the amount the machine moved, which may be less than asked. `repeated` is true when the id was known already and
 * nothing was moved again. `pending`: ask `transfer` later. An id known with another direction or amount is refused as `idInUse`.
 */
export type EgmTransferAnswer =
  | { outcome: "done"; amount: number; repeated: boolean }
  | { outcome: "refused"; amount: 0; reason: EgmRefusal; repeated: boolean }
  | { outcome: "pending"; amount: 0; repeated: boolean };

/** `neverSeen`: the machine has no record of the id. `oldestAt` is the time of its oldest record, ms since 1970; null: it has none. */
export type EgmTransferRecord =
  | { state: "done"; transferId: string; direction: EgmTransferDirection; asked: number; amount: number; at: number }
  | {
      state: "refused";
      transferId: string;
      direction: EgmTransferDirection;
      asked: number;
      amount: 0;
      reason: EgmRefusal;
      at: number;
    }
  | { state: "pending"; transferId: string; direction: EgmTransferDirection; asked: number; amount: 0; at: number }
  | { state: "neverSeen"; transferId: string; oldestAt: number | null };

export type EgmLockAnswer = { outcome: "locked" } | { outcome: "refused"; reason: EgmRefusal };

/** `cancelledCredits`: the player's credits, paid by hand; the others are wins. */
export type EgmHandPay = {
  id: string;
  amount: number;
  kind: HandPayKind;
  jackpot?: string;
  gameNumber: number;
};

export type EgmMeters = {
  /** On the credit meter now. */
  credit: number;
  /** Stake of the next wager. */
  bet: number;
  /** Win of the game in progress so far, or of the last one. */
  win: number;
  /** Numbers (1 first) of the lines of its paytable that pay in the turn of the reels that is shown; absent: the machine does not say. */
  winLines?: readonly number[];
  /** Free spins left in the game in progress. */
  freeSpins: number;
  /** A bonus is waiting for picks. */
  bonus: boolean;
  /** A game is in progress (free spins and bonus belong to it). */
  inGame: boolean;
  gamesPlayed: number;
  /** Id of the chosen band. */
  activeBand: string;
  handPay?: EgmHandPay;
  /** Why the machine cannot be played; the gravest one of those that hold. A lock for a transfer is not one. */
  lockup?: Lockup;
  jackpots: readonly EgmJackpot[];
  totals: EgmTotals;
};

export type EgmJackpot = { name: string; amount: number };

/**
 * Cumulative meters; they never fall. At every moment outside a game
 * credit = cashInTotal + otherInTotal + machinePaidTotal − wageredTotal − cashOutTotal − otherOutTotal.
 */
export type EgmTotals = {
  /** SAS "coin in": everything wagered. */
  wageredTotal: number;
  /** Everything won, however it was paid. */
  wonTotal: number;
  /** SAS "coin out": won and paid to the credit meter. */
  machinePaidTotal: number;
  /** SAS "attendant paid": won and paid by hand, counted when the hand pay is reset. */
  handPaidTotal: number;
  /** Transfers to the machine (SAS A0). */
  cashInTotal: number;
  /** Transfers to the host (SAS B8). */
  cashOutTotal: number;
  /** Credits that came without a transfer: bills and tickets. */
  otherInTotal: number;
  /** Credits that left without a transfer: printed tickets and credits cancelled by hand. */
  otherOutTotal: number;
};

/** One event of the machine's queue. `seq` only grows, also over power cycles. `priority` ones are told before others. */
export type EgmEvent = { seq: number; at: number; priority: boolean } & EgmEventBody;

export type EgmEventBody =
  | { what: "gameStarted"; gameNumber: number; stake: number; before: number; startedAt: number }
  | ({ what: "gameEnded" } & EgmGameFacts)
  | { what: FaultEvent; code?: string }
  | { what: "handPay"; handPay: EgmHandPay }
  | { what: "handPayReset"; handPay: EgmHandPay }
  | { what: "jackpot"; jackpot: string; amount: number; gameNumber: number }
  | { what: "bonusStarted"; gameNumber: number }
  | { what: "bonusEnded"; gameNumber: number; win: number }
  | { what: "powerUp" }
  | { what: "transferComplete"; transferId: string; direction: EgmTransferDirection; amount: number }
  /** Bet, band, lock or enable changed; at most one of these is unacknowledged. */
  | { what: "metersChanged" }
  /** The queue overflowed and dropped the oldest `count` events without priority. */
  | { what: "eventsLost"; count: number };

/** Everything the history needs about one game. `win` includes what is paid by hand; `after` is the credit meter when it ended. */
export type EgmGameFacts = {
  gameNumber: number;
  stake: number;
  win: number;
  /** The part of `win` that waits for a hand pay; 0 if none. */
  handPaid: number;
  before: number;
  after: number;
  /** Free spins played in this game. */
  freeSpins: number;
  bonus: boolean;
  startedAt: number;
  endedAt: number;
};
