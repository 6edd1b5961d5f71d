import * as z from "zod/mini";
import { WireId } from "./ids.ts";
import { MachineCard, orAbsent } from "./lobby-lists.ts";
import { Minor, PositiveMinor } from "./money.ts";

/** One stake range a machine offers. Shown ordered by `Order` descending. */
export const Band = z.object({ id: WireId, name: z.string(), Order: z.number() });
export type Band = z.infer<typeof Band>;

/** One key of a machine's panel. `minGapMs`: the least time between two presses that count. */
export const Button = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(32)),
  label: z.string().check(z.maxLength(64)),
  kind: z.enum(["wager", "select", "collect", "service"]),
  minGapMs: z.number().check(z.gte(0), z.lte(60_000)),
});
export type Button = z.infer<typeof Button>;

/** What play is allowed on a machine. Amounts in minor units, times in ms. */
export const MachineLimits = z.object({
  /** From one game's start to the next one's, at least (kept by the agent). */
  minCycleMs: z.number().check(z.gte(0), z.lte(60_000)),
  minTransfer: PositiveMinor,
  maxTransfer: PositiveMinor,
  maxStake: z.optional(PositiveMinor),
  /** False: the market forbids autoplay. */
  autoplay: z.boolean(),
});
export type MachineLimits = z.infer<typeof MachineLimits>;

/** `cancelledCredits`: the player's credits, paid by hand; the others are wins. A reader takes a kind that it does not know for a win. */
export const HAND_PAY_KINDS = ["win", "jackpot", "cancelledCredits"] as const;
export type HandPayKind = (typeof HAND_PAY_KINDS)[number];

/** A payout that the machine will not make itself; it is locked until staff resets it. */
export const HandPay = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(64)),
  amount: PositiveMinor,
  kind: z.catch(z.enum(HAND_PAY_KINDS), "win"),
});

/** Parts of the credit meter, minor units; they add up to `credit`. */
export const MoneyKinds = z.object({
  cashable: Minor,
  /** Promotional credit that can only be played. */
  restricted: Minor,
  /** Promotional credit that may be cashed out at the machine; the platform does not order it. */
  nonRestricted: Minor,
});

/** What a kind of lockup is called in the other parts of the wire. */
type LockupNames = {
  /** Why the machine refuses a press or a transfer meanwhile. */
  readonly refusal: string;
  /** The events that begin and end it. Absent: only the meters report it, or (`handPay`) its events carry more than a fault's. */
  readonly events?: { readonly begins: string; readonly ends: string };
};

/**
 * Why a machine refuses play. A new kind of fault is one entry here and its texts (CONTRIBUTING.md, "What a change touches"). A reader takes a kind that
 * it does not know for `outOfService`.
 */
export const LOCKUPS = {
  handPay: { refusal: "handPay" },
  door: { refusal: "doorOpen", events: { begins: "doorOpened", ends: "doorClosed" } },
  tilt: { refusal: "tilt", events: { begins: "tilt", ends: "tiltCleared" } },
  disabled: { refusal: "disabled" },
  outOfService: { refusal: "outOfService" },
  /** A key switch gives the machine to a person in front of it: the platform ends the play session. */
  local: { refusal: "local" },
} as const satisfies Record<string, LockupNames>;
export type Lockup = keyof typeof LOCKUPS;
type Names = (typeof LOCKUPS)[Lockup];
export type LockupRefusal = Names["refusal"];
/** Why a player calls staff; `player`: the machine reports no lockup. */
export type CallReason = "player" | Lockup;
type FaultEvents = Extract<Names, { readonly events: unknown }>["events"];
/** An event that begins or ends a fault. It says no more than its kind, and perhaps the machine's own code. */
export type FaultEvent = FaultEvents["begins"] | FaultEvents["ends"];

export const LOCKUP_REASONS = Object.keys(LOCKUPS) as readonly Lockup[];
const EVENTS_OF_FAULTS = Object.values(LOCKUPS).flatMap((names) => ("events" in names ? [names.events] : []));
export const FAULT_EVENTS: readonly FaultEvent[] = EVENTS_OF_FAULTS.flatMap(({ begins, ends }) => [begins, ends]);
const BEGINS: ReadonlySet<string> = new Set(EVENTS_OF_FAULTS.map(({ begins }) => begins));
export const LOCKUP_REFUSALS: readonly LockupRefusal[] = Object.values(LOCKUPS).map(({ refusal }) => refusal);

export const isFaultEvent = (kind: string): kind is FaultEvent => (FAULT_EVENTS as readonly string[]).includes(kind);
/** Whether the event begins a fault; else it ends one. */
export const beginsFault = (event: FaultEvent): boolean => BEGINS.has(event);
export const isLockupRefusal = (reason: string): reason is LockupRefusal =>
  (LOCKUP_REFUSALS as readonly string[]).includes(reason);

/** A lockup as a peer reports it, also one of a newer version. */
export const LockupReason = z.catch(z.enum(LOCKUP_REASONS), "outOfService");

/** What the platform reports of a machine to a page beside its meters, while its play session is open. */
export const PAGE_EVENT_KINDS = [
  ...FAULT_EVENTS,
  "handPayPending",
  "handPayReset",
  "jackpot",
  "bonusStarted",
  "bonusEnded",
] as const;
export type PageEventKind = (typeof PAGE_EVENT_KINDS)[number];

