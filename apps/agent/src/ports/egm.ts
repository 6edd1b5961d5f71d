import type { MachineAbout } from "@longarm/contract/about-machine";
import type { MoneyCommand } from "@longarm/contract/agent-link";
import type { MachineCard } from "@longarm/contract/lobby-lists";
import type { FaultEvent, HandPayKind, Lockup, LockupRefusal } from "@longarm/contract/machine";

/**
 * The port to one electronic gaming machine (EGM), shaped by what a real machine's protocol can do: it is slow, it may be
 * silent, it keeps its own record of every transfer, and it queues what happened until somebody has acknowledged it.
 * Machines differ in what they can do and say. `EgmCapabilities` names what one can do; what it does not say is absent (undefined)
 * here, on the wire and on the page, and is never replaced by a zero.
 * All amounts are integers in minor units (kuruş); all times are milliseconds since 1970.
 * A method rejects when the machine cannot be reached or answers nonsense: then its effect is *unknown*, never "no". A method that the
 * machine has no capability for rejects too; the agent does not call it.
 */
export interface Egm {
  /** What the machine is. Does not change while the driver lives. */
  readonly description: EgmDescription;
  /** What the machine's game pays, as it states it itself. Absent: its protocol does not say. Players read it; nothing here does. */
  stated?(): EgmStated;
  /**
   * One consistent snapshot; never mixes the values of two moments. It counts every transfer that was answered as done before the call, also
   * where the machine's meters lag behind: the driver waits for them, for as long as they may lag. Read after `transfer` has answered
   * `neverSeen`, it counts what the machine has moved under that id all the same.
   */
  meters(): Promise<EgmMeters>;
  /** Presses one button of the panel. Never repeated by the driver itself. Rejecting means the same as `unconfirmed`. */
  press(press: EgmPress): Promise<EgmPressAnswer>;
  /** Moves money onto the credit meter. Applied at most once per id for the life of the machine's record. */
  cashIn(order: EgmOrder): Promise<EgmTransferAnswer>;
  /** Moves money off the credit meter; without an amount, all of it. Works while disabled. At most once per id. */
  cashOut(order: EgmOrder): Promise<EgmTransferAnswer>;
  /**
   * What the machine's own record says of an id, now or among the past ones that it keeps (`transfersKept`). An id that was sent to the machine
   * and is not in its record is answered as `neverSeen` only after record and meters had their time to show it, so that an unmoved meter
   * then says that nothing was moved.
   */
  transfer(transferId: string): Promise<EgmTransferRecord>;
  /** Allows wagers again. Idempotent. Needs `disables`, as `disable` does. */
  enable(): Promise<void>;
  /** Refuses new wagers; a game in progress completes, cash-out still works. Idempotent, survives power. */
  disable(): Promise<void>;
  /**
   * Reserves the machine for a transfer: no wager starts until `unlock`, until `timeoutMs` (1 to 600000) has passed or until the machine
   * loses power. Refused during a game. A lock that is held already is extended. Needs `locks`, as `unlock` does.
   */
  lock(timeoutMs: number): Promise<EgmLockAnswer>;
  /** Ends the lock. Idempotent. */
  unlock(): Promise<void>;
  /** Confirms that the hand pay of this id was paid by hand. A second reset of the same id answers `notPending`. Needs `resetsHandPays`. */
  resetHandPay(handPayId: string): Promise<"reset" | "notPending">;
  /**
   * The oldest unacknowledged events, priority ones first, at most `limit` (default 20), and the meters as the driver knows them then. The
   * same events again until acknowledged. The agent makes them durable before it calls `ackEvents`, and calls nothing that this waits for.
   * Where the next message to a machine acknowledges (SAS), the driver sends it none between the two: other calls wait in the driver.
   */
  nextEvents(limit?: number): Promise<EgmEvents>;
  /** Forgets these events in the machine's queue: they are durable. Unknown numbers are ignored. */
  ackEvents(seqs: readonly number[]): Promise<void>;
  /**
   * Rings when `nextEvents` has something new or `meters` would answer otherwise; a hint, which may be missed. `gameBegins`: the machine has
   * just said that a game began, whose event comes later, because what was before it has to be settled first.
   * One subscriber at a time: a second one replaces the first. Answers how to stop.
   */
  onActivity(ring: (what?: "gameBegins") => void): () => void;
  /** Lets go of the machine: an order that has not left never leaves. What is durable stays. The agent orders nothing after this call. */
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
  capabilities: EgmCapabilities;
  /** What the machine states for its card in the lobby, in the wire's own shape. */
  card: MachineCard;
};