/**
 * What the page shows of a machine's meters, in minor units; read from the machine, never computed by us. A fact that the machine does not say is
 * absent: the page then shows a dash, never a zero.
 */
export const Meters = z.object({
  credit: Minor,
  /** Absent: all of `credit` is cashable, or the machine does not say. */
  kinds: z.optional(MoneyKinds),
  /** The stake the next wager would take. */
  bet: z.optional(Minor),
  /** Win of the last complete game, or so far of the running one. */
  win: z.optional(Minor),
  /** Free games left. */
  freeSpins: z.optional(z.int().check(z.gte(0))),
  /** A bonus waits for the player or runs. */
  bonus: z.optional(z.boolean()),
  /** Games played since the machine was made; never falls. */
  gamesPlayed: z.int().check(z.gte(0)),
  /** Id of the active band. */
  activeBand: z.nullable(WireId),
  /**
   * The lines that pay in the turn of the reels that is shown, 1 is the first of the paytable. Absent: none, or the machine does not say.
   * One that cannot be read counts as absent.
   */
  winLines: orAbsent(z.array(z.int().check(z.gte(1), z.lte(50))).check(z.maxLength(50))),
  /** A game is running now. */
  inGame: z._default(z.boolean(), false),
  /** The hand pay that waits; of several the oldest, which is reset first. */
  handPay: z.optional(HandPay),
  /** All hand pays that wait, the oldest first. Absent: `handPay` alone, or none. */
  handPays: z.optional(z.array(HandPay).check(z.minLength(2), z.maxLength(16))),
  lockup: z.optional(LockupReason),
});
export type Meters = z.infer<typeof Meters>;

/** Running meters of credits that came or went without a transfer of the platform, minor units. Absent: the machine does not count it. */
const OtherTotals = z.partial(
  z.object({
    billsIn: Minor,
    ticketsIn: Minor,
    ticketsOut: Minor,
    /** Cancelled and paid by hand, counted when the hand pay is reset. */
    cancelledOut: Minor,
    /** Promotional credit, restricted or not. */
    promotionIn: Minor,
    promotionOut: Minor,
  }),
);
export type OtherTotals = z.infer<typeof OtherTotals>;
export const OTHER_TOTALS = Object.keys(OtherTotals.shape) as readonly (keyof OtherTotals)[];

/**
 * A machine's running meters since it was made, in minor units; they never fall. Outside a game the credit meter changes as they do:
 * cashIn + otherIn + machinePaid − wagered − cashOut − otherOut. Source: field notes 3.3 (SAS meters 0000, 0001, 00A0, 00B8 and their like).
 */
export const MachineTotals = z.object({
  /** Everything wagered. */
  wagered: Minor,
  /** Everything won, however it was paid. */
  won: Minor,
  /** Won and paid to the credit meter. */
  machinePaid: Minor,
  /** Won and paid by hand, counted when the hand pay is reset. */
  handPaid: Minor,
  /** Transfers to the machine and from it. */
  cashIn: Minor,
  cashOut: Minor,
  /** Credits that came or went without a transfer of the platform: bills, tickets, credits cancelled by hand. */
  otherIn: z._default(Minor, 0),
  otherOut: z._default(Minor, 0),
  /** What `otherIn` and `otherOut` are made of, as far as the machine says. */
  other: z.optional(OtherTotals),
});
export type MachineTotals = z.infer<typeof MachineTotals>;

/** Part of the picture that holds the machine, as shares (0 to 1) of the whole. */
export const CutScreen = z.object({
  x: z.number().check(z.gte(0), z.lte(1)),
  y: z.number().check(z.gte(0), z.lte(1)),
  width: z.number().check(z.gt(0), z.lte(1)),
  height: z.number().check(z.gt(0), z.lte(1)),
});

/** Facts of a machine that do not change while its agent runs. */
export const MachineFacts = z.object({
  id: WireId,
  name: z.string().check(z.minLength(1), z.maxLength(64)),
  brand: z.string().check(z.minLength(1), z.maxLength(64)),
  videoType: z.enum(["screen", "camera"]),
  cutScreen: z.optional(CutScreen),
  layout: z.optional(z.string()),
  showRotateScreenMenu: z.optional(z.boolean()),
  /** Money worth of one credit, minor units. */
  denomination: PositiveMinor,
  simulated: MachineCard.shape.simulated,
  /** How long the picture takes from the machine's glass to its agent, ms; the times of frames count it. 0: it is made there. Absent: not measured. */
  sourceDelayMs: z.optional(z.int().check(z.gte(0), z.lte(2_000))),
});
export type MachineFacts = z.infer<typeof MachineFacts>;
/** Faults that a simulated machine can have: at once, until they are repaired. */
export const SIMULATED_FAULTS = ["door", "tilt"] as const satisfies readonly Lockup[];
export type SimulatedFault = (typeof SIMULATED_FAULTS)[number];

/**
 * What staff can make happen at a simulated machine. `handpay`, `bonus`, `freespins` and `jackpot` come with the next game; `offline` cuts the
 * connection between machine and agent; `repair` ends the faults and `offline` and cancels what the next game would bring. A hand pay that is
 * owed is no fault: only staff's confirmation ends it.
 */
export const SIMULATED_EVENTS = [
  ...SIMULATED_FAULTS,
  "handpay",
  "bonus",
  "freespins",
  "jackpot",
  "offline",
  "repair",
] as const;
export type SimulatedEvent = (typeof SIMULATED_EVENTS)[number];