/** What one machine can do, as its driver has found out. Nothing outside a driver asks for a kind of machine, only for these. */
export type EgmCapabilities = {
  /** Completed transfers that the machine's record keeps, at least 1 (SAS: the current one and up to 127 before it). */
  transfersKept: number;
  /** The longest transfer id that the machine takes, 20 to 64 characters (SAS: 20). */
  transferIdChars: number;
  /** The record keeps refused transfers too, so that a refusal stays the answer of its id. */
  keepsRefusals: boolean;
  /** A transfer may move less than was requested, where that is all there is or all that fits; else such an order is refused. */
  partialTransfers: boolean;
  /** `at` of an event is the machine's own time; else the time at which the driver read it. */
  eventClock: boolean;
  /** The meters say the stake of the next wager, and a wager with another stake is not played. Without it `bet` is always absent. */
  nextStake: boolean;
  /** Hand pays that the machine can have waiting at once, at least 1. */
  handPaysQueued: number;
  /** A hand pay can be reset from here; else only the attendant's key at the machine does. */
  resetsHandPays: boolean;
  /** Values of one credit that the player can choose, minor units. Empty: the machine does not say. */
  denominations: readonly number[];
  /** The machine can be enabled and disabled. */
  disables: boolean;
  /** The machine can be locked for a transfer. */
  locks: boolean;
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
  /** The stake the player saw. A wager whose stake is no longer the machine's is answered `changed` and not played (with `nextStake`). */
  stakeMinor?: number;
  /** The press may make a choice in the game in progress, and may start no game: refused as `held` where it would. */
  finishOnly?: boolean;
  /** The press may not shorten a game: refused as `inGame` while one is in progress that does not wait for its player. Service keys are free. */
  keepsReels?: boolean;
};

/**
 * `unconfirmed`: the button was pressed and the machine has not said what came of it. The events decide: a `gameStarted` says that it
 * counted. No program presses it again for the player, and it counts as a start for the time between games.
 */
export type EgmPressOutcome = "started" | "done" | "ignored" | "refused" | "changed" | "unconfirmed";

/** `locked`: for a transfer. `held`: a press that may only finish the game in progress would have started one. */
export type EgmRefusal =
  | LockupRefusal
  | "locked"
  | "held"
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

/** `started`: a game began (with its number). `ignored`: a press without effect (bet up at the top). `reason` for ignored, refused and changed. */
export type EgmPressAnswer = { outcome: EgmPressOutcome; reason?: EgmRefusal; gameNumber?: number };

export type EgmTransferDirection = "cashIn" | "cashOut";

/**
 * `transferId`: 1 to `transferIdChars` printable ASCII characters, durable at the caller before the call; a longer one is refused as `badId`. It goes
 * to the machine as it is: a driver never shortens or translates it (record 0133). No `amount`: everything (cash-out only).
 */
export type EgmOrder = Pick<MoneyCommand, "transferId" | "amount">;

/**
 * `done` tells the amount the machine moved, which may be less than asked. `repeated` is true when the id was known already and
 * nothing was moved again. `pending`: ask `transfer` later. An id known with another direction or amount is refused as `idInUse`.
 */
export type EgmTransferAnswer =
  | { outcome: "done"; amount: number; repeated: boolean }
  | { outcome: "refused"; amount: 0; reason: EgmRefusal; repeated: boolean }
  | { outcome: "pending"; amount: 0; repeated: boolean };

/** `neverSeen`: the machine has no record of the id: it never came, was refused and not kept, or is older than what the record keeps. `oldestAt` is the time of its oldest record, ms since 1970; null: it has none. */
export type EgmTransferRecord =
  | { state: "done"; transferId: string; direction: EgmTransferDirection; amount: number; at: number }
  | {
      state: "refused";
      transferId: string;
      direction: EgmTransferDirection;
      amount: 0;
      reason: EgmRefusal;
      at: number;
    }
  | { state: "pending"; transferId: string; direction: EgmTransferDirection; amount: 0; at: number }
  | { state: "neverSeen"; transferId: string; oldestAt: number | null };

export type EgmLockAnswer = { outcome: "locked" } | { outcome: "refused"; reason: EgmRefusal };

/** `cancelledCredits`: the player's credits, paid by hand; the others are wins. */
export type EgmHandPay = {
  id: string;
  amount: number;
  kind: HandPayKind;
  jackpot?: string;
  /** Absent: the machine does not say which game it came from, or none. */
  gameNumber?: number;
};

/** Parts of the credit meter, minor units; they add up to `credit`. */
export type EgmMoneyKinds = {
  cashable: number;
  /** Promotional credit that can only be played; no transfer and no hand pay takes it off the machine. */
  restricted: number;
  /** Promotional credit that may be cashed out. */
  nonRestricted: number;
};

/** What the machine shows and counts. A fact that it does not say is absent. */
export type EgmMeters = {
  /** On the credit meter now, of every kind. */
  credit: number;
  /** Absent: all of `credit` is cashable. */
  kinds?: EgmMoneyKinds;
  /** Stake of the next wager. */
  bet?: number;
  /** Win of the game in progress so far, or of the last one. */
  win?: number;
  /** Numbers (1 first) of the lines of its paytable that pay in the turn of the reels that is shown; absent: the machine does not say. */
  winLines?: readonly number[];
  /** Free spins left in the game in progress. */
  freeSpins?: number;
  /** A bonus is waiting for picks. */
  bonus?: boolean;
  /** A game is in progress (free spins and bonus belong to it). */
  inGame: boolean;
  gamesPlayed: number;
  /** Id of the chosen band. */
  activeBand?: string;
  /** Hand pays that wait, the oldest first; at most `handPaysQueued`. */
  handPays: readonly EgmHandPay[];
  /** Why the machine cannot be played; the gravest one of those that hold. A lock for a transfer is not one. */
  lockup?: Lockup;
  jackpots?: readonly EgmJackpot[];
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
  /** Transfers of cashable money to the machine (SAS A0). */
  cashInTotal: number;
  /** Transfers of cashable money to the host (SAS B8). */
  cashOutTotal: number;
  /** Credits that came in any other way: bills, tickets, promotional transfers. At least the sum of those in `other`. */
  otherInTotal: number;
  /** Credits that left in any other way: tickets, credits cancelled by hand, promotional transfers. At least the sum of those in `other`. */
  otherOutTotal: number;
  /** What the other ways are made of. Absent: the machine has none of them, or does not say. */
  other?: EgmOtherTotals;
};

/** Cumulative meters of credits that came or went without a transfer of the platform. An absent one: the machine does not count it. */
export type EgmOtherTotals = {
  /** Bills accepted (SAS 0B). */
  billsIn?: number;
  /** Tickets redeemed (SAS 0D to 10, 15). */
  ticketsIn?: number;
  /** Tickets printed (SAS 16). */
  ticketsOut?: number;
  /** Credits cancelled and paid by hand (SAS 03), counted when the hand pay is reset. */
  cancelledOut?: number;
  /** Promotional transfers to the machine, restricted and not (SAS A2, A4). */
  promotionIn?: number;
  /** Promotional transfers to the host (SAS BA, BC). */
  promotionOut?: number;
};

/** `meters`: of the moment of the newest event or later. Reading them has acknowledged nothing. */
export type EgmEvents = { events: readonly EgmEvent[]; meters: EgmMeters };

/** Names one event. The journal keeps it, and does not take an event of the same name twice. */
export type EgmEventId = {
  /** Only grows, also over power cycles and over a new start of the agent. A machine without such a number is counted by its driver. */
  seq: number;
  at: number;
  /**
   * What the protocol itself gives of the event (SAS: its bytes in hex), at most 128 printable ASCII characters. A driver whose machine
   * repeats the last event after a restart knows it by this.
   */
  mark?: string;
};

/** One event of the machine's queue. `nextEvents` answers those with `priority` before others. */
export type EgmEvent = EgmEventId & { priority: boolean } & EgmEventBody;

export type EgmEventBody =
  | { what: "gameStarted"; gameNumber: number; stake: number; before?: number; startedAt: number }
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
  freeSpins?: number;
  bonus?: boolean;
  startedAt: number;
  endedAt: number;
};
